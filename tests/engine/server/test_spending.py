"""What games of the hall may spend, each alone and all together."""

from pathlib import Path

import pytest

from tests.support.web.halls import config_of, end_of, models_asked, open_hall, until, watch


async def test_a_game_stops_at_its_budget_and_goes_on_with_more(tmp_path: Path) -> None:
    async with models_asked(), open_hall(tmp_path) as hall:
        name = await hall.begin(config_of("ollama:a,scripted:random", limits={"max_calls": 2}))
        end = end_of(await watch(hall, name))
        assert end["status"] == "stopped"
        assert "budget of 2 calls" in end["reason"]
        await until(lambda: not hall.games)
        await hall.resume(name, {"max_calls": 100})
        assert end_of(await watch(hall, name))["status"] == "finished"


async def test_all_games_together_stay_under_the_budget_of_the_server(tmp_path: Path) -> None:
    """A call of the fake server costs 100 + 20 tokens of gpt-4o-mini: 0.0000195 dollars or so."""
    async with models_asked() as api, open_hall(tmp_path, max_cost=0.0002) as hall:
        config = config_of("openai:gpt-4o-mini,scripted:random")
        names = [await hall.begin(config) for _ in range(6)]
        ends = [end_of(await watch(hall, name)) for name in names]
        assert "stopped" in {end["status"] for end in ends}
        calls = len(api.requests)
        assert hall.meter.calls == calls
        assert hall.meter.cost is not None
        # Each game may have one call under way when the budget is used up; all calls cost the same.
        under_way = len(names) * hall.meter.cost / calls
        assert 0.0002 <= hall.meter.cost < 0.0002 + under_way
        with pytest.raises(ValueError, match=r"the server's budget is used up .*--max-cost"):
            await hall.begin(config)
        await until(lambda: not hall.games)
        stopped = names[[end["status"] for end in ends].index("stopped")]
        with pytest.raises(ValueError, match="--max-cost"):
            await hall.resume(stopped)
        assert len(api.requests) == calls
        scripted = await hall.begin(config_of("scripted:greedy,scripted:random"))
        assert end_of(await watch(hall, scripted))["status"] == "finished"


async def test_what_was_spent_before_is_not_counted_twice(tmp_path: Path) -> None:
    async with models_asked(), open_hall(tmp_path) as hall:
        config = config_of("openai:gpt-4o-mini,scripted:random", limits={"max_calls": 2})
        name = await hall.begin(config)
        await watch(hall, name)
        await until(lambda: not hall.games)
        spent = hall.meter.cost
        await hall.resume(name, {"max_calls": 3})
        assert end_of(await watch(hall, name))["status"] == "stopped"
        assert hall.meter.calls == 3
        assert spent is not None
        assert hall.meter.cost == pytest.approx(1.5 * spent)


async def test_models_without_a_price_are_refused(tmp_path: Path) -> None:
    async with models_asked() as api, open_hall(tmp_path) as hall:
        with pytest.raises(ValueError, match=r"does not list compatible:m"):
            await hall.begin(config_of("compatible:m,scripted:random"))
        assert ([*tmp_path.glob("*.json*")], api.requests) == ([], [])
