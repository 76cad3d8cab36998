"""Finds a model's maker by the prefix of its name, because foreign logs have only the name."""

from collections.abc import Mapping

# Prefixes in logs of 2025 and 2026; the longest match wins. A maker that is also a provider in
# the arena has the same name here.
PREFIXES: Mapping[str, str] = {
    "amazon": "amazon",
    "anthropic": "anthropic",
    "chatgpt": "openai",
    "claude": "anthropic",
    "codestral": "mistral",
    "cohere": "cohere",
    "command": "cohere",
    "deepseek": "deepseek",
    "ernie": "baidu",
    "exaone": "lg",
    "gemini": "gemini",
    "gemma": "gemini",
    "glm": "zhipu",
    "google": "gemini",
    "gpt": "openai",
    "granite": "ibm",
    "grok": "xai",
    "haiku": "anthropic",
    "hermes": "nous",
    "hunyuan": "tencent",
    "jamba": "ai21",
    "kimi": "moonshot",
    "llama": "meta",
    "magistral": "mistral",
    "maverick": "meta",
    "meta": "meta",
    "microsoft": "microsoft",
    "minimax": "minimax",
    "ministral": "mistral",
    "mistral": "mistral",
    "mixtral": "mistral",
    "moonshot": "moonshot",
    "nemotron": "nvidia",
    "nova": "amazon",
    "nvidia": "nvidia",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "openai": "openai",
    "opus": "anthropic",
    "phi": "microsoft",
    "pixtral": "mistral",
    "qvq": "alibaba",
    "qwen": "alibaba",
    "qwq": "alibaba",
    "r1": "deepseek",
    "scout": "meta",
    "smollm": "huggingface",
    "sonnet": "anthropic",
    "step": "stepfun",
    "v3": "deepseek",
    "x-ai": "xai",
    "xai": "xai",
    "yi": "01ai",
    "z-ai": "zhipu",
}


def maker_of(model: str, own: Mapping[str, str] | None = None) -> str:
    """Return the maker of a model, or "" if its name has no known prefix.

    `own` maps a user's prefixes to makers; these take precedence over the table.

    >>> maker_of("sonnet-20241022")
    'anthropic'
    >>> maker_of("openai/gpt-5.2", {"openai/": "a-friend"})
    'a-friend'
    """
    for prefixes in (own or {}, PREFIXES):
        fitting = [prefix for prefix in prefixes if model.lower().startswith(prefix.lower())]
        longest = max(fitting, key=len, default="")
        if longest:
            return prefixes[longest]
    return ""


def read_makers(words: list[str]) -> dict[str, str]:
    """Return a user's prefixes, each written as PREFIX=PROVIDER; raise ValueError for others."""
    makers = {}
    for word in words:
        prefix, equals, provider = word.partition("=")
        if not (prefix and equals and provider):
            raise ValueError(f"expected PREFIX=PROVIDER, such as sonnet=anthropic: got {word!r}")
        makers[prefix] = provider
    return makers
