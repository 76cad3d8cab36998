"""Phases for any social game: each asks questions, then applies and records the answers.

Each module covers one subject. `voting.py` contains the rules of votes and pairs. Its functions are
pure, so games and analyses call them directly. All other rules are in the games.
"""

from engine.round_phases.asking import RoundView
from engine.round_phases.debrief import phase_debrief
from engine.round_phases.forms import ACCEPT, DECLINE, NOBODY, RANKS, Vote
from engine.round_phases.probes import phase_probes
from engine.round_phases.sidebars import phase_paired_sidebars, phase_sidebars
from engine.round_phases.speeches import (
    phase_confessionals,
    phase_last_words,
    phase_pitches,
    phase_questions,
    phase_summaries,
)
from engine.round_phases.votes import phase_immunity, phase_votes, vote_turn

__all__ = [
    "ACCEPT",
    "DECLINE",
    "NOBODY",
    "RANKS",
    "Observation",
    "RoundView",
    "Vote",
    "phase_confessionals",
    "phase_debrief",
    "phase_immunity",
    "phase_last_words",
    "phase_paired_sidebars",
    "phase_pitches",
    "phase_probes",
    "phase_questions",
    "phase_sidebars",
    "phase_summaries",
    "phase_votes",
    "vote_turn",
]

# An earlier name, which notebooks import.
Observation = RoundView
