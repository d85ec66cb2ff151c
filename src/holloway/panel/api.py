"""HTTP API under `/api/v1`: operations with JSON in and out, and their description as OpenAPI.

The operations are handed in by the caller, so that the panel does not depend on where they are defined.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from starlette.responses import JSONResponse
from starlette.routing import Route

from holloway import __version__
from holloway.errors import HollowayError, InvalidInput
from holloway.panel.page import parse_fields
from holloway.service.results import UnknownMemory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from starlette.requests import Request
    from starlette.responses import Response

API_PATH = "/api/v1"
TRUE_WORDS = frozenset(["1", "true", "yes", "on"])
NUMBER_CHARS_MAX = 20
_NUMBER_TYPES: dict[str, type[int] | type[float]] = {"integer": int, "number": float}


@dataclass(frozen=True, slots=True)
class ApiParameter:
    """A value that an operation takes: its name, its JSON schema and what it means."""

    name: str
    schema: Mapping[str, Any]
    meaning: str = ""
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """An operation: GET reads with values in the query, POST changes with values in a JSON body."""

    method: str
    name: str
    summary: str
    call: Callable[[Mapping[str, Any]], object]
    """Runs in a worker thread and returns what JSON can hold."""
    parameters: tuple[ApiParameter, ...] = field(default=())

    @property
    def path(self) -> str:
        """The path of the operation."""
        return f"{API_PATH}/{self.name}"


def make_api_routes(operations: Sequence[ApiOperation]) -> list[Route]:
    """Return the routes of all operations, and of their description."""
    description = describe_api(operations)

    async def describe(request: Request) -> Response:
        return JSONResponse(description)

    routes = [Route(operation.path, _make_endpoint(operation), methods=[operation.method]) for operation in operations]
    return [Route(f"{API_PATH}/openapi.json", describe, methods=["GET"]), *routes]


def _make_endpoint(operation: ApiOperation) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            values = parse_values(operation, request.url.query, await request.body())
            return JSONResponse(await to_thread.run_sync(operation.call, values))
        except HollowayError as error:
            return JSONResponse({"error": error.message, "hint": error.hint}, choose_status(error))

    return answer


def choose_status(error: HollowayError) -> HTTPStatus:
    """Return the HTTP status of an error of the service."""
    if isinstance(error, UnknownMemory):
        return HTTPStatus.NOT_FOUND
    return HTTPStatus.BAD_REQUEST if isinstance(error, InvalidInput) else HTTPStatus.SERVICE_UNAVAILABLE


def parse_values(operation: ApiOperation, query: str, body: bytes) -> dict[str, Any]:
    """Return the values of a request by the names of its operation.

    Raises InvalidInput for an unknown or missing name, for a value of another type, and for a body that is no object.
    """
    arguments = _parse_query(operation, query) if operation.method == "GET" else _parse_body(body)
    parameters = {parameter.name: parameter for parameter in operation.parameters}
    if unknown := [name for name in arguments if name not in parameters]:
        hint = f"It takes: {', '.join(parameters) or 'nothing'}."
        raise InvalidInput(f"{operation.name} takes no {unknown[0][:60]!r}.", hint)
    if missing := [name for name, parameter in parameters.items() if parameter.is_required and name not in arguments]:
        raise InvalidInput(f"{operation.name} needs {missing[0]!r}.", f"{parameters[missing[0]].meaning}")
    return {name: _check_type(parameters[name], value) for name, value in arguments.items()}


def _parse_query(operation: ApiOperation, query: str) -> dict[str, Any]:
    schemas = {parameter.name: parameter.schema for parameter in operation.parameters}
    values: dict[str, Any] = {}
    for name, words in parse_fields(query).items():
        kind = schemas.get(name, {}).get("type")
        values[name] = words if kind == "array" else words[-1]
        if kind == "boolean":
            values[name] = words[-1].lower() in TRUE_WORDS
        elif kind in _NUMBER_TYPES and len(words[-1]) <= NUMBER_CHARS_MAX:
            with suppress(ValueError):  # The check of types names the parameter.
                values[name] = _NUMBER_TYPES[kind](words[-1])
    return values


def _parse_body(body: bytes) -> dict[str, Any]:
    try:
        values = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise InvalidInput("The body is not JSON.", "Send an object with the values.") from None
    if not isinstance(values, dict):
        raise InvalidInput("The body is not an object.", "Send an object with the values.")
    return values


_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
}


def _check_type(parameter: ApiParameter, value: Any) -> Any:
    """Return a value of the type that a parameter has. Raises InvalidInput for another one."""
    kind = str(parameter.schema["type"])
    is_fit = isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
    if kind == "array":
        is_fit = is_fit and all(isinstance(item, str) for item in value)
    if not is_fit:
        raise InvalidInput(f"{parameter.name!r} must be {kind}.", parameter.meaning)
    return value


def describe_api(operations: Sequence[ApiOperation]) -> dict[str, Any]:
    """Return the description of the operations as OpenAPI 3.1."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _describe_operation(operation)
    error = {"type": "object", "properties": {"error": {"type": "string"}, "hint": {"type": "string"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "holloway", "version": __version__, "description": "The memory of one project."},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": {**error, "required": ["error", "hint"]}},
        },
    }


def _describe_operation(operation: ApiOperation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": f"{operation.method.lower()}_{operation.name}",
        "summary": operation.summary,
        "responses": {
            "200": {"description": "Done.", "content": {"application/json": {"schema": {"type": "object"}}}},
            **{
                str(int(status)): {
                    "description": status.phrase,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
                }
                for status in (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE)
            },
        },
    }
    if operation.method == "GET":
        described["parameters"] = [
            {
                "name": parameter.name,
                "in": "query",
                "required": parameter.is_required,
                "description": parameter.meaning,
                "schema": dict(parameter.schema),
            }
            for parameter in operation.parameters
        ]
        return described
    properties = {
        parameter.name: {**parameter.schema, "description": parameter.meaning} for parameter in operation.parameters
    }
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required := [parameter.name for parameter in operation.parameters if parameter.is_required]:
        schema["required"] = required
    described["requestBody"] = {"required": bool(required), "content": {"application/json": {"schema": schema}}}
    return described
