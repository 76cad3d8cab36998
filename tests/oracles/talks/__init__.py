"""The rules of a talk as checks on a finished log, by code that holds no talk.

They share the log's data, the design's constants and the labelled random streams with the game, and
none of its formulas.
"""

from tests.oracles.reading import Checks, check_numbers, check_prompts, check_roles, check_usage
from tests.oracles.talks import bonds, choices, course, criteria, hosting, moves, results, words

CHECKS: Checks = {
    "rounds": check_numbers,
    "authors": check_roles,
    "usage": check_usage,
    "course": course.check_exchange_events,
    "opening": words.check_opening,
    "introductions": course.check_introductions,
    "theses": words.check_theses,
    "host": hosting.check_host_parts,
    "words of the host": hosting.check_host_words,
    "interjections": hosting.check_interjections,
    "urgencies": choices.check_urgencies,
    "speakers": choices.check_speakers_chosen,
    "payoffs": choices.check_payoffs,
    "damping": choices.check_damping,
    "moves": moves.check_moves,
    "warnings": moves.check_warnings,
    "exchanges": course.check_exchanges_made,
    "answers": words.check_answers_kept,
    "novelty": words.check_novelty,
    "aspects": words.check_aspects,
    "feelings": bonds.check_feelings,
    "groups": bonds.check_groups,
    "criteria": criteria.check_criteria,
    "wishes to conclude": criteria.check_conclude_votes,
    "stop": criteria.check_stop,
    "telling": criteria.check_stop_data,
    "end": course.check_figures_told,
    "participants": results.check_participant_figures,
    "quality": results.check_quality,
    "summary": results.check_end_told,
    "visibility": course.check_sight,
    "prompts": check_prompts("setup"),
    "hearing": course.check_heard_before,
}
