"""The rules of the conversation as checks on a finished log, by code that plays no game.

They share the log's data and the labelled random streams with the game, and none of its rules.
"""

from tests.oracles.conversation import course, scores, secrecy, sight
from tests.oracles.reading import Checks, check_numbers, check_prompts, check_roles, check_usage

CHECKS: Checks = {
    "rounds": check_numbers,
    "authors": check_roles,
    "usage": check_usage,
    "deal": course.check_deal,
    "turns": course.check_turn_events,
    "proposals": course.check_proposals,
    "answers": course.check_answered_items,
    "speakers": course.check_speakers,
    "speeches": course.check_speeches,
    "end": course.check_end,
    "points": scores.check_turn_points,
    "private bonuses": scores.check_bonuses,
    "contributions": scores.check_contributions,
    "shared score": scores.check_shared,
    "totals": scores.check_totals,
    "places": scores.check_places,
    "summary": scores.check_winners_told,
    "telling": sight.check_told,
    "visibility": sight.check_viewers,
    "prompts": check_prompts("setup", "speech"),
    "hearing": sight.check_asked_at_once,
    "secret rankings": secrecy.check_ranking_secrecy,
    "secret items": secrecy.check_item_secrecy,
    "secret proposals": secrecy.check_proposal_secrecy,
}
