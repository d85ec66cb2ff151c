"""Consent to sharing: decisions outlast leaving, and "not now" holds for thirty days."""

import holloway
from holloway.sharing import consent
from holloway.sharing.consent import Consent, SharingDecision
from holloway.store import operation_log
from holloway.testing import FakeClock


def test_not_now_holds_for_thirty_days(memory: holloway.Holloway, clock: FakeClock) -> None:
    def is_snoozed() -> bool:
        return memory.sharing().is_snoozed

    assert not is_snoozed()
    memory.sharing().snooze()
    clock.advance(days=29)
    assert is_snoozed()
    clock.advance(days=2)
    assert not is_snoozed()


def test_a_decision_outlasts_leaving(memory: holloway.Holloway) -> None:
    consent.decide(memory.store, SharingDecision.EXCLUDED)
    consent.snooze(memory.store)
    operation_log.clear_log(memory.store.database)
    stored = consent.read_consent(memory.store.database)
    assert stored.decision is SharingDecision.EXCLUDED
    assert stored.snoozed_until


def test_without_a_decision_only_client_work_is_excluded() -> None:
    assert Consent().find_exclusion("shop", "git@example.com:ada/shop.git") is None
    assert Consent().find_exclusion("acme-client", "git@example.com:ada/shop.git") is consent.Exclusion.CLIENT_WORK
    assert Consent(SharingDecision.INCLUDED).find_exclusion("acme-client", "") is None
