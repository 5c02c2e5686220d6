"""What :func:`kgask.open` gives: a pipeline that also judges claims and talks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions

if TYPE_CHECKING:  # loaded when they are first asked for: who asks questions alone need not wait
    from kgask.chat.session import Chat
    from kgask.verify.readings import VerifyOptions
    from kgask.verify.verdict import Verdict


class Opened(Pipeline):
    """A pack with its models, to be asked questions, to judge claims and to talk with; a context manager."""

    __slots__ = ()

    def verify(self, claim: str, options: VerifyOptions | None = None, **overrides: Any) -> Verdict:
        """Whether a claim is supported or refuted; ``overrides`` are fields of :class:`VerifyOptions`.

        Raises :class:`~kgask.errors.UsageError` for an empty or an overlong claim.
        """
        return self.verify_many([claim], options, **overrides)[0]

    def verify_many(
        self, claims: Sequence[str], options: VerifyOptions | None = None, **overrides: Any
    ) -> list[Verdict]:
        """The verdicts on claims, in order; raises as :meth:`verify` does, before any is judged."""
        from kgask.verify.verifier import Verifier, VerifyOptions

        return Verifier(self, options or VerifyOptions(**overrides)).verify_many(claims)

    def chat(self, options: AskOptions | None = None, **overrides: Any) -> Chat:
        """A conversation, which begins here; ``overrides`` are fields of :class:`~kgask.answer.request.AskOptions`."""
        from kgask.chat.session import Chat

        return Chat(self, options or AskOptions(**overrides))
