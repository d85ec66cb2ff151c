"""The rule tables, joined: the more specific a rule, the earlier it stands."""

from __future__ import annotations

from holloway.safety.rules.ai import AI
from holloway.safety.rules.blocks import BLOCKS
from holloway.safety.rules.builds import BUILDS
from holloway.safety.rules.cloud import CLOUD
from holloway.safety.rules.code_hosts import CODE_HOSTS
from holloway.safety.rules.customers import CUSTOMERS
from holloway.safety.rules.generic import GENERIC
from holloway.safety.rules.hosting import HOSTING
from holloway.safety.rules.identity import IDENTITY
from holloway.safety.rules.infrastructure import INFRASTRUCTURE
from holloway.safety.rules.messaging import MESSAGING
from holloway.safety.rules.observability import OBSERVABILITY
from holloway.safety.rules.payments import PAYMENTS
from holloway.safety.rules.services import SERVICES
from holloway.safety.rules.structures import STRUCTURES

TABLE = (
    *BLOCKS,
    *CLOUD,
    *AI,
    *CODE_HOSTS,
    *BUILDS,
    *HOSTING,
    *INFRASTRUCTURE,
    *MESSAGING,
    *IDENTITY,
    *PAYMENTS,
    *OBSERVABILITY,
    *SERVICES,
    *CUSTOMERS,
    *STRUCTURES,
    *GENERIC,
)
