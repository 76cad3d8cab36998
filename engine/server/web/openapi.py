"""How the API describes itself: OpenAPI 3.1, with an example of each answer that is not plain."""

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict

SCHEME = "token"
FREE = "/api/health"


class Problem(BaseModel):
    """What was wrong, what is right, and what to do next."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"detail": "there is no game 'x': see the list"}]}
    )

    detail: str


ERRORS: dict[int | str, dict[str, Any]] = {
    401: {"model": Problem, "description": "No token, cookie or key, or one that is nobody's"},
    403: {"model": Problem, "description": "It is not this caller's right"},
    404: {"model": Problem, "description": "There is no such game, player, event or picture"},
    409: {"model": Problem, "description": "It cannot be now"},
    422: {"model": Problem, "description": "What was sent does not fit: why, and what does"},
    429: {"model": Problem, "description": "Too many changes in a second"},
}


class ArenaApp(FastAPI):
    """An app whose description says how to show a token."""

    def openapi(self) -> dict[str, Any]:
        """Return the description, made when it is first asked for."""
        described = super().openapi()
        parts = described.setdefault("components", {})
        about = "the token of the server's link, or a key of one game"
        parts["securitySchemes"] = {
            SCHEME: {"type": "http", "scheme": "bearer", "description": about}
        }
        described["security"] = [{SCHEME: []}]
        described["paths"][FREE]["get"]["security"] = []
        return described
