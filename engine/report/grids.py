"""A board game's grid and its legal moves, read from text that the player sees anyway."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

# Rows of cells. A cell has a `text` (" " if empty), a `name`, and lists of the legal moves that end
# there (`moves`) and begin there (`begin`), if any. An empty row separates two boards.
Grid = list[list[dict[str, Any]]]
FILES = "abcdefghijklmnopqrstuvwxyz"
SQUARE = r"[A-Za-z]\d+"
# In a game with two boards, the second begins after these words.
SECOND = re.compile("shot.outcomes")
# The separator between two cells.
GAP = re.compile(r"(?<=\S)[ |]+")
# A move that belongs to the first of two boards contains this word.
FIRST = "place"


class Shape(NamedTuple):
    """How a game writes its board.

    `line` matches a row, with a group for each board. `name` is how moves name a cell, and `named`
    finds such names in a move. `signs` pairs each sign with the text shown for it. `files` are the
    letters of the columns.
    """

    line: str
    name: str
    named: str = SQUARE
    signs: str = ". + ~ "
    files: str = FILES


# The shapes by the game's name in OpenSpiel.
SHAPES = {
    "battleship": Shape(r"\|(.+)\|", "({row}, {column})", r"\(\d+, \d+\)"),
    "breakthrough": Shape(r"\d([.bw]+)", "{file}{up}"),
    "checkers": Shape(r"\d([.+ox8*]+)", "{file}{up}", signs=". + 8O*X"),
    "chess": Shape(r"([.a-zA-Z]{8})", "{file}{up}", signs=". K♔Q♕R♖B♗N♘P♙k♚q♛r♜b♝n♞p♟"),
    "connect_four": Shape(r"([.xo]+)", "{column}", r"\d+"),
    "go": Shape(r" *\d+ ([+XO]+)", "{file}{up}", files=FILES.replace("i", "")),
    "hex": Shape(r" *((?:[.xoXOyzpq] )+)", "{file}{down}", signs=". XxyxzxOopoqo"),
    "tic_tac_toe": Shape(r"([.xo]+)", "({row},{column})", r"\(\d+,\d+\)"),
}
MOVE = r"\[[^\[\]]+\]"
# The shapes by the words above a board in TextArena, whose moves are texts that players type.
TEXT_SHAPES = {
    "Current Board:": Shape(r" (\w \| \w \| \w) ", "[{cell}]", MOVE, signs="0 1 2 3 4 5 6 7 8 "),
    "Board state:": Shape(r"((?:[.XO] )+[.XO])", "[col {column}]", MOVE),
    "Your Hits on Opponent": Shape(
        r"[A-Z] {3}((?:\S {2})+) +[A-Z] {3}((?:\S {2})*\S) *", "[{FILE}{column}]", MOVE
    ),
    "Game Board:": Shape(r"\d+\|([.BW|]+)", "[{row}, {column}]", MOVE),
}
LISTED = re.compile("(?:Available Moves|Valid moves): (.*)")


def read_grid(game: str, shown: str, moves: Mapping[str, str]) -> Grid:
    """Return the grid in OpenSpiel's text; `moves` maps legal moves to texts that name cells."""
    if game == "battleship":
        shown = shown.replace(" ", ".")
    if game == "chess":
        board = shown.partition(" ")[0].replace("/", "\n")
        shown = re.sub(r"\d", lambda match: "." * int(match[0]), board)
    return [*_cells(SHAPES[game], shown, moves)]


def grid_in_text(shown: str) -> Grid:
    """Return the grid in a TextArena text, if any; empty cells are legal if no moves are listed."""
    for head, shape in TEXT_SHAPES.items():
        if head in shown:
            listed = LISTED.search(shown)
            moves = re.findall(MOVE, listed[1]) if listed else _names_of_empty(shape, shown)
            return [*_cells(shape, shown, dict(zip(moves, moves, strict=True)))]
    return []


def grid_lines(grid: Grid) -> tuple[str, ...]:
    """Return a grid's rows with one character for each cell."""
    return tuple("".join(cell["text"] for cell in row) for row in grid)


def _names_of_empty(shape: Shape, shown: str) -> list[str]:
    *_, board = _boards(shape, shown)
    cells = [cell for row in _named(shape, board) for cell in row]
    return [*dict.fromkeys(cell["name"] for cell in cells if cell["text"] == " ")]


def _cells(shape: Shape, shown: str, moves: Mapping[str, str]) -> Iterator[list[dict[str, Any]]]:
    """Yield all boards' rows, with an empty row between boards; only one board has moves."""
    boards = _boards(shape, shown)
    named = {words: re.findall(shape.named, text) for words, text in moves.items()}
    placing = any(FIRST in words for words in moves)
    for place, board in enumerate(boards):
        if place:
            yield []
        open_moves = named if len(boards) == 1 or placing == (place == 0) else {}
        for row in _named(shape, board):
            if open_moves:
                for cell in row:
                    _add_moves(cell, open_moves)
            yield row


def _add_moves(cell: dict[str, Any], named: Mapping[str, Sequence[str]]) -> None:
    name = cell["name"]
    ends = [words for words, cells in named.items() if cells[-1:] == [name]]
    begins = [words for words, cells in named.items() if len(cells) > 1 and cells[0] == name]
    cell |= {key: mark for key, mark in (("moves", ends), ("begin", begins)) if mark}


def _boards(shape: Shape, shown: str) -> list[list[str]]:
    """Return the rows of each board, as strings with one sign for each cell."""
    boards: tuple[list[str], list[str]] = ([], [])
    behind = 0
    for line in shown.splitlines():
        behind = behind or int(bool(SECOND.search(line)))
        match = re.fullmatch(shape.line, line)
        for number, row in enumerate(match.groups() if match else ()):
            boards[behind + number].append(GAP.sub("", row))
    return [board for board in boards if board]


def _named(shape: Shape, board: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    """Yield a board's rows; each cell has its text and the name that moves use for it."""
    looks = dict(zip(shape.signs[::2], shape.signs[1::2], strict=True))
    for row, signs in enumerate(board):
        names = _cell_names(shape, row, len(signs), len(board))
        cells = zip(signs, names, strict=True)
        yield [{"text": looks.get(sign, sign), "name": name} for sign, name in cells]


@lru_cache(maxsize=1024)
def _cell_names(shape: Shape, row: int, columns: int, rows: int) -> tuple[str, ...]:
    return tuple(
        shape.name.format(
            row=row,
            column=column,
            cell=row * columns + column,
            file=shape.files[column % len(shape.files)],
            FILE=FILES[row % len(FILES)].upper(),
            up=rows - row,
            down=row + 1,
        )
        for column in range(columns)
    )
