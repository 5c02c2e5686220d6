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
        ``least`` sure, or starts from a part of what may be a longer name (where nothing was linked, if the retriever
        does not say how sure it is) and something may be misspelt."""
        best = self._retrieved([self._linked(request, self.linker.link) for request in requests], scope)
        linked = [found.linked for found in best]
        unsure = {
            row: self._linked(requests[row], self.linker.link_tolerantly)
            for row, found in enumerate(best)
            if requests[row].entity is None
            and (found.confidence < least or _goes_on(found) if self.retriever.calibrated else not found.seeds)
        }
        closer = {row: request for row, request in unsure.items() if any(map(_is_misspelt, request.mentions))}
        for row, other in zip(closer, self._retrieved(list(closer.values()), scope), strict=True):
            known = best[row]
            better = other.confidence > known.confidence or not (known.seeds or known.hypotheses)
            seen = {(seed.entity, seed.span) for seed in known.candidates}
            fresh = [seed for seed in other.candidates if (seed.entity, seed.span) not in seen]
            candidates = tuple(sorted((*known.candidates, *fresh), key=_by_score))
            best[row] = replace(other if better else known, candidates=candidates, linked=linked[row])
        return best

    def _linked(self, request: Request, link: Callable[[Question], list[Mention]]) -> Request:
        with request.timer.stage("link"):
            mentions = tuple(self._mentions(request, link))
            others = link(request.question) if request.entity is not None else ()
            beside = tuple(one for one in others if not _overlap(one.span, mentions[0].span))
            words = tuple(self.linker.words(request.question))
            return replace(request, mentions=mentions, beside=beside, words=words)

    def _retrieved(self, linked: Sequence[Request], scope: Scope) -> list[Retrieved]:
        found = self.retriever.retrieve(linked, self.pack, scope)
        found = [
            replace(one, linked=(*request.mentions, *request.beside))
            for one, request in zip(found, linked, strict=True)
        ]
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
    return any(_overlap(mention.span, (start, end)) for start, end, _ in request.given)


def _goes_on(found: Retrieved) -> bool:
    """Whether a query starts from a word beside which a name seems to go on: "Leonardo", of "leonardo dicapprio"."""
    used = {seed.span for seed in found.seeds}
    return any(mention.span in used and not mention.whole for mention in found.linked)


def _is_misspelt(mention: Mention) -> bool:
    return any(seed.match == "typo" for seed in mention.seeds)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _by_score(seed: Seed) -> float:
    return -seed.score
