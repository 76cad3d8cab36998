"""The page's files as they are sent: without comments, packed for who can read that."""

import gzip

import pytest

from engine.server.web.page_files import PAGE
from engine.views.page import packed_style
from tests.support.web.real_server import Served

STYLE = packed_style((PAGE / "arena.css").read_text(encoding="utf-8")).encode()


@pytest.mark.parametrize("accepted", ["gzip", "br, gzip;q=0.5", "GZIP ; q=1", "*", "deflate,*;q=1"])
def test_a_file_is_packed_for_who_can_read_it(served: Served, accepted: str) -> None:
    answer = served.get("/arena.css", headers={"Accept-Encoding": accepted})
    assert answer.status == 200
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "accept-encoding"
    assert int(answer.headers["content-length"]) == len(answer.body) < len(STYLE) / 2
    assert gzip.decompress(answer.body) == STYLE


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0", "gzip;q=0.000, *", "gz!p"])
def test_a_file_is_sent_as_it_is_to_anybody_else(served: Served, accepted: str) -> None:
    answer = served.get("/arena.css", headers={"Accept-Encoding": accepted})
    assert "content-encoding" not in answer.headers
    assert answer.headers["vary"] == "accept-encoding"
    assert answer.body == STYLE


@pytest.mark.parametrize("accepted", ["gzip", "identity"])
def test_a_known_file_is_not_sent_again(served: Served, accepted: str) -> None:
    known = served.get("/arena.css").headers["etag"]
    answer = served.get("/arena.css", headers={"Accept-Encoding": accepted, "If-None-Match": known})
    assert (answer.status, answer.body) == (304, b"")
    assert answer.headers["etag"] == known
