"""Things that a text names in the plural: "US dollars", "cinnamon rolls", where the pack has one of that name."""

from __future__ import annotations

from collections.abc import Sequence

from kgask.link.classes import plural_phrases
from kgask.link.mentions import Word
from kgask.pack.store import Pack
from kgask.types import Seed

SURE = 0.9  # score of the only thing of that name; several share it


def plural_names(text: str, words: Sequence[Word], pack: Pack) -> list[Seed]:
    """The longest runs of words that are the plural of a name, each with the first entity of that name."""
    phrases = plural_phrases(text, words)
    hits = pack.exact({norm for _, norms in phrases for norm in norms})
    found: list[Seed] = []
    for span, norms in sorted(phrases, key=lambda phrase: phrase[0][0] - phrase[0][1]):
        named = [hit for norm in norms for hit in hits.get(norm, ())]
        if named and all(span[1] <= one.span[0] or one.span[1] <= span[0] for one in found):
            found.append(Seed(named[0].entity, span, SURE / len(named)))
    return found
