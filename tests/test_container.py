"""Dockerfile and compose.yaml: what they say runs here as it does in a container."""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
import yaml

from tests.support.paths import ROOT, copy_project
from tests.support.web.real_server import serving

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
LINES = [line.split(maxsplit=1) for line in DOCKERFILE.replace("\\\n", " ").splitlines() if line]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
TOKEN = "a-token-of-enough-letters"
PATIENCE = 60.0
GAME = {
    "game": {"name": "conversation", "length": 4},
    "player_configs": [
        {"player_id": "Ada", "provider": "scripted", "model": "greedy"},
        {"player_id": "Ben", "provider": "scripted", "model": "patient"},
    ],
}


def said(instruction: str) -> list[str]:
    """Return what the Dockerfile says by an instruction, in order."""
    return [rest for word, rest in LINES if word == instruction]


def environment() -> dict[str, str]:
    """Return the variables that the image sets."""
    return dict(pair.split("=", 1) for rest in said("ENV") for pair in shlex.split(rest))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def test_the_image_runs_without_rights_and_holds_no_secret() -> None:
    assert said("USER") == ["arena"]
    assert [word for word, _ in LINES].index("USER") < [word for word, _ in LINES].index("CMD")
    assert said("EXPOSE") == ["8642"]
    assert said("VOLUME") == ["/arena/logs"]
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {".env", ".git", ".venv", "logs/*"} <= {*ignored}
    assert not re.search(r"https?://|_KEY=|TOKEN=", DOCKERFILE)


def test_the_health_check_knows_a_server_that_is_there(tmp_path: Path) -> None:
    (check,) = said("HEALTHCHECK")
    *_, code = json.loads(check.partition("CMD ")[2])
    assert SERVICES["redis"]["healthcheck"]["test"] == ["CMD", "redis-cli", "ping"]
    with serving(tmp_path) as served:
        for port, status in ((served.settings.port, 0), (free_port(), 1)):
            asked = code.replace("8642", str(port))
            done = subprocess.run([sys.executable, "-c", asked], check=False, capture_output=True)
            assert done.returncode == status, done.stderr


def test_what_the_image_installs_is_the_default_install() -> None:
    (install,) = re.findall(r"uv sync ([^&]*?) &&", DOCKERFILE)
    assert install.split() == ["--no-dev", "--extra", "redis"]
    assert "redis = [" in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["app", "redis"])
def test_each_service_is_shut_in(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service.get("user", "arena") not in ("root", "0")


def test_only_the_app_is_published_and_on_this_machine_only() -> None:
    assert SERVICES["app"]["ports"] == ["127.0.0.1:8642:8642"]
    assert "ports" not in SERVICES["redis"]
    assert SERVICES["app"]["volumes"] == ["logs:/arena/logs"]
    assert "logs" in COMPOSE["volumes"]


def test_the_token_must_come_from_outside() -> None:
    given = SERVICES["app"]["environment"]
    assert given["ARENA_TOKEN"].startswith("${ARENA_TOKEN:?")
    keys = {name: value for name, value in given.items() if name.endswith("_KEY")}
    assert keys
    assert all(value == f"${{{name}:-}}" for name, value in keys.items())


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    """Return a copy of the project, in which only logs/ may be written."""
    copy = tmp_path / "arena"
    copy_project(copy, ".*", "tests")
    (copy / "logs").mkdir()
    held = [copy, *(path for path in copy.rglob("*") if path != copy / "logs")]
    for path in held:
        path.chmod(path.stat().st_mode & ~0o222)
    yield copy
    for path in held:
        path.chmod(path.stat().st_mode | 0o200)


def without_rights() -> list[str]:
    """Return what makes even root keep to the rights of files."""
    if os.geteuid() != 0:
        return []
    program = shutil.which("setpriv")
    if program is None:
        pytest.skip("root, and no setpriv on this machine: apt-get install util-linux")
    return [program, "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]


def test_the_command_serves_and_writes_logs_alone(tree: Path, tmp_path: Path) -> None:
    (words,) = said("CMD")
    program, *rest = json.loads(words)
    assert program == "python"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    # Of the image's own variables all but PATH, with the test's folder for /tmp.
    own = {name: value.replace("/tmp", str(scratch)) for name, value in environment().items()}
    own |= {"PATH": os.environ["PATH"], "TMPDIR": str(scratch), "ARENA_TOKEN": TOKEN}
    port = free_port()
    before = sorted(tree.rglob("*"))
    command = [*without_rights(), sys.executable, *rest, "--port", str(port)]
    with subprocess.Popen(command, cwd=tree, env=own, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline().startswith(f"The arena is at http://localhost:{port}/")
            name = play(port)
        finally:
            server.terminate()
    assert server.returncode == 0
    written = {*tree.rglob("*")} - {*before}
    assert {path.parent for path in written} == {tree / "logs"}
    assert tree / "logs" / f"{name}.json" in written


def play(port: int) -> str:
    """Play a game as through the published port, read it as PDF, and return its name."""
    begun = json.loads(ask(port, "/api/games", json.dumps({"config": GAME}).encode()))
    name = str(begun["games"][0]["name"])
    until = time.monotonic() + PATIENCE
    while json.loads(ask(port, f"/api/games/{name}"))["status"] != "finished":
        assert time.monotonic() < until
        time.sleep(0.05)
    assert ask(port, f"/api/games/{name}/log.pdf").startswith(b"%PDF-")
    return name


def ask(port: int, path: str, body: bytes | None = None) -> bytes:
    """Ask with the Host that a browser sends to the published address."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = Request(f"http://127.0.0.1:{port}{path}", body, headers)
    with urlopen(request, timeout=PATIENCE) as answer:
        return bytes(answer.read())


def test_redis_answers_to_its_command(tmp_path: Path) -> None:
    redis = pytest.importorskip("redis")
    program, *rest = SERVICES["redis"]["command"]
    if shutil.which(program) is None:
        pytest.skip("redis-server is not installed")
    port = free_port()
    command = [program, *rest, "--port", str(port), "--bind", "127.0.0.1"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL) as server:
        try:
            until = time.monotonic() + PATIENCE
            while not answers(port):
                assert time.monotonic() < until
                time.sleep(0.05)
            store = redis.Redis.from_url(address_of_redis(port))
            assert store.config_get("save") == {"save": ""}
            assert store.config_get("appendonly") == {"appendonly": "no"}
            store.close()
        finally:
            server.terminate()
    assert not [*tmp_path.iterdir()]


def address_of_redis(port: int) -> str:
    """Return the address that the app is given, with this machine for the service's name."""
    address: str = SERVICES["app"]["environment"]["REDIS_URL"]
    assert address.startswith("redis://redis:6379/")
    assert "redis" in SERVICES["app"]["depends_on"]
    return address.replace("redis:6379", f"127.0.0.1:{port}")


def answers(port: int) -> bool:
    """Return whether anything listens yet."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
