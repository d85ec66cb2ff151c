"""JSON for hooks: the C functions behind `json`, without the module, whose imports cost half as much as Python's start.

Whatever these functions do not read, the module reads: same values, same errors.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO, Any

_WHITESPACE = " \t\n\r"
_NOT_FINITE = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}


class _ScannerContext:
    """What the C scanner asks its decoder for."""

    strict = True
    array_hook = None
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = _NOT_FINITE.__getitem__


def _make_scanner() -> Callable[[str, int], tuple[Any, int]] | None:
    try:
        import _json

        context: Any = _ScannerContext
        return _json.make_scanner(context)
    except (ImportError, AttributeError, TypeError):  # another Python, which reads JSON in its own way
        return None


_scan = _make_scanner()


def loads(text: str | bytes) -> Any:
    """Read a JSON document. Raises ValueError."""
    if _scan is not None:
        try:
            characters = (text if isinstance(text, str) else text.decode("utf-8")).strip(_WHITESPACE)
            value, end = _scan(characters, 0)
            if end == len(characters):
                return value
        except (ValueError, StopIteration, SystemError):  # SystemError: `json` is not loaded, which has the error
            pass
    import json  # for its errors, and for other encodings

    return json.loads(text)


def load(file: IO[str] | IO[bytes]) -> Any:
    """Read the JSON document of a file. Raises ValueError."""
    return loads(file.read())


def dumps(value: object, separators: tuple[str, str] = (", ", ": ")) -> str:
    """Write a value as JSON in ASCII. Raises TypeError or ValueError for a value that JSON does not have."""
    if _scan is None:
        import json

        return json.dumps(value, separators=separators)
    import _json

    item_separator, key_separator = separators
    encode_text = _json.encode_basestring_ascii
    encode = _json.make_encoder({}, _refuse, encode_text, None, key_separator, item_separator, False, False, True)
    return "".join(encode(value, 0))


def _refuse(value: object) -> object:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
