"""How to resume an unfinished game, and why a void game does not count."""

import os
from collections.abc import Sequence
from pathlib import Path

from engine.cli.main import CommandFailed
from engine.cli.parser import INDENT, join_words, logs_dir_option, shown_command, words_without
from engine.config import GameEngineConfig
from engine.history import History
from engine.spending.validity import void_sentence
from providers import PROVIDERS
from providers.settings import public_settings


def how_to_resume(history: History, folder: Path | None, words: Sequence[str] = ()) -> str:
    """Return a sentence with the command to resume a game; `words` come from `words_needed`."""
    if not left_journal(history, folder):
        return "It kept no journal to continue from."
    command = f"--resume {history.game_id}{logs_dir_option(folder)}"
    if words:
        # The typed value may be `last` or a prefix, which could mean another game by now.
        command = join_words([*words_without("--resume", words), "--resume", history.game_id])
    return f"Continue with:\n{INDENT}{shown_command(f'example.py {command}')}"


def words_needed(words: Sequence[str], config: GameEngineConfig) -> Sequence[str]:
    """Return the words that started a game if they hold secrets needed to resume it, else ()."""
    for player in config.all_players():
        if public_settings(player.provider, player.client_kwargs) != player.client_kwargs:
            return words
        if player.api_key is not None:
            provider = PROVIDERS.get(player.provider)
            variable = provider.key_variable if provider is not None else ""
            if os.environ.get(variable) != player.api_key.get_secret_value():
                return words
    return ()


def left_journal(history: History, folder: Path | None) -> bool:
    """Return whether an unfinished game left a journal in `folder`; a full disk can prevent it."""
    return folder is not None and (folder / f"{history.game_id}.jsonl").exists()


def refuse_void(history: History, folder: Path | None) -> None:
    """If a finished game is void, raise CommandFailed, which explains why no score counts."""
    void = void_sentence(history)
    if not void:
        return
    sentence = f"{void}, so its scores come from fallbacks and do not count; the faults say why"
    if folder is not None:
        name = f"{history.game_id}{logs_dir_option(folder)}"
        sentence += f": uv run logs.py --filename {name} --terminal"
    raise CommandFailed(sentence)
