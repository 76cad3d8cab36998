"""Find a model's maker by the prefix of its name, because foreign logs contain only the name."""

from collections.abc import Mapping

# Each maker's prefixes in logs of 2025 and 2026; the longest match wins. A maker that is also a
# provider in the arena has the same name here.
MAKERS = {
    "01ai": "yi",
    "ai21": "jamba",
    "alibaba": "qvq qwen qwq",
    "amazon": "amazon nova",
    "anthropic": "anthropic claude haiku opus sonnet",
    "baidu": "ernie",
    "cohere": "cohere command",
    "deepseek": "deepseek r1 v3",
    "gemini": "gemini gemma google",
    "huggingface": "smollm",
    "ibm": "granite",
    "lg": "exaone",
    "meta": "llama maverick meta scout",
    "microsoft": "microsoft phi",
    "minimax": "minimax",
    "mistral": "codestral magistral ministral mistral mixtral pixtral",
    "moonshot": "kimi moonshot",
    "nous": "hermes",
    "nvidia": "nemotron nvidia",
    "openai": "chatgpt gpt o1 o3 o4 openai",
    "stepfun": "step",
    "tencent": "hunyuan",
    "xai": "grok x-ai xai",
    "zhipu": "glm z-ai",
}
PREFIXES = {prefix: maker for maker, prefixes in MAKERS.items() for prefix in prefixes.split()}


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
