"""The rules of the island as checks on a finished log: each yields a sentence for every breach."""

from engine.checks import check_headings, check_prompts, check_usage
from engine.game import Checks
from engine.games.deliberations.checker import (
    course,
    debriefs,
    narration,
    places,
    questions,
    sidebars,
    sight,
    ties,
    votes,
)

CHECKS: Checks = {
    "rounds": course.check_rounds,
    "roster": course.check_roster,
    "phases": course.check_phases,
    "authors": course.check_authors,
    "headings": check_headings(
        question=questions.question_heading,
        answer=questions.answer_heading,
        debrief=debriefs.debrief_heading,
        statement=ties.statement_heading,
    ),
    "usage": check_usage,
    "sidebars": sidebars.check_sidebars,
    "confessionals": course.check_asked("confessional"),
    "pitches": course.check_asked("pitch"),
    "voters": course.check_asked("vote"),
    "summaries": course.check_asked("summary"),
    "questions": questions.check_questions,
    "debriefs": debriefs.check_debriefs,
    "statements": course.check_asked("statement"),
    "revotes": ties.check_revotes,
    "last words": course.check_asked("last_words"),
    "immunity": ties.check_immunity,
    "ballots": votes.check_ballots,
    "lost votes": votes.check_lost_votes,
    "verdicts": votes.check_verdicts,
    "draws": votes.check_draws,
    "narration": narration.check_narration,
    "words": course.check_words,
    "placements": places.check_placements,
    "visibility": sight.check_visibility,
    "prompts": check_prompts(),
    "hearing": sight.check_hearing,
    "secrecy": sight.check_secrecy,
    "quotes": sight.check_quotes,
    "memory": sight.check_memory,
}
