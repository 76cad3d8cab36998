"""Phases for any social game: each frames a question, asks it, applies and records the answer.

A module a subject. The rules are elsewhere: `engine/voting.py` and the games.
"""

from engine.round_phases.alone import phase_confessionals, phase_summaries
from engine.round_phases.asking import (
    Context,
    Line,
    RoundView,
    tell,
    turn_of,
    view_of,
    without,
    words_of,
)
from engine.round_phases.debrief import phase_debrief
from engine.round_phases.final_questions import phase_questions
from engine.round_phases.forms import (
    ACCEPT,
    DECLINE,
    NOBODY,
    RANKS,
    WORDS,
    Confessional,
    Consent,
    LastWords,
    Partner,
    Partners,
    Pitch,
    Sidebar,
    Statement,
    Summary,
    Vote,
    Words,
    limit_words,
)
from engine.round_phases.pairing import phase_paired_sidebars
from engine.round_phases.pitches import phase_pitches
from engine.round_phases.sidebars import (
    partner_in,
    partner_turns,
    phase_sidebars,
    talk,
    tell_partner,
    with_nobody,
)
from engine.round_phases.ties import phase_immunity, phase_last_words, phase_statements
from engine.round_phases.votes import phase_votes, tell_vote, vote_turn, vote_turns

__all__ = [
    "ACCEPT",
    "DECLINE",
    "NOBODY",
    "RANKS",
    "WORDS",
    "Confessional",
    "Consent",
    "Context",
    "LastWords",
    "Line",
    "Observation",
    "Partner",
    "Partners",
    "Pitch",
    "RoundView",
    "Sidebar",
    "Statement",
    "Summary",
    "Vote",
    "Words",
    "limit_words",
    "partner_in",
    "partner_turns",
    "phase_confessionals",
    "phase_debrief",
    "phase_immunity",
    "phase_last_words",
    "phase_paired_sidebars",
    "phase_pitches",
    "phase_questions",
    "phase_sidebars",
    "phase_statements",
    "phase_summaries",
    "phase_votes",
    "talk",
    "tell",
    "tell_partner",
    "tell_vote",
    "turn_of",
    "view_of",
    "vote_turn",
    "vote_turns",
    "with_nobody",
    "without",
    "words_of",
]

# Earlier names, which notebooks import.
Observation = RoundView
