"""Draw the project's floors (layers of modules) from its imports, for docs/architecture.md.

    uv run --group dev python docs/draw_architecture.py

The rule on imports and the floors are defined in tests/test_architecture.py, which also checks the
drawing against the code.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.test_architecture import FLOORS, GROUND, modules, own_imports_of, tree_of  # noqa: E402

PICTURE = ROOT / "docs" / "pictures" / "architecture.svg"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- drawn from the imports -->\n", "<!-- end of the drawing -->\n"

Rooms = Mapping[str, set[str]]
Box = tuple[float, int, float]  # left edge, top, width, in pixels
WIDTH, BAND, BOX, HEIGHT, LEFT = 1080, 84, 30, 20, 20
LETTER = 7.2


def folder_of(module: str) -> str:
    """Return the room of a module: its folder, or the module itself if it is its own room."""
    places = [place for floor in (*FLOORS, GROUND) for place in floor]
    inside = [place for place in places if module == place or module.startswith(f"{place}.")]
    return max(inside, key=len, default="")


def find_rooms() -> Rooms:
    """Return a mapping of each room to the rooms it imports."""
    rooms: dict[str, set[str]] = {}
    for module in modules():
        room = folder_of(module)
        if room:
            others = {folder_of(module_name) for module_name in own_imports_of(module)}
            rooms.setdefault(room, set()).update(others - {room, ""})
    return rooms


def floors_of(rooms: Rooms) -> list[list[str]]:
    """Return the rooms by floor, top first, omitting places without modules."""
    floors = [[place for place in floor if place in rooms] for floor in (*FLOORS, GROUND)]
    return [floor for floor in floors if floor]


def needed_arrows(rooms: Rooms) -> Iterator[tuple[str, str]]:
    """Yield the imports not implied by a longer path; together they show all dependencies."""
    for room, others in rooms.items():
        implied = set[str]().union(*(reach(rooms, between) for between in others))
        for between in sorted(others - implied):
            yield room, between


def reach(rooms: Rooms, start: str) -> set[str]:
    """Return every room that `start` imports, directly or through others."""
    files: set[str] = set()
    waiting = [*rooms[start]]
    while waiting:
        room = waiting.pop()
        if room not in files:
            files.add(room)
            waiting += rooms[room]
    return files


def draw_floors(rooms: Rooms) -> str:
    """Return the floors as SVG: a box per room, and an arrow per import not implied by others."""
    floors = floors_of(rooms)
    boxes = dict(place_boxes(floors))
    height = BAND * len(floors) + HEIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="monospace" font-size="12">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#567"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]
    lines += map(draw_floor, range(len(floors)))
    for room, target in needed_arrows(rooms):
        way = draw_way(boxes[room], boxes[target])
        lines.append(f'<path d="{way}" stroke="#567" fill="none" marker-end="url(#tip)"/>')
    for room, box in boxes.items():
        lines += draw_box(room, box)
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def draw_floor(number: int) -> str:
    """Return the background stripe of floor `number`, 0 at the top; every other one is darker."""
    top = number * BAND
    shade = "#f2f5f8" if number % 2 else "#fafbfc"
    return f'<rect y="{top}" width="{WIDTH}" height="{BAND}" fill="{shade}"/>'


def draw_box(room: str, box: Box) -> list[str]:
    """Return a room's frame and its name."""
    x, y, wide = box
    return [
        f'<rect x="{x:.0f}" y="{y}" width="{wide:.0f}" height="{BOX}" rx="4" '
        'fill="#fff" stroke="#234"/>',
        f'<text x="{x + 10:.0f}" y="{y + 19}">{escape(short_name(room))}</text>',
    ]


def draw_way(one: Box, other: Box) -> str:
    """Return the curve of an arrow between boxes: downwards, or an arc on the same floor."""
    x, y, wide = one
    x2, y2, wide2 = other
    begin_x = f"{x + wide / 2:.0f}"
    end_x = f"{x2 + wide2 / 2:.0f}"
    bottom = y + BOX
    end_y = bottom if y == y2 else y2
    bend = f"{bottom + 24}" if y == y2 else f"{(bottom + y2) / 2:.0f}"
    return f"M{begin_x} {bottom}C{begin_x} {bend} {end_x} {bend} {end_x} {end_y}"


def place_boxes(floors: list[list[str]]) -> Iterator[tuple[str, Box]]:
    """Yield each room with its box; lone rooms are offset so that no arrow crosses them."""
    for number, floor in enumerate(floors):
        widths = [len(short_name(room)) * LETTER + HEIGHT for room in floor]
        free = WIDTH - 2 * LEFT - sum(widths)
        gap = free / (len(floor) + 1)
        x = LEFT + gap
        if len(floor) == 1:
            x += number * 170 % 500 - 250
        y = number * BAND + (BAND - BOX) // 2

        for room, wide in zip(floor, widths, strict=True):
            yield room, (x, y, wide)
            x += wide + gap


def short_name(room: str) -> str:
    """Return a room's name as drawn, without the prefix `engine.`."""
    return room.removeprefix("engine.")


def draw_table(rooms: Rooms) -> str:
    """Return the floors as a Markdown table: each room with all the rooms it imports."""
    rows = [
        "| floor | room | what it is | imports |",
        "|---|---|---|---|",
    ]
    for number, floor in enumerate(floors_of(rooms), 1):
        for room in floor:
            name = short_name(room)
            text = ast.get_docstring(tree_of(room)) or ""
            about = text.partition("\n")[0].replace("|", "\\|")
            others = [f"`{short_name(target)}`" for target in sorted(rooms[room])]
            imports = ", ".join(others) or "nothing"
            rows.append(f"| {number} | `{name}` | {about} | {imports} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    """Write the picture, and insert the table into the page."""
    rooms = find_rooms()
    PICTURE.write_text(draw_floors(rooms), encoding="utf-8")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}{draw_table(rooms)}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
