"""Where a question says a name or a class that its gold annotation knows by a label only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from kgask.corpus.drafts import Span, words_at

_TOKEN = re.compile(r"[^\W_]+")
_BRACKETS = re.compile(r"\s*\([^()]*\)$")
_SIMILAR, _SIMILAR_CHARS = 0.87, 8  # of a name that is misspelt, and from which length

# Words that people use for a class beside its label.
_SAID = {
    "human": "person people human individual",
    "film": "film movie",
    "feature film": "film movie",
    "animated feature film": "animated film|animated movie|animation",
    "television film": "TV movie|TV film",
    "television series": "TV series|TV show|television show|television program|show|series",
    "television station": "TV station|TV channel|television channel",
    "visual artwork": "artwork|work of art|art work",
    "sovereign state": "country|nation|state",
    "association football club": "football club|soccer club|football team|soccer team|club|team",
    "association football player": "football player|soccer player|footballer",
    "American football team": "football team|team",
    "higher education institution": "institution of higher education|school of higher education|higher institution",
    "city of the United States": "US city|U.S. city|American city|United States city|city",
    "state of the United States": "US state|U.S. state|American state|state",
    "big city": "large city|city",
    "business": "company|business enterprise",
    "organization": "organisation",
    "written work": "work|book|text",
    "literary work": "work|book",
}
_SPACED = {"human", "film", "feature film"}  # of which each word is one
NOUNS = frozenset(
    "person people human man woman film movie book novel work song album band group team club player actor actress "
    "singer writer author director politician company organization organisation university college school city town "
    "village state country nation county region province district river lake mountain island award prize language "
    "religion party series game university station channel network label genre sport event war battle ceremony "
    "airport building bridge museum church stadium ship aircraft planet element species animal food drink "
    "disease profession occupation team character role website software".split()
)


def name_spans(question: str, label: str) -> Iterator[tuple[int, int]]:
    """Places that may be meant by a label, the surest first: as it is, with other punctuation, nearly."""
    bare = _BRACKETS.sub("", label)
    for words in dict.fromkeys((label, bare)):
        yield from words_at(question, words)
    for words in dict.fromkeys((label, bare)):
        tokens = _TOKEN.findall(words)
        if tokens:
            pattern = r"[\W_]{0,3}".join(map(re.escape, tokens))
            for found in re.finditer(rf"(?<!\w){pattern}(?!\w)", question, re.IGNORECASE):
                closes = found[0].count("(") > found[0].count(")") and question[found.end() :].startswith(")")
                yield found.start(), found.end() + closes
    if len(bare) >= _SIMILAR_CHARS:
        yield from _similar(question, bare)


def _similar(question: str, label: str) -> Iterator[tuple[int, int]]:
    """As many words as the label has, spelt nearly so."""
    places = [(found.start(), found.end()) for found in re.finditer(r"[^\W_]+(?:[.'’-][^\W_]+)*\.?", question)]
    n = len(label.split())
    scored = []
    for first, last in zip(places, places[n - 1 :], strict=False):
        words = question[first[0] : last[1]].removesuffix("'s").removesuffix("’s")
        matcher = SequenceMatcher(None, words.lower(), label.lower(), autojunk=False)
        if matcher.real_quick_ratio() >= _SIMILAR and matcher.ratio() >= _SIMILAR:
            scored.append((-matcher.ratio(), first[0], first[0] + len(words)))
    yield from ((start, end) for _, start, end in sorted(scored))


def class_spans(question: str, label: str) -> Iterator[tuple[int, int]]:
    """Places where a class is said, singular or plural, by its label or a word for it; the most exact first."""
    said = _SAID.get(label, "")
    kind, of, place = label.partition(" of ")
    near = [label, *(said.split() if label in _SPACED else said.split("|") if said else ())]
    if of:
        near += [f"{place.removeprefix('the ')} {kind}", f"{kind} in {place}"]
    for words in (near, [kind], [kind.split()[-1]]):
        found = [span for word in words for form in forms(word) for span in words_at(question, form)]
        yield from sorted(found, key=lambda span: (span[0], -span[1]))


def forms(noun: str) -> tuple[str, ...]:
    """A noun phrase and its plural, that of its first noun where "of" follows."""
    head, of, rest = noun.partition(" of ")
    plural = f"{head[:-1]}ies" if re.search(r"[^aeiou]y$", head) else f"{head}es" if re.search(
        r"(s|x|ch|sh)$", head) else f"{head}s"  # fmt: skip
    return noun, f"{plural}{of}{rest}"


def nouns_in(question: str, nouns: Iterable[str] = NOUNS) -> list[Span]:
    """Words for classes, each where it stands alone."""
    known = {form for noun in nouns for form in forms(noun)}
    return [(found.start(), found.end(), "class") for found in _TOKEN.finditer(question) if found[0].lower() in known]
