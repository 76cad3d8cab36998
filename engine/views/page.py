"""A game as one HTML file that opens offline and contains the page's joined modules and the log.

It makes no requests and contains nothing that its view must not show. It is built from the files in
`page/`, as on the server, but starts at `offline.js` instead of `main.js`.
"""

import base64
import gzip
import html
import json
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from engine import own_folder
from engine.history import Event, History
from engine.history.log import UNSEEN, adapter
from engine.record.files import read_text
from engine.report.charts import Chart
from engine.spending.costs import Costs, costs
from engine.spending.validity import void_seats_words, void_words
from engine.views.blocks import FramedText, Walk
from engine.views.naming import who_line
from engine.views.perspective import EVERYTHING, WHOLE, Shown, events_of
from protocol.answer import Plain

PAGE = own_folder("page")
ENTRY = "offline.js"
IMPORT = re.compile(r'import \{ [^}]+ \} from "([^"]+)";')
# Match a module that is loaded on first use, and a name that a module exports.
LATER = re.compile(r'import\("([^"]+)"\)')
EXPORT = re.compile(r"^export (?:async )?(?:function|const) (\w+)", re.MULTILINE)
BOARDS = "boards.js"
MARKUP = re.compile(f"[<>&\ud800-\udfff]|{UNSEEN.pattern}")
TAG = re.compile("<[^>]+>")
# Spaces after a colon and around separators, outside quoted strings.
SPACES = re.compile(r"""("[^"]*")|;?\s*([}])\s*|\s*([{;,])\s*|(:)\s+""")
DECIMALS = re.compile(r"(\d\.\d\d)\d+")
END_TAG = "</body>"
# A picture of 1200 by 630 pixels, with HTML inside because SVG text does not wrap.
CARD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630"><rect width="1200" \
height="630" fill="#faf9f6"/><foreignObject x="80" y="70" width="1040" height="490"><div \
xmlns="http://www.w3.org/1999/xhtml" style="font:34px/1.4 sans-serif;color:#1d1b18"><p \
style="font:600 68px/1.15 Georgia,serif;margin:0 0 36px">{title}</p><p style="color:#047944;\
margin:0 0 20px">{result}</p><p style="color:#6a655f;margin:0">{who}</p></div></foreignObject>\
</svg>"""
CHARSET_TAG = '<meta charset="utf-8">'
POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; "
    "img-src data:; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
POLICY_TAG = '<meta http-equiv="Content-Security-Policy" content="{policy}">'
FactsOf = Callable[[Event], Mapping[str, Any]]


def page_html(history: History, shown: Shown = WHOLE) -> str:
    """Return the game as an HTML file; raise ValueError if the view's player is unknown."""
    data = inert_json(_data_in(history, shown))
    script = joined_modules(ENTRY, history.game)
    style = packed_style(read_page("arena.css"))
    policy = POLICY.format(script=policy_hash(script), style=policy_hash(style))
    inside = {
        CHARSET_TAG: f"{CHARSET_TAG}\n{POLICY_TAG.format(policy=policy)}",
        '<link rel="stylesheet" href="arena.css">': f"<style>{style}</style>",
        '<script type="module" src="main.js"></script>': f'<script type="module">{script}</script>',
        END_TAG: f'<script type="application/json" id="data">{data}</script>\n{END_TAG}',
        "<title>Arena</title>": share_tags(shown, shown.part_of(history)),
    }
    page = read_page("index.html")
    for tag, text in inside.items():
        page = page.replace(tag, text, 1)
    return page


def share_tags(shown: Shown, seen: History) -> str:
    """Return the tags for the page's title, and for its preview on other sites."""
    lines = (shown.title_of(seen), shown.result_of(seen), who_line(seen.players))
    title, result, who = map(html.escape, lines)
    drawing = CARD.format(title=title, result=result, who=who)
    picture = base64.b64encode(drawing.encode()).decode()
    tags = {
        "type": "article",
        "site_name": "arena",
        "title": title,
        "description": ". ".join(filter(None, (result, who))),
        "image": f"data:image/svg+xml;base64,{picture}",
    }
    metas = [f'<meta property="og:{name}" content="{text}">' for name, text in tags.items()]
    return "\n".join([f"<title>{title}</title>", *metas])


def _costs_in(history: History, view: str) -> Costs:
    """Return the costs of all seats, or only of the view's player."""
    spent = costs(history).items()
    return {player_id: cost for player_id, cost in spent if view in (EVERYTHING, player_id)}


def _data_in(history: History, shown: Shown) -> Plain:
    """Return the page's data about a game."""
    view = shown.view
    seen = shown.part_of(history)
    about = {
        "title": shown.title_of(seen),
        "result": shown.result_of(seen),
        "who": who_line(seen.players),
        "void_seats": void_seats_words(history),
        "costs": _costs_in(history, view),
        "turns": [turn._asdict() for turn in shown.turns_of(history)],
    }
    return {
        "about": about,
        "log": log_in(seen, void_words(history), shown),
        "view": view,
        "facts": facts_in(history, view, shown.game.facts_of) if shown.game else {},
        "prompts": prompts_in(history, view) if shown.prompts else {},
        "charts": [*map(_packed, shown.charts_of(history).values())],
    }


