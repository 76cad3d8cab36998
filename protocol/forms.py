"""The form in which a model is asked, and how it changes when the endpoint refuses it."""

import asyncio
from dataclasses import dataclass, field, replace

from protocol.judge import ignores_schema
from providers import FORMS, Client, Completion, CompletionRequest, Form, FormError


@dataclass
class SeatForm:
    """The form of a seat's questions; a resumed game learns it from recorded answers.

    `now` is the form of the next questions; `allowed` is the best form not refused so far. A call
    whose form is refused does not count as an attempt. While the first question is under way, the
    seat's other questions wait for it.
    """

    now: Form = "schema"
    allowed: Form = "schema"
    tried: bool = False
    trial: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def ask(self, request: CompletionRequest, client: Client) -> Completion:
        """Return the answer of `client` in the first form that it accepts.

        The answer is marked if its form differs from the request's, or if it ignores the schema.
        """
        if not self.tried:
            async with self.trial:
                if not self.tried:
                    try:
                        return await self._ask(request, client)
                    finally:
                        self.tried = True
        return await self._ask(request, client)

    async def _ask(self, request: CompletionRequest, client: Client) -> Completion:
        form = lower(request.form, self.allowed)
        while True:
            asked = request if form == request.form else replace(request, form=form)
            try:
                completion = await client.complete(asked)
            except FormError as refusal:
                form = self.allowed = lower(self.allowed, refusal.form)
                continue
            if form not in (request.form, "schema"):
                return replace(completion, form=form)
            if form == "schema" and request.schema and ignores_schema(completion, request.schema):
                return replace(completion, finish="ignored")
            return completion

    def learn(self, completion: Completion) -> None:
        """Learn from an answer, new or recorded."""
        self.tried = True
        if completion.form:
            self.allowed = lower(self.allowed, completion.form)
            self.now = lower(self.now, completion.form)
        if completion.finish == "ignored":
            self.now = "words"


def lower(one: Form, other: Form) -> Form:
    """Return the less demanding of two forms."""
    return max(one, other, key=FORMS.index)
