"""What a question may mean: linked to the pack and retrieved for; close names where exact ones do not answer well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kgask.errors import UsageError
from kgask.link.linker import Linker
from kgask.methods.protocol import Request, Retrieved, Retriever, Scope
from kgask.pack.store import Pack
from kgask.types import Mention, Question, Seed


@dataclass(frozen=True, slots=True)
class Interpreter:
    """Links requests and has hypotheses retrieved for them."""

    pack: Pack
    linker: Linker
    retriever: Retriever

    def interpret(self, requests: Sequence[Request], scope: Scope, least: float) -> list[Retrieved]:
        """The better of two hypotheses for each request: from exact names, and from close ones where the first is not
        ``least`` sure (where nothing was linked, if the retriever does not say how sure it is)."""
        best = self._retrieved(requests, self.linker.link, scope)
        linked = [found.linked for found in best]
        unsure = [
            row
            for row, found in enumerate(best)
            if requests[row].entity is None
            and (not found.seeds or (self.retriever.calibrated and found.confidence < least))
        ]
        if unsure:
            closer = self._retrieved([requests[row] for row in unsure], self.linker.link_tolerantly, scope)
            for row, other in zip(unsure, closer, strict=True):
                known = best[row]
                better = not known.seeds or other.confidence > known.confidence
                seen = {(seed.entity, seed.span) for seed in known.candidates}
                fresh = [seed for seed in other.candidates if (seed.entity, seed.span) not in seen]
                candidates = tuple(sorted((*known.candidates, *fresh), key=_by_score))
                best[row] = replace(other if better else known, candidates=candidates, linked=linked[row])
        return best

    def _retrieved(
        self, requests: Sequence[Request], link: Callable[[Question], list[Mention]], scope: Scope
    ) -> list[Retrieved]:
        linked = []
        for request in requests:
            with request.timer.stage("link"):
                words = tuple(self.linker.words(request.question))
                linked.append(replace(request, mentions=tuple(self._mentions(request, link)), words=words))
        found = self.retriever.retrieve(linked, self.pack, scope)
        found = [replace(one, linked=request.mentions) for one, request in zip(found, linked, strict=True)]
        if not scope.explain:
            return found
        seeds = [[seed for mention in request.mentions for seed in mention.seeds] for request in linked]
        return [
            replace(one, candidates=tuple(sorted(looked_at, key=_by_score)))
            for one, looked_at in zip(found, seeds, strict=True)
        ]

    def _mentions(self, request: Request, link: Callable[[Question], list[Mention]]) -> list[Mention]:
        """What is linked, or the topic that was given."""
        if request.entity is None:
            return self._given(request) + [one for one in link(request.question) if not _is_given(one, request)]
        mention = self.linker.seed_for(request.entity, request.question)
        if not mention.seeds:
            raise UsageError(f"--entity {request.entity!r}: no such entity; try 'kgask pack search'")
        return [mention]

    def _given(self, request: Request) -> list[Mention]:
        """Mentions of the entities that are known to be meant."""
        found = []
        for start, end, entity in request.given:
            text = request.question.text[start:end]
            found.append(Mention((start, end), text, (Seed(entity, (start, end), 1.0, text, text, "given"),)))
        return found


def _is_given(mention: Mention, request: Request) -> bool:
    """Whether it shares characters with an entity that is known to be meant."""
    return any(start < mention.span[1] and mention.span[0] < end for start, end, _ in request.given)


def _by_score(seed: Seed) -> float:
    return -seed.score
