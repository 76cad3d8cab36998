"""What the source calls its agents, and which agent each of these names means here."""

from collections.abc import Mapping
from types import MappingProxyType

# "(monitor '(.25 .1) '(10 50) '(#'random #'titfortat #'bobs #'joes #'stoc #'coin #'janes
# #'dianefeinsteins #'chocalate #'cooperate))": random, stoc and coin have these names here too; of
# those that only name their authors nothing is known, and others stand in for them.
SOURCE_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "titfortat": "tit_for_tat",
        "cooperate": "cooperator",
        "defect": "defector",
        "alternate": "alternator",
        "bobs": "gradual",
        "joes": "handshake",
        "janes": "detective",
        "dianefeinsteins": "bully",
        "chocalate": "prober",
    }
)


def agent_name(name: str) -> str:
    """Return the name that an agent has here: that of the source's agent, else the name itself.

    >>> agent_name("titfortat"), agent_name("bully")
    ('tit_for_tat', 'bully')
    """
    return SOURCE_NAMES.get(name, name)
