"""Write docs/replay.html, the scripted game on the site's front page, before a site build.

uv run docs/make_replay.py
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from engine.engine import GameEngine, GameEngineConfig  # noqa: E402
from engine.games import GAMES  # noqa: E402
from engine.views.page import page_html  # noqa: E402
from engine.views.perspective import Shown  # noqa: E402
from player import PlayerConfig  # noqa: E402

REPLAY = ROOT / "docs" / "replay.html"
SEATS = {
    "Ada": "loyal",
    "Ben": "grudge",
    "Cleo": "bandwagon",
    "Dan": "contrarian",
    "Eva": "random",
}
SEED = 7


def main() -> None:
    """Play a game of deliberations, and write it as `logs.py --html` does."""
    seats = []
    for player_id, script in SEATS.items():
        seats.append(PlayerConfig(player_id=player_id, provider="scripted", model=script))
    history = GameEngine(GameEngineConfig(player_configs=seats, logs_dir=None, seed=SEED)).run()
    REPLAY.write_text(page_html(history, Shown(game=GAMES[history.game])), encoding="utf-8")
    print(f"{REPLAY}: {REPLAY.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
