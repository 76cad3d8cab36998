"""Whether the server is there."""

from fastapi import APIRouter

router = APIRouter()


@router.get("/health", summary="Whether the server is there; needs no token")
async def tell_health() -> dict[str, str]:
    """Return that the server is there."""
    return {"status": "ok"}
