"""What logs hold of a client's settings: plain values as they are, nothing that could be a key."""

import ast
from pathlib import Path
from typing import Any

import pytest

from providers import PROVIDERS
from providers.settings import REDACTED, public_settings
from tests.support.paths import ROOT

CANARY = "hunter2"
PROVIDER_ROUTE = {"provider": {"order": ["groq", "together"], "sort": "price", "zdr": True}}


@pytest.mark.parametrize(
    ("provider", "settings"),
    [
        ("ollama", {"num_ctx": 8192, "keep_alive": "5m", "think": False}),
        ("ollama", {"options": {"num_ctx": 8192, "mirostat": 2, "tfs_z": 0.5, "numa": True}}),
        ("openai", {"reasoning": {"effort": "low", "summary": "auto"}, "max_tokens": 900}),
        ("openai", {"prompt_cache_key": "table-1", "service_tier": "flex", "truncation": "auto"}),
        ("openai", {"text": {"verbosity": "low", "format": {"type": "json_object"}}}),
        ("anthropic", {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        ("anthropic", {"cache_control": {"type": "ephemeral", "ttl": "1h"}, "top_k": 5}),
        ("openrouter", PROVIDER_ROUTE),
        ("local", {"threads": 2, "stop": ["Why?", "END"], "grammar": "root ::= [a-z]+"}),
        ("compatible", {"base_url": "http://127.0.0.1:1/v1", "logit_bias": {"50256": -100}}),
        ("compatible", {"logit_bias": {50256: -100}}),
        ("compatible", {"token_limit": 5, "token_healing": True}),
        ("compatible", {"base_url": "https://hf-inference.example.com/v1"}),
        ("compatible", {"base_url": "https://eu.key-value.example.com:8443/v1"}),
    ],
)
def test_plain_settings_are_written_as_they_are(provider: str, settings: dict[str, Any]) -> None:
    assert public_settings(provider, settings) == settings


@pytest.mark.parametrize("provider", [*PROVIDERS, "scripted"])
@pytest.mark.parametrize(
    "settings",
    [
        *(
            {name: {"x-team": CANARY, "n": 7}}
            for name in ("headers", "extra_headers", "default_headers", "extra_body")
        ),
        {"extra_query": {"sig": CANARY}},
        {"access_tokens": [CANARY]},
        {"tokens": CANARY},
        {"proxy": f"user:{CANARY}@proxy:8080"},
        {"default_query": {"sig": CANARY}},
        {"headers": [["x-team", CANARY]]},
        *(
            {name: CANARY}
            for name in (
                "api_key",
                "apikey",
                "apiKey",
                "X-API-Key",
                "openai_key",
                "accessKey",
                "privateKeys",
                "passphrase",
                "pwd",
                "token",
                "auth_token",
                "access-token",
                "authorization",
                "password",
                "passwd",
                "client_secret",
                "cookie",
                "session_cookies",
                "credentials",
                "jwt",
                "signature",
            )
        ),
        {"mcp": {"server": {"env": {"TEAM": CANARY}}}},
        {"tools": [{"type": "mcp", "label": CANARY, "authorization": CANARY}]},
        {"tools": [{"label": CANARY}, [{"label": CANARY}], ({"label": CANARY},)]},
        {"tools": ({"label": CANARY},)},
        {"extra": [["x-team", CANARY]]},
        {"stop": [{"team": CANARY}]},
        {"reasoning": {"effort": "low", "canary": CANARY}},
        {"thinking": {"type": {"token": CANARY}}},
        {"user": f"Bearer {CANARY}"},
        {"user": f"sk-{CANARY}"},
        {"base_url": f"https://me:{CANARY}@host/v1?api-version=1&code={CANARY}"},
        {"base_url": f"https://me:p@{CANARY}@host/v1"},
        {"base_url": f"https://host/sk-{CANARY}/v1"},
    ],
    ids=str,
)
def test_what_could_be_a_key_is_in_no_artefact(provider: str, settings: dict[str, Any]) -> None:
    public = public_settings(provider, settings)
    assert CANARY not in str(public)
    assert REDACTED in str(public)
    assert public.keys() == settings.keys()


def test_the_names_in_a_secret_mapping_stay() -> None:
    kept = public_settings("ollama", {"headers": {"x-team": CANARY, "n": 7}})
    assert kept == {"headers": {"x-team": REDACTED, "n": REDACTED}}


def test_a_row_can_name_a_secret_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    row = PROVIDERS["ollama"]
    own = type(row)(client=row.client, secrets=row.secrets | {"num_ctx"})
    monkeypatch.setitem(PROVIDERS, "ollama", own)
    assert public_settings("ollama", {"num_ctx": 1}) == {"num_ctx": REDACTED}


def compared_texts(path: Path) -> set[str]:
    """Return the texts that a source file compares something with, or looks something up in."""
    texts = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare):
            constants = [part for part in ast.walk(node) if isinstance(part, ast.Constant)]
            texts |= {str(part.value) for part in constants}
    return texts


def test_no_provider_is_compared_by_name() -> None:
    """All that the program knows about a provider is in its row."""
    files = [*ROOT.glob("*.py"), *ROOT.glob("[a-z]*/**/*.py")]
    own = [path for path in files if path.relative_to(ROOT).parts[0] not in {"tests", "logs"}]
    assert len(own) > 100
    found = {path.name: compared_texts(path) & PROVIDERS.keys() for path in own}
    assert not {name: texts for name, texts in found.items() if texts}
