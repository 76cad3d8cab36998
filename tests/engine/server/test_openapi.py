"""The API describes itself: every URL, every error, an example of every body."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT
from tests.support.web.real_server import Served

# The statuses of refusals in the code. A path that the API has no method for is not described.
REFUSED = re.compile(r"(?:Refusal|whole_answer)\(\s*(\d{3})\b")
NO_METHOD = "405"
URLS = {
    "post /api/session",
    "post /api/revoke",
    "get /api/games",
    "post /api/games",
    "get /api/games/{name}",
    "get /api/games/{name}/log",
    "get /api/games/{name}/events",
    "get /api/games/{name}/events/{index}/prompt",
    "get /api/games/{name}/charts/{stem}.svg",
    "get /api/games/{name}/page.html",
    "get /api/games/{name}/log.pdf",
    "get /api/games/{name}/log.csv",
    "get /api/games/{name}/log.typ",
    "get /api/games/{name}/check",
    "post /api/games/{name}/stop",
    "post /api/games/{name}/resume",
    "post /api/games/{name}/fork",
    "get /api/games/{name}/seats/{player}",
    "post /api/games/{name}/seats/{player}",
    "delete /api/games/{name}/seats/{player}",
    "get /api/offer",
    "get /api/costs",
    "get /api/measured",
    "get /api/measured/{suite}/{model}/{task}",
    "get /api/measured/{suite}/{model}/{task}/{number}.html",
    "get /api/health",
    "get /api/metrics",
}


@pytest.fixture(scope="module")
def described(served: Served) -> Any:
    return served.get("/api/openapi.json").json


def operations(described: Any) -> Iterator[tuple[str, Any]]:
    for path, item in described["paths"].items():
        for method, operation in item.items():
            yield f"{method} {path}", operation


def resolved(described: Any, schema: Any) -> Any:
    for option in schema.get("anyOf", [schema]):
        name = option.get("$ref", "").rpartition("/")[2]
        if name:
            return described["components"]["schemas"][name]
    return schema


def test_every_url_is_described(described: Any) -> None:
    assert described["openapi"].startswith("3.1")
    assert {url for url, _ in operations(described)} == URLS


def test_every_operation_says_what_it_does_and_how_it_fails(described: Any) -> None:
    for url, operation in operations(described):
        assert operation["summary"], url
        assert operation["description"], url
        fails = operation["responses"]["422"]["content"]["application/json"]["schema"]
        assert resolved(described, fails)["required"] == ["detail"], url


def test_every_status_of_a_refusal_is_described(described: Any) -> None:
    code = [path.read_text() for path in (ROOT / "engine/server").rglob("*.py")]
    statuses = {status for text in code for status in REFUSED.findall(text)} - {NO_METHOD}
    assert {"400", "413", "421", "503"} <= statuses
    for url, operation in operations(described):
        assert statuses <= set(operation["responses"]), url


def test_every_body_has_an_example(described: Any) -> None:
    bodies = [
        operation["requestBody"]["content"]["application/json"]["schema"]
        for _, operation in operations(described)
        if "requestBody" in operation
    ]
    assert len(bodies) == 5
    for schema in bodies:
        assert resolved(described, schema)["examples"], schema


def test_a_token_is_needed_but_for_health(described: Any, served: Served) -> None:
    for url, operation in operations(described):
        method, path = url.split()
        asked = path.replace("{name}", "none").replace("{index}", "1").replace("{player}", "Ada")
        answer = served.ask(method.upper(), asked, b"", bare=True)
        assert answer.status == (200 if operation.get("security") == [] else 401), url


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/api/docs", "/openapi.json"])
def test_no_page_loads_foreign_scripts(served: Served, path: str) -> None:
    assert served.get(path).status == 404


def test_the_folder_is_left_as_it_was(served: Served) -> None:
    left = {path.name for path in Path(served.settings.logs_dir).iterdir()}
    assert left <= {".server", ".index.sqlite", ".index.sqlite-wal", ".index.sqlite-shm"}
