"""What people import keeps its place."""

from importlib import import_module

import pytest

NAMES = {
    "client_factory": "ClientConfig ClientFactory",
    "engine.engine": "GameEngine GameEngineConfig",
    "engine.game": "Game",
    "engine.games.conversation.playout": "ProposalFault play_out",
    "engine.games.conversation.record": "Conversation Item",
    "engine.games.conversation.rules": "subject_names",
    "engine.games.conversation.scoring": "score",
    "engine.games.conversation.state": (
        "ConversationState Observation after_turn choose_item proposal_fault start_conversation"
    ),
    "engine.games.conversation.strategies": "STRATEGIES gains",
    "engine.games.dilemma.agents": "AGENTS",
    "engine.games.dilemma.game": "DilemmaGame",
    "engine.games.dilemma.monitor": "AGENTS as_block monitor play_match",
    "engine.games.dilemma.rules": "BLOCK score_of",
    "engine.games.dilemma.strategies": "STRATEGIES",
    "engine.games.guest.observation": "observation shares",
    "engine.games.guest.policies": "POLICIES",
    "engine.games.guest.rules": "State Terms gini skew_energies start_state step",
    "engine.games.guest.session": "Frame Session advance_session begin moments play",
    "engine.games.talks.game_theory": "convergence payoff urgency weighted_sum",
    "engine.games.talks.metrics": "group_figures participant_figures quality_score",
    "engine.games.talks.termination": (
        "ConversationTerminator EndTerms check_convergence check_game_theory_consensus "
        "is_depth_explored min_aspects min_exchanges"
    ),
    "engine.history": "Event History Outcome history_from_json",
    "engine.round": "RoundContext RoundPlan",
    "engine.round_phases": "RoundView Vote phase_pitches phase_votes",
    "env_gym": "GuestEnv actions",
    "player": "Console HumanPlayer LLMPlayer Player PlayerConfig ScriptedPlayer Turn",
    "talks": "MultiAgentDiscussionOrchestrator",
}


@pytest.mark.parametrize("module", sorted(NAMES))
def test_names_are_there(module: str) -> None:
    found = import_module(module)
    missing = [name for name in NAMES[module].split() if not hasattr(found, name)]
    assert not missing
