"""Hold a discussion (see `uv run talks.py --help`), and export the names its design specifies."""

import sys
from functools import partial

from engine.cli.main import run_command
from engine.games.talks.archetypes import Gender, Move, PersonalityArchetype
from engine.games.talks.state import DialogueMove, Exchange, GroupDiscussionState, ParticipantState
from engine.games.talks.termination import (
    ConversationTerminator,
    DepthManager,
    EndTerms,
    NoveltySensor,
)
from engine.games.talks.theory.choosing import MultiAgentGameTheory
from engine.runs.talks.orchestrator import (
    MultiAgentDiscussionOrchestrator,
    ParticipantAgent,
    SimpleOrchestrator,
)

__all__ = [
    "ConversationTerminator",
    "DepthManager",
    "DialogueMove",
    "EndTerms",
    "Exchange",
    "Gender",
    "GroupDiscussionState",
    "Move",
    "MultiAgentDiscussionOrchestrator",
    "MultiAgentGameTheory",
    "NoveltySensor",
    "ParticipantAgent",
    "ParticipantState",
    "PersonalityArchetype",
    "SimpleOrchestrator",
    "Terms",
    "main",
]

# The name that programs using this module expect.
Terms = EndTerms

main = partial(run_command, "talks.py")

if __name__ == "__main__":
    sys.exit(main())
