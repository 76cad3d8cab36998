"""A game as plain data: its log, the visibility of its events, and their facts."""

from engine.history.log import (
    NARRATOR,
    VERSION,
    Event,
    History,
    Lines,
    Outcome,
    PlayerUsage,
    PromptRef,
    RoundLog,
    Seat,
    Status,
    Transcripts,
    check_version,
    history_from_json,
    inert,
    transcript_line,
)
from engine.history.payloads import data_of, log_schema, payload_of

__all__ = [
    "NARRATOR",
    "VERSION",
    "Event",
    "History",
    "Lines",
    "Outcome",
    "PlayerUsage",
    "PromptRef",
    "RoundLog",
    "Seat",
    "Status",
    "Transcripts",
    "check_version",
    "data_of",
    "history_from_json",
    "inert",
    "log_schema",
    "payload_of",
    "transcript_line",
]
