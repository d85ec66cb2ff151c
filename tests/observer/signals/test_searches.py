from holloway.observer.signals import searches
from tests.observer.story import Story


def test_a_repeated_search_leads_to_where_the_thing_was() -> None:
    told = Story().search("IPC_HANDLER").search("ipc_handler").search("register.*github", "ipc/github.ts")
    told.edit("ipc/github.ts")
    (signal,) = searches.detect_repeated_grep(told.account())
    assert signal.facts["found_in"] == "ipc/github.ts"
    assert signal.facts["worked"] == "register.*github"
    assert signal.facts["times"] == 2
    assert signal.step == told.account().entries[1].step
    assert signal.key.endswith(">ipc/github.ts")


def test_one_search_is_no_confusion() -> None:
    told = Story().search("IPC_HANDLER").read("ipc/github.ts").account()
    assert list(searches.detect_repeated_grep(told)) == []


def test_a_search_repeated_with_success_each_time_is_no_confusion() -> None:
    told = Story().search("foo", "a.py").search("foo", "a.py").read("a.py").account()
    assert list(searches.detect_repeated_grep(told)) == []


def test_a_search_that_led_nowhere_teaches_nothing() -> None:
    told = Story().search("foo").search("foo").shell("make").account()
    assert list(searches.detect_repeated_grep(told)) == []


def test_a_listing_of_which_nothing_was_opened_was_noise() -> None:
    listed = [f"gen/f{n}.py" for n in range(20)]
    told = Story().list("**/f*.py", *listed).read("src/real.py").account()
    (signal,) = searches.detect_glob_ignore(told)
    assert (signal.facts["returned"], signal.facts["instead"]) == (20, "src/real.py")


def test_a_listing_whose_file_was_opened_was_useful() -> None:
    listed = [f"gen/f{n}.py" for n in range(20)]
    assert list(searches.detect_glob_ignore(Story().list("**/f*.py", *listed).read("gen/f3.py").account())) == []


def test_a_short_listing_cannot_be_ignored() -> None:
    assert list(searches.detect_glob_ignore(Story().list("*.py", "a.py", "b.py").read("c.py").account())) == []


def test_a_look_outside_followed_by_a_change() -> None:
    told = Story().fetch("https://docs.example.org/x", pattern="contextBridge").edit("preload.ts").account()
    (signal,) = searches.detect_external_reference(told)
    assert (signal.key, signal.files) == ("docs.example.org", ("preload.ts",))


def test_a_look_outside_without_a_change_teaches_nothing() -> None:
    assert list(searches.detect_external_reference(Story().fetch("https://docs.example.org/x").account())) == []


def test_a_look_at_what_is_no_address_spoils_nothing() -> None:
    told = Story().fetch("http://[broken", pattern="context bridge").edit("preload.ts").account()
    assert [signal.key for signal in searches.detect_external_reference(told)] == ["context bridge"]
