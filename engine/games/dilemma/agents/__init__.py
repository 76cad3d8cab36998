"""The agents by name; each returns three moves for a history and a score."""

from engine.games.dilemma.agents.block import (
    accountant,
    ambusher,
    block_for_two_blocks,
    block_majority,
    mirror,
)
from engine.games.dilemma.agents.fixed import (
    alternator,
    cooperator,
    cycler_ccd,
    cycler_ddc,
    defector,
    detective,
    handshake,
    prober,
    tester,
)
from engine.games.dilemma.agents.forms import SOURCE_NAMES, Agent, Strategy, as_block, name_of
from engine.games.dilemma.agents.reactive import (
    anti_tit_for_tat,
    bully,
    contrite_tit_for_tat,
    gradual,
    grudger,
    hard_majority,
    hard_tit_for_tat,
    hard_tit_for_two_tats,
    soft_majority,
    suspicious_tit_for_tat,
    tit_for_tat,
    tit_for_two_tats,
    two_tits_for_tat,
    win_stay_lose_shift,
)
from engine.games.dilemma.agents.stochastic import (
    coin,
    generous_tit_for_tat,
    random,
    stoc,
    zd_extort_2,
)

STEPS: tuple[Strategy, ...] = (
    cooperator,
    defector,
    random,
    coin,
    stoc,
    tit_for_tat,
    suspicious_tit_for_tat,
    tit_for_two_tats,
    two_tits_for_tat,
    hard_tit_for_tat,
    hard_tit_for_two_tats,
    generous_tit_for_tat,
    contrite_tit_for_tat,
    anti_tit_for_tat,
    grudger,
    alternator,
    cycler_ccd,
    cycler_ddc,
    bully,
    win_stay_lose_shift,
    soft_majority,
    hard_majority,
    handshake,
    prober,
    detective,
    tester,
    gradual,
    zd_extort_2,
)
NATIVES: tuple[Agent, ...] = (mirror, block_majority, block_for_two_blocks, accountant, ambusher)

ALL: tuple[Agent, ...] = (*map(as_block, STEPS), *NATIVES)


class AgentsByName(dict[str, Agent]):
    """Agents by this project's names; the source's names also work as keys but are not listed."""

    def __missing__(self, name: str) -> Agent:
        """Return the agent with this name in the source, or raise KeyError if there is none."""
        return self[SOURCE_NAMES[name]]


AGENTS: dict[str, Agent] = AgentsByName({name_of(agent): agent for agent in ALL})
