"""What people import keeps its place, and its earlier name where it has a better one now."""

from importlib import import_module

import pytest

NAMES = {
    "client_factory": "ClientConfig ClientFactory",
    "engine.engine": "GameEngine GameEngineConfig",
    "engine.game": "Game",
    "engine.games.conversation.playout": "Fault play_out",
    "engine.games.conversation.record": "Conversation Item",
    "engine.games.conversation.rules": "subject_names",
    "engine.games.conversation.scoring": "score",
    "engine.games.conversation.state": "Observation State advance fault_of settle start_state",
    "engine.games.conversation.strategies": "STRATEGIES gains",
    "engine.games.dilemma.agents": "AGENTS",
    "engine.games.dilemma.game": "DilemmaGame",
    "engine.games.dilemma.monitor": "AGENTS Game Round as_block monitor play_match",
    "engine.games.dilemma.rules": "BLOCK score_of",
    "engine.games.dilemma.strategies": "STRATEGIES",
    "engine.games.guest.observation": "observation shares",
    "engine.games.guest.policies": "POLICIES",
    "engine.games.guest.rules": "State Terms gini skewed start_state step",
    "engine.games.guest.session": "Frame Session after begin moments play",
    "engine.games.talks.game_theory": "convergence payoff urgency weighed",
    "engine.games.talks.metrics": "figures_of gini quality_score shared_figures",
    "engine.games.talks.termination": (
        "ConversationTerminator Terms above check_convergence check_game_theory_consensus "
        "is_depth_explored min_aspects min_exchanges"
    ),
    "engine.history": "Event History Outcome history_from_json",
    "engine.round": "RoundContext RoundPlan",
    "engine.round_phases": "Observation Vote phase_pitches phase_votes",
    "env_gym": "GuestEnv actions",
    "player": "Console HumanPlayer LLMPlayer Player PlayerConfig ScriptedPlayer Turn",
    "talks": "MultiAgentDiscussionOrchestrator",
}


@pytest.mark.parametrize("module", sorted(NAMES))
def test_names_are_there(module: str) -> None:
    found = import_module(module)
    missing = [name for name in NAMES[module].split() if not hasattr(found, name)]
    assert not missing
