"""Text of strangers on one line, without anything that a terminal would obey."""


def visible_line(text: str, limit: int) -> str:
    r"""Return the visible characters of a text, its spaces as one each, cut to `limit`.

    >>> visible_line("\x1b[31mred\u202e\n ink", 80)
    '[31mred ink'
    """
    spaced = " ".join(text.split())
    return "".join(letter for letter in spaced if letter.isprintable())[:limit]
