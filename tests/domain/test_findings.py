from holloway.domain.findings import Check, Finding, failed_check, passed_check, warning_check


def test_a_check_has_a_verdict_and_names_its_finding() -> None:
    assert passed_check("git", "2.40") == Check("git", "ok", "2.40")
    assert warning_check("map", Finding.NO_MAP, "none", "run it") == Check("map", "warning", "none", "run it", "no-map")
    assert failed_check("git", Finding.NO_GIT, "none", "get it") == Check("git", "failure", "none", "get it", "no-git")
