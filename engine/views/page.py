"""A game as one HTML file that opens offline: the page's own modules, joined, and the log inside.

It makes no request, and holds nothing that its view may not see. The files in `page/` are those
that the server hands out; the file begins at `offline.js` where the server's page does at
`main.js`.
"""

import base64
import gzip
import json
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.history import UNSEEN, Event, History, adapter
from engine.report.charts import Chart
from engine.spending.costs import costs
from engine.spending.validity import void_words
from engine.views.blocks import FramedText, Walk
from engine.views.perspective import EVERYTHING, PUBLIC, WHOLE, Shown, history_in

PAGE = Path(__file__).parents[2] / "page"
ENTRY = "offline.js"
IMPORT = re.compile(r'import \{ [^}]+ \} from "([^"]+)";')
# A module that is read when it is first used, and the names that it exports.
LATER = re.compile(r'import\("([^"]+)"\)')
EXPORT = re.compile(r"^export (?:async )?(?:function|const) (\w+)", re.MULTILINE)
BOARDS = "boards.js"
MARKUP = re.compile(f"[<>&\ud800-\udfff]|{UNSEEN.pattern}")
TAG = re.compile("<[^>]+>")
DECIMALS = re.compile(r"(\d\.\d\d)\d+")
STYLE_TAG = '<link rel="stylesheet" href="arena.css">'
SCRIPT_TAG = '<script type="module" src="main.js"></script>'
END_TAG = "</body>"
CHARSET_TAG = '<meta charset="utf-8">'
POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; "
    "img-src data:; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
Told = Callable[[Event], Mapping[str, Any]]


def page_html(history: History, shown: Shown = WHOLE) -> str:
    """Return the game as a file that anybody can open.

    ValueError if the view is of an unknown player.
    """
    view = shown.view
    by_player = costs(history)
    charts = shown.charts_of(history)
    data: dict[str, Any] = {
        "log": log_in(history, view, include_reasoning=shown.reasoning),
        "view": view,
        "told": facts_in(history, view, shown.game.told) if shown.game else {},
        "prompts": prompts_in(history, view) if shown.prompts else {},
        "costs": _own(by_player, view),
        "charts": [*map(_packed, charts.values())],
    }
    text = inert_json(data)
    return whole_page(text, history.game)


def whole_page(data: str, game: str) -> str:
    """Return the page with its style, its script and the data, inert JSON, inside."""
    script = joined_modules(ENTRY, game)
    sheet = read_page("arena.css")
    style = without_comments(sheet)
    script_hash = policy_hash(script)
    style_hash = policy_hash(style)
    policy = POLICY.format(script=script_hash, style=style_hash)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    inside = {
        CHARSET_TAG: f"{CHARSET_TAG}\n{meta}",
        STYLE_TAG: f"<style>{style}</style>",
        SCRIPT_TAG: f'<script type="module">{script}</script>',
        END_TAG: f'<script type="application/json" id="data">{data}</script>\n{END_TAG}',
    }
    page = read_page("index.html")
    for tag, text in inside.items():
        page = page.replace(tag, text, 1)
    return page


def read_page(name: str) -> str:
    """Return a file of the page."""
    path = PAGE / name
    return path.read_text(encoding="utf-8")


def log_in(history: History, view: str, *, include_reasoning: bool) -> dict[str, Any]:
    """Return the log as plain data, with what `view` may see alone.

    A prompt is no part of it: `prompts_in` has those.
    """
    seen = history_in(history, view)
    players = []
    for seat in seen.players:
        shown = replace(seat, system="")
        players.append(shown)
    rounds = []
    for log in seen.rounds:
        events = []
        for event in log.events:
            bare = _without_prompt(event, include_reasoning)
            events.append(bare)
        rounds.append(replace(log, events=events))
    file = replace(
        seen,
        players=players,
        rounds=rounds,
        void=void_words(history),
        checksum="",
    )
    plain: dict[str, Any] = adapter().dump_python(file, mode="json")
    return plain


def facts_in(history: History, view: str, told: Told) -> dict[int, Mapping[str, Any]]:
    """Return what each event's text tells as plain data, by index, for those that tell any."""
    seen = history_in(history, view)
    indices = {event.index for event in seen.events}
    facts = {}
    for event in history.events:
        found = told(event)
        if found and event.index in indices:
            facts[event.index] = found
    return facts


