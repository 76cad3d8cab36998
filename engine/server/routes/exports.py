"""Export a game as pictures, a page, PDF, CSV or Typst, and check that it followed the rules."""

import asyncio
from collections.abc import Mapping

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from engine.exchange.voting.checks import check_any_log
from engine.games import GAMES
from engine.history import History
from engine.report.charts import Chart
from engine.server.web.desk import Asking, AtDesk, Desk, GameName
from engine.server.web.refusal import Refusal
from engine.server.web.rights import AsView, allowed_view
from engine.spending.validity import void_words
from engine.views.exports import EXPORTS, Exporter
from engine.views.perspective import EVERYTHING, Shown
from protocol.suggest import did_you_mean

router = APIRouter()
MOST_BYTES = 100 << 20
# The maximum number of events and answers in a game that is checked.
MOST_STEPS = 100_000


async def small_history(name: str, desk: Desk) -> History:
    """Return the history of a game to export; raise Refusal if its log exceeds MOST_BYTES."""
    try:
        size = (await asyncio.to_thread(desk.hall.index.row, name)).size
    except KeyError:
        size = 0
    if size > MOST_BYTES:
        raise Refusal(
            413,
            f"the log of {name} has {size >> 20} MB, more than the {MOST_BYTES >> 20} that can be "
            f"converted: download it from /api/games/{name}/log",
        )
    return await desk.history(name)


def charts_in(history: History) -> Mapping[str, Chart]:
    """Return the game's pictures, or {} if the game is not installed or cannot read its log."""
    return Shown(game=GAMES.get(history.game)).charts_of(history)


def chart_svg(chart: Chart) -> bytes:
    """Return a picture as SVG."""
    # The drawing library is slow to import.
    from engine.views.plots import svg_text

    return svg_text(chart).encode()


@router.get("/games/{name}/charts/{stem}.svg", summary="One of the game's pictures")
async def draw_chart(name: GameName, stem: str, caller: Asking, desk: AtDesk) -> Response:
    """Return a picture as SVG; only callers with the omniscient view may see it."""
    history = await small_history(name, desk)
    allowed_view(caller, name, history, EVERYTHING)
    async with desk.exports:
        charts = await asyncio.to_thread(charts_in, history)
        if stem not in charts:
            near = did_you_mean(stem, charts)
            raise Refusal(404, f"there is no picture {stem!r:.60} of {name}:{near} see /api/games")
        drawn = await asyncio.to_thread(chart_svg, charts[stem])
    return Response(drawn, media_type="image/svg+xml")


def add_exporter(exporter: Exporter) -> None:
    """Add the export route for one kind of file."""
    file = exporter.file

    @router.get(f"/games/{{name}}/{file}", summary=f"The game as {file}", name=file)
    async def export_game(
        name: GameName,
        caller: Asking,
        desk: AtDesk,
        *,
        view: AsView = None,
        include_prompts: bool = False,
        include_reasoning: bool = False,
    ) -> Response:
        """Return the game, or one view of it, as a file to download."""
        history = await small_history(name, desk)
        seen = allowed_view(caller, name, history, view)
        shown = Shown(seen, include_prompts, include_reasoning, GAMES.get(history.game))
        return Response(
            await _content_of(exporter, history, shown, desk),
            headers={"content-disposition": f'attachment; filename="{name}{exporter.suffix}"'},
            media_type=exporter.media_type,
        )


async def _content_of(
    exporter: Exporter, history: History, shown: Shown, desk: Desk
) -> str | bytes:
    async with desk.exports:
        try:
            return await asyncio.to_thread(exporter.content, history, shown)
        except RuntimeError as error:
            sentence = desk.without_paths(str(error))
            raise Refusal(
                422, f"{exporter.file} cannot be made from this game: {sentence}"
            ) from None


for one in EXPORTS.values():
    # Exporters without a file name create folders.
    if one.file:
        add_exporter(one)


@router.get("/games/{name}/check", summary="Whether the game kept its rules")
async def check_game(name: GameName, caller: Asking, desk: AtDesk) -> JSONResponse:
    """Replay the recorded answers under the rules, and return the first difference from the log.

    A game that followed its rules can still be void.
    """
    history = await small_history(name, desk)
    allowed_view(caller, name, history, EVERYTHING)
    with desk.refuse_errors():
        async with desk.exports:
            difference = await asyncio.to_thread(check_any_log, history, MOST_STEPS)
    return JSONResponse(
        {"fair": not difference, "void": void_words(history), "difference": difference}
    )
