"""The agents by name; each returns three moves for a history and a score."""

from engine.games.dilemma.agents import block, fixed, reactive, stochastic
from engine.games.dilemma.agents.forms import SOURCE_NAMES, Agent, Strategy, as_block, name_of

STEPS: tuple[Strategy, ...] = (
    fixed.cooperator,
    fixed.defector,
    stochastic.random,
    stochastic.coin,
    stochastic.stoc,
    reactive.tit_for_tat,
    reactive.suspicious_tit_for_tat,
    reactive.tit_for_two_tats,
    reactive.two_tits_for_tat,
    reactive.hard_tit_for_tat,
    reactive.hard_tit_for_two_tats,
    stochastic.generous_tit_for_tat,
    reactive.contrite_tit_for_tat,
    reactive.anti_tit_for_tat,
    reactive.grudger,
    fixed.alternator,
    fixed.cycler_ccd,
    fixed.cycler_ddc,
    reactive.bully,
    reactive.win_stay_lose_shift,
    reactive.soft_majority,
    reactive.hard_majority,
    fixed.handshake,
    fixed.prober,
    fixed.detective,
    fixed.tester,
    reactive.gradual,
    stochastic.zd_extort_2,
)
NATIVES: tuple[Agent, ...] = (
    block.mirror,
    block.block_majority,
    block.block_for_two_blocks,
    block.accountant,
    block.ambusher,
)

ALL: tuple[Agent, ...] = (*map(as_block, STEPS), *NATIVES)


class AgentsByName(dict[str, Agent]):
    """Agents by this project's names; the source's names also work as keys but are not listed."""

    def __missing__(self, name: str) -> Agent:
        """Return the agent with this name in the source, or raise KeyError if there is none."""
        return self[SOURCE_NAMES[name]]


AGENTS: dict[str, Agent] = AgentsByName({name_of(agent): agent for agent in ALL})