def prompts_in(history: History, view: str) -> dict[int, dict[str, str]]:
    """Return the exact prompts by the index of their event: the first of a player whole.

    Of a later one only what is new in it, so that the file grows with the game.
    """
    if view == PUBLIC:
        return {}
    walk = Walk(history, Shown(view, prompts=True))
    prompts = {}
    for log in history.rounds:
        for event in log.events:
            for block in walk.step(event, log):
                if not isinstance(block, FramedText):
                    continue
                prompts[event.index] = {"what": block.what, "text": block.text}
    return prompts


def joined_modules(entry: str, game: str) -> str:
    """Return the module `entry` of the page and all that it imports as one script.

    What a module imports stands before it. Every import is one line, and no two modules of the page
    have a name in common. Of the boards only that of `game` is in it.
    """
    parts: dict[str, str] = {}
    _join(entry, game, parts)
    return "".join(parts.values())


def _join(name: str, game: str, parts: dict[str, str]) -> None:
    if name in parts:
        return
    text = read_page(name)
    if name == BOARDS:
        text = _own_board(text, game)
    own = IMPORT.sub("", text)
    for found in IMPORT.finditer(text):
        other = _beside(name, found[1])
        _join(other, game, parts)
    for found in LATER.finditer(text):
        other = _beside(name, found[1])
        _join(other, game, parts)
        own = own.replace(found[0], _exports(other))

    own = own.replace("\nexport ", "\n")
    parts[name] = without_comments(own)


def _beside(name: str, other: str) -> str:
    """Return the name of a file of the page by what another one calls it."""
    folder = posixpath.dirname(name)
    path = posixpath.join(folder, other)
    return posixpath.normpath(path)


def _exports(name: str) -> str:
    """Return an object of all that a module exports, as `import()` gives it."""
    text = read_page(name)
    names = EXPORT.findall(text)
    listed = ", ".join(names)
    return f"({{ {listed} }})"


def _own_board(text: str, game: str) -> str:
    """Return the table of boards without the lines of other games."""
    kept = []
    for line in text.splitlines(keepends=True):
        found = LATER.search(line)
        own = f"./boards/{game}.js"
        if found is None or found[1] == own:
            kept.append(line)
    return "".join(kept)


def without_comments(text: str) -> str:
    """Return a script or a style sheet without indents, empty lines and comments of whole lines."""
    kept = []
    in_comment = False
    for line in text.splitlines():
        bare = line.strip()
        in_comment = in_comment or bare.startswith("/*")
        if bare and not in_comment and not bare.startswith("//"):
            kept.append(bare)
        if bare.endswith("*/"):
            in_comment = False
    return "\n".join(kept) + "\n"


def inert_json(data: Any) -> str:
    """Return data as compact JSON in which nothing is markup, and nothing unseen."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return MARKUP.sub(_json_code, text)


def _json_code(found: re.Match[str]) -> str:
    character = found[0]
    if character.isascii():
        return f"\\u{ord(character):04x}"
    return json.dumps(character)[1:-1]


def policy_hash(text: str) -> str:
    """Return the hash of a script or a style as a policy names it."""
    content = text.encode()
    digest = sha256(content).digest()
    return base64.b64encode(digest).decode()


def _without_prompt(event: Event, include_reasoning: bool) -> Event:
    bare = replace(event, prompt=None)
    if include_reasoning:
        return bare
    attempts = []
    for attempt in event.attempts:
        silent = replace(attempt, reasoning="")
        attempts.append(silent)
    return replace(bare, reasoning="", attempts=tuple(attempts))


def _own(by_player: Mapping[str, Any], view: str) -> dict[str, Any]:
    """Return what a view may know of figures by player: all, its own, or none."""
    if view == EVERYTHING:
        return dict(by_player)
    if view not in by_player:
        return {}
    return {view: by_player[view]}


def _packed(chart: Chart) -> dict[str, str]:
    """Return a chart's title, and its SVG as the base64 text of a gzip."""
    # A file without pictures is written sooner without matplotlib.
    from engine.views.plots import svg_text

    text = svg_text(chart, as_text=True)
    drawing = slim(text)
    packed = gzip.compress(drawing.encode(), mtime=0)
    letters = base64.b64encode(packed)
    return {"title": chart.title, "svg": letters.decode()}


def slim(drawing: str) -> str:
    """Return an SVG without what nobody sees: its prologue, facts about itself, and decimals."""
    begin = drawing.index("<svg")
    begun = drawing[begin:]
    seen = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", begun, flags=re.DOTALL)
    return TAG.sub(lambda tag: DECIMALS.sub(r"\1", tag[0]), seen)
