"""The arena's engine: rounds, phases, histories, and the games built on them.

This module finds the program's own files and its version, in a checkout or an installed wheel.
"""

from functools import cache
from pathlib import Path

NAME = "arena"
ROOT = Path(__file__).parent.parent
# An installed wheel contains the folders of a checkout here.
INSTALLED = Path(__file__).parent / "data"


def own_folder(name: str) -> Path:
    """Return the path of the folder `name`, such as `prompts`, in the checkout or wheel."""
    return INSTALLED / name if is_installed() else ROOT / name


def is_installed() -> bool:
    """Return whether the program runs from an installed wheel, not from a checkout."""
    return INSTALLED.is_dir()


def own_file(path: Path) -> Path:
    """Return `path`, or its installed copy if `path` begins with configs/ and does not exist.

    >>> own_file(Path("configs/none.yaml")) == Path("configs/none.yaml")
    True
    """
    if path.parts[:1] != ("configs",) or path.exists():
        return path
    shipped = own_folder("configs").joinpath(*path.parts[1:])
    return shipped if shipped.exists() else path


@cache
def version() -> str:
    """Return the program's version, from the checkout or the installed package."""
    project = ROOT / "pyproject.toml"
    if not is_installed() and project.is_file():
        import tomllib

        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
    from importlib.metadata import version as version_of

    return version_of(NAME)
