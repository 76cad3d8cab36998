"""The file types for exporting games; `logs.py --help` imports this module, so keep it fast."""

from collections.abc import Iterator
from pathlib import PurePath
from pkgutil import resolve_name
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.history import History
    from engine.views.perspective import Shown

Content = str | bytes


class Exporter(NamedTuple):
    """A file type: its function, its name and media type on the server, and its help text.

    `path` is a "module:function" in this folder, which receives a history and a `Shown`. It returns
    the file's content, or yields pairs of name suffix and content for several files, and raises
    RuntimeError on failure. Exporters without a `file` write folders; only `logs.py` uses them. The
    web page lists exporters with a `title`.
    """

    path: str
    file: str
    media_type: str
    about: str
    title: str = ""

    @property
    def suffix(self) -> str:
        """The suffix of the file's name, such as ".csv"."""
        return PurePath(self.file).suffix

    def files(self, history: "History", shown: "Shown") -> Iterator[tuple[str, Content]]:
        """Yield each file's name suffix and content, with the exporter's own file last."""
        # Slow modules are imported only when they are used.
        made = resolve_name(f"engine.views.{self.path}")(history, shown)
        if isinstance(made, Content):
            yield self.suffix, made
        else:
            yield from made

    def content(self, history: "History", shown: "Shown") -> Content:
        """Return the content of the exporter's own file."""
        *_, (_, content) = self.files(history, shown)
        return content


# In the order in which `logs.py` lists and writes them.
EXPORTS = {
    "typst": Exporter(
        "typst:document",
        "log.typ",
        "text/plain; charset=utf-8",
        "write NAME.typ, a Typst document",
    ),
    "pdf": Exporter(
        "typst:pdf_files",
        "log.pdf",
        "application/pdf",
        "write NAME.typ and NAME.pdf",
        title="Document, PDF",
    ),
    "charts": Exporter(
        "plots:chart_files",
        "",
        "",
        "draw the game's pictures into the folder NAME",
    ),
    "html": Exporter(
        "page:page_html",
        "page.html",
        "text/html; charset=utf-8",
        "write NAME.html, a page that replays the game offline",
        title="One page, offline",
    ),
    "csv": Exporter(
        "event_csv:events_csv",
        "log.csv",
        "text/csv; charset=utf-8",
        "write NAME.csv, one event per row; with --list print the list as CSV",
        title="Events, CSV",
    ),
}