def read_page(name: str) -> str:
    """Return the text of one of the page's files."""
    return read_text(PAGE / name)


def log_in(seen: History, void: str, shown: Shown) -> Plain:
    """Return a view's part of a log as plain data, without prompts; only "*" shows attempts."""
    players = [replace(seat, system="") for seat in seen.players]
    rounds = []
    for log in seen.rounds:
        events = [_without_prompt(event, shown) for event in log.events]
        rounds.append(replace(log, events=events))
    file = replace(seen, players=players, rounds=rounds, void=void, checksum="")
    plain: Plain = adapter().dump_python(file, mode="json")
    return plain


def facts_in(history: History, view: str, facts_of: FactsOf) -> dict[int, Mapping[str, Any]]:
    """Return the facts in the texts of visible events, by number; omit events without facts."""
    facts = {}
    events = events_of(history, view)
    for place, event in enumerate(events.logged):
        event_facts = facts_of(event)
        if event_facts:
            facts[events.number(place)] = event_facts
    return facts


def prompts_in(history: History, view: str) -> dict[int, dict[str, str]]:
    """Return the prompts by event number, as `Walk` shows them, or {} for a view other than "*"."""
    if view != EVERYTHING:
        return {}
    prompts = {}
    walk = Walk(history, Shown(prompts=True))
    for log in history.rounds:
        for event in log.events:
            for block in walk.step(event, log):
                if isinstance(block, FramedText):
                    prompts[event.index] = {"what": block.what, "text": block.text}
    return prompts


def joined_modules(entry: str, game: str) -> str:
    """Return one script with the page module `entry`, its imports and the board of `game`."""
    parts: dict[str, str] = {}
    _join(entry, game, parts)
    return "".join(parts.values())


def _join(name: str, game: str, parts: dict[str, str]) -> None:
    if name in parts:
        return
    text = read_page(name)
    if name == BOARDS:
        text = _own_board(text, game)
    code = IMPORT.sub("", text)
    for match in IMPORT.finditer(text):
        _join(_beside(name, match[1]), game, parts)
    for match in LATER.finditer(text):
        imported = _beside(name, match[1])
        _join(imported, game, parts)
        # An object with all of a module's exports, as `import()` returns it.
        names = ", ".join(EXPORT.findall(read_page(imported)))
        code = code.replace(match[0], f"({{ {names} }})")
    parts[name] = without_comments(code.replace("\nexport ", "\n"))


def _beside(name: str, other: str) -> str:
    """Return the name of the page file that the file `name` refers to as `other`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), other))


def _own_board(text: str, game: str) -> str:
    """Return the script `text` without the lines that load other games' boards."""
    kept = []
    for line in text.splitlines(keepends=True):
        if LATER.search(line) is None or line.lstrip().startswith(f"{game}:"):
            kept.append(line)
    return "".join(kept)


def without_comments(text: str) -> str:
    """Return a script or style sheet without indentation, empty lines and whole-line comments."""
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


def packed_style(text: str) -> str:
    r"""Return a style sheet on one line, without unnecessary spaces.

    >>> packed_style('a :hover,\nb {\n  content: "; }";\n}\n')
    'a :hover,b{content:"; }"}'
    """
    return SPACES.sub(r"\1\2\3\4", without_comments(text))


def inert_json(data: Any) -> str:
    """Return data as compact JSON, in which markup and invisible characters are escaped."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return MARKUP.sub(_json_code, text)


def _json_code(found: re.Match[str]) -> str:
    character = found[0]
    if character.isascii():
        return f"\\u{ord(character):04x}"
    return json.dumps(character)[1:-1]


def policy_hash(text: str) -> str:
    """Return the hash of a script or style, as written in a content security policy."""
    return base64.b64encode(sha256(text.encode()).digest()).decode()


def _without_prompt(event: Event, shown: Shown) -> Event:
    attempts = event.attempts if shown.view == EVERYTHING else ()
    bare = replace(event, prompt=None, attempts=attempts)
    if shown.reasoning:
        return bare
    silent = tuple(replace(attempt, reasoning="") for attempt in attempts)
    return replace(bare, reasoning="", attempts=silent)


def _packed(chart: Chart) -> dict[str, str]:
    """Return a chart's title and its gzipped, base64-encoded SVG."""
    # Imported here, because a page without charts does not need matplotlib.
    from engine.views.plots import svg_text

    drawing = svg_text(chart, as_text=True)
    begun = drawing[drawing.index("<svg") :]
    seen = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", begun, flags=re.DOTALL)

    drawing = TAG.sub(lambda tag: DECIMALS.sub(r"\1", tag[0]), seen)
    packed = gzip.compress(drawing.encode(), mtime=0)
    return {"title": chart.title, "svg": base64.b64encode(packed).decode()}
