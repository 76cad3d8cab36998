"""Grids are read from the text of a board, and their moves are the legal ones."""

from engine.report.grids import Grid, grid_in_text, grid_lines, read_grid

BATTLESHIP = """Player 0's View
      Your Ships          Your Hits on Opponent
    0  1  2          0  1  2
A   D  D  D      A   ~  O  ~
B   ~  X  B      B   ~  ~  X
"""


def moves_in(grid: Grid, key: str = "moves") -> dict[str, list[str]]:
    return {cell["name"]: cell[key] for row in grid for cell in row if key in cell}


def test_a_cell_has_the_move_that_names_it() -> None:
    grid = read_grid("tic_tac_toe", "xo.\n.x.\n..o", {"x(0,2)": "x(0,2)", "x(2,0)": "x(2,0)"})
    assert grid_lines(grid) == ("xo ", " x ", "  o")
    assert moves_in(grid) == {"(0,2)": ["x(0,2)"], "(2,0)": ["x(2,0)"]}


def test_a_column_of_connect_four_is_played_in_any_of_its_cells() -> None:
    grid = read_grid("connect_four", "..\n.x", {"o0": "o0", "o1": "o1"})
    assert [[cell["moves"] for cell in row] for row in grid] == [[["o0"], ["o1"]]] * 2


def test_a_move_of_chess_begins_at_one_square_and_ends_at_another() -> None:
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    grid = read_grid("chess", start, {"Nf3": "g1f3", "Nh3": "g1h3", "e4": "e2e4"})
    assert grid_lines(grid)[:3] == ("♜♞♝♛♚♝♞♜", "♟" * 8, " " * 8)
    assert moves_in(grid, "begin") == {"g1": ["Nf3", "Nh3"], "e2": ["e4"]}
    assert moves_in(grid) == {"e4": ["e4"], "f3": ["Nf3"], "h3": ["Nh3"]}


def test_files_of_go_have_no_i_and_a_pass_has_no_cell() -> None:
    rows = "\n".join(f" {row} {'+' * 9}" for row in range(9, 0, -1))
    grid = read_grid(
        "go", f"GoState(to_play=B)\n\n{rows}\n   ABCDEFGHJ", {"B j9": "B j9", "B PASS": "B PASS"}
    )
    assert len(grid) == len(grid[0]) == 9
    assert moves_in(grid) == {"j9": ["B j9"]}


def test_checkers_has_kings_and_hex_has_edges() -> None:
    assert grid_lines(read_grid("checkers", "2.+8+\n1o.*.\n abcd", {})) == ("  O ", "o X ")
    assert grid_lines(read_grid("hex", ". y p \n x O . \n  . . z ", {})) == (" xo", "xo ", "  x")


def test_a_shot_is_a_cell_of_the_second_board() -> None:
    ships = "State of player's ships:\n+--+\n|aA|\n|  |\n+--+\n\n"
    shown = f"{ships}Player's shot outcomes:\n+--+\n| #|\n|@ |\n+--+"
    shot = {"Pl0: shoot at (1, 1)": "Pl0: shoot at (1, 1)"}
    grid = read_grid("battleship", shown, shot)
    assert grid_lines(grid) == ("aA", "  ", "", " #", "@ ")
    assert [cell.get("moves") for cell in grid[4]] == [None, [*shot]]
    ship = "Pl0: place ship vertically with top-left corner in (1, 1)"
    assert [cell.get("moves") for cell in read_grid("battleship", shown, {ship: ship})[1]] == [
        None,
        [ship],
    ]


def test_a_text_of_textarena_lists_its_moves_or_leaves_its_empty_cells() -> None:
    shown = "Current Board:\n\n X | 1 | 2 \n---+---+---\n 3 | O | 5 \n---+---+---\n 6 | 7 | 8 \n"
    grid = grid_in_text(f"{shown}\nAvailable Moves: '[1]', '[8]'")
    assert grid_lines(grid) == ("X  ", " O ", "   ")
    assert moves_in(grid) == {"[1]": ["[1]"], "[8]": ["[8]"]}
    columns = grid_in_text("Board state:\n0 1\n---\n. X\n. O")
    assert moves_in(columns) == {"[col 0]": ["[col 0]"]}
    hits = grid_in_text(BATTLESHIP)
    assert grid_lines(hits) == ("DDD", " XB", "", " O ", "  X")
    assert moves_in(hits[3:]) == {f"[{name}]": [f"[{name}]"] for name in ("A0", "A2", "B0", "B1")}
    assert grid_in_text("There is no board here:\n. . .") == []
