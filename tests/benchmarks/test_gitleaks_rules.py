from benchmarks.gitleaks_rules import find_unnamed_rules


def test_rules_that_none_of_ours_names_are_listed() -> None:
    configuration = (
        '[[rules]]\nid = "github-pat"\n\n[[rules]]\nid = "planetscale-password"\n\n[[rules]]\nid = "new-vendor"\n'
    )
    assert find_unnamed_rules(configuration) == ["new-vendor"]
