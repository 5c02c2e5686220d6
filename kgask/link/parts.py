"""Names that a question gives in part: a surname, a first name, the end of a title.

Runs of name-like words that are no name themselves are looked up in the words of all names (FTS5). A run is one name:
of "Jane Smith" nothing is found by "Smith" alone, because another first name is another person. A part that several
entities share is clear only where one of them is far better connected than the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kgask.link.classes import is_ending_of_names
from kgask.link.mentions import FUNCTION_WORDS, HONORIFICS, Span, Word, is_joined, looks_named, may_be_named, one_span
from kgask.link.plurals import singulars
from kgask.pack.normalise import normalise
from kgask.pack.records import NameHit
from kgask.pack.store import Pack
from kgask.types import Match

SIMILARITY = 0.85  # of a part to the name, as the linker's features have it
MAX_NAMES = 300  # that have the words; more of them say nothing
MAX_RUNS = 4  # looked up in one question
FAR_AHEAD, WELL_KNOWN = 3, 8  # times the next one's triples, and triples, of whom a shared part means
SMALL = 10_000  # entities of a pack in which words in lower case are likely parts of names
KNOWN_IN_LOWER_CASE = 7, 10  # triples of whom a word in lower case means in a larger one; where others share it
LONGEST_NAME = 5  # words of a name of which one word is enough; of several words twice as many
BETTER_KNOWN, MOST_OF_NAMESAKES = 5, 40  # times the triples of whom a name means exactly, who have at most so many
MOST_BETTER_KNOWN = 3
TITLES = HONORIFICS | frozenset(
    "lord saint st king queen prince princess president pope emperor general chancellor".split()
)
_APART = frozenset("between vs versus against than".split())  # never of a name that is written in lower case
_INSIDE = frozenset("of the de du da di la le von van der den al el bin".split())  # between the words of one name

_IN_BRACKETS = re.compile(r"(?<=\S)(?: [(\[][^()]*[)\]])+\Z")
_OF_A_KIND = re.compile(r"\b(?:the|our|this|my|which|what|any|every|each|an?) \Z", re.IGNORECASE)
_BEFORE_NAMES = HONORIFICS | {"st", "saint"}
_OF = frozenset("of for and in on at to".split())


@dataclass(frozen=True, slots=True)
class PartHit(NameHit):
    """An entity that is not called just so: by part of its name, or by an adjective (an alias)."""

    match: Match = "part"


@dataclass(frozen=True, slots=True)
class Part:
    """A run of words that names hold, and whose names: best connected first."""

    span: Span
    hits: tuple[PartHit, ...]
    clear: bool  # the first must be meant


def parts(pack: Pack, text: str, words: Sequence[Word], known: Sequence[Span], plain: frozenset[str]) -> list[Part]:
    """What is found for the question's runs of name-like words that touch none of ``known``, the names in it.

    ``plain`` are words that questions use anyway: where every word is capitalised, no longer run begins or ends so.
    """
    free = [run for run in _runs(text, words, plain) if not any(_blocks(name, run) for name in known)]
    if pack.n_entities > SMALL:
        free = [run for run in free if not run.text.islower() or _stands_alone(text, words, run, plain)]
    titles = [run for run in _titles(text, words) if not any(_blocks(name, run) for name in known)]
    found: list[Part | None] = [part for run in titles if (part := part_of(pack, run)) and _is_whole(part)]
    free = [run for run in free if not any(part and _blocks(part.span, run) for part in found)]
    for run in free[:MAX_RUNS]:
        part = part_of(pack, run)
        if part is None and run.n_words > 1 and run.text.islower():
            rest = _without_classes(pack, text, words, run)
            part = part_of(pack, rest) if rest else None
        found.append(part)
    numbered = [_numbered(text, words, part) for part in found if part]
    named = [part for part in numbered if not _is_noun(part, text)]
    return named + (
        _begun(pack, text, words, [*known, *(part.span for part in named)]) if pack.n_entities <= SMALL else []
    )


def _begun(pack: Pack, text: str, words: Sequence[Word], known: Sequence[Span]) -> list[Part]:
    """Names that begin with two words in small letters, be they plain ones: "the hub motor" is "Hub Motor H250"."""
    found: list[Part] = []
    for at, (first, second) in enumerate(pairwise(words)):
        if {first.norm, second.norm} & FUNCTION_WORDS or not (first.text + second.text).islower():
            continue
        run = one_span(text, words, at, at + 1)
        if not is_joined(text, first, second) or any(
            _blocks(one, run) for one in (*known, *(part.span for part in found))
        ):
            continue
        part = part_of(pack, run)
        begun = [hit for hit in part.hits if normalise(hit.name).startswith(f"{run.norm} ")] if part is not None else []
        if part is not None and len(part.hits) == len(begun) == 1:
            found.append(part)
    return found


def _numbered(text: str, words: Sequence[Word], part: Part) -> Part:
    """The part with a number beside it that says which is meant: of "the 750 battery pack" Battery Pack 750."""
    inside = [at for at, word in enumerate(words) if part.span.start <= word.start and word.end <= part.span.end]
    for beside, joined in ((inside[0] - 1, inside[0] - 1), (inside[-1] + 1, inside[-1])) if inside else ():
        if not 0 <= beside < len(words) or not is_joined(text, words[joined], words[joined + 1]):
            continue
        number = words[beside].norm
        meant = tuple(hit for hit in part.hits if number in normalise(hit.name).split())
        if number.isdigit() and meant:
            return Part(one_span(text, words, min(beside, inside[0]), max(beside, inside[-1])), meant, len(meant) == 1)
    return part


def _is_noun(part: Part, text: str) -> bool:
    """Whether it is what several are, rather than one of them: "the zoo", where two zoos are named."""
    ends = all(normalise(hit.name).split()[-1:] == [part.span.norm] for hit in part.hits)
    return (
        not part.clear and part.span.text.islower() and ends and _OF_A_KIND.search(text[: part.span.start]) is not None
    )


def _titles(text: str, words: Sequence[Word]) -> list[Span]:
    """Runs of capitalised words of which some are in any question, where not every word is: "Come As You Are"."""
    if not any(word.text[0].islower() for word in words):
        return []
    found, first = list[Span](), 1  # what a question begins with says nothing
    while first < len(words):
        last = first
        while (
            last < len(words)
            and words[last].text[0].isupper()
            and (last == first or is_joined(text, words[last - 1], words[last]))
        ):
            last += 1
        if last - first > 1 and any(word.norm in FUNCTION_WORDS for word in words[first:last]):
            found.append(one_span(text, words, first, last - 1))
        first = last + 1
    return found


def _before_brackets(name: str) -> str:
    """``orion`` of "Orion (Master Of Puppets)"."""
    return normalise(_IN_BRACKETS.sub("", name))


def _is_whole(part: Part) -> bool:
    return all(_before_brackets(hit.name) == part.span.norm for hit in part.hits)


def _stands_alone(text: str, words: Sequence[Word], run: Span, plain: frozenset[str]) -> bool:
    """Whether a run in lower case is no plural, and no word that may be of its name stands before it ("king james")."""
    before = next((word for word in reversed(words) if word.end <= run.start), None)
    is_apart = (
        before is None or before.norm in FUNCTION_WORDS | plain | _APART or bool(text[before.end : run.start].strip())
    )
    return is_apart and not singulars(run.norm.split()[-1])


def _without_classes(pack: Pack, text: str, words: Sequence[Word], run: Span) -> Span | None:
    """A run in lower case without the plurals of what the pack names: "debian" of "debian servers"."""
    places = [at for at, word in enumerate(words) if run.start <= word.start and word.end <= run.end]
    named = pack.exact({one for at in places for one in singulars(words[at].norm)})
    left = [at for at in places if not any(one in named for one in singulars(words[at].norm))]
    is_one = left and len(left) < len(places) and left[-1] - left[0] == len(left) - 1
    return one_span(text, words, left[0], left[-1]) if is_one else None


def part_of(pack: Pack, run: Span) -> Part | None:
    """Whose name a run of words is part of; None where it is nobody's, or too many people's to say more."""
    asked = run.norm.split()
    if not any(word.isalpha() and len(word) > 1 for word in asked):
        return None
    refs = pack.names.refs_with_words(" AND ".join(f'"{word}"' for word in asked), MAX_NAMES)
    first_literal = pack.n_entities - pack.n_literals
    best: dict[int, PartHit] = {}
    named = [hit for hit in pack.names.hits(refs).values() if _is_part(asked, hit)]
    for hit in sorted(_as_written(run.text, named), key=lambda hit: hit.is_alias):
        if hit.entity < first_literal:
            best.setdefault(hit.entity, PartHit(hit.entity, hit.name, hit.is_alias, SIMILARITY))
    if not best:
        return None
    degrees = dict(zip(best, pack.prior(list(best)).tolist(), strict=True))
    hits = sorted(best.values(), key=lambda hit: (-degrees[hit.entity], hit.entity))
    most, next_most = degrees[hits[0].entity], degrees[hits[1].entity] if len(hits) > 1 else 0
    if run.n_words == 1 and run.text.islower() and len(hits) > 1 and is_ending_of_names(run.norm, pack):
        return None  # "the fire": the sort of thing, not one of them
    clear = len(refs) < MAX_NAMES and (len(hits) == 1 or (most >= WELL_KNOWN and most >= FAR_AHEAD * next_most))
    if not (run.marked or run.text[0].isupper() or pack.n_entities <= SMALL):
        return Part(run, tuple(hits), clear) if most >= KNOWN_IN_LOWER_CASE[not clear] else None
    return Part(run, tuple(hits), clear)


def better_known(pack: Pack, name: Span, called: Sequence[NameHit]) -> list[PartHit]:
    """Who are far better known by part of the name than all that are called just so: Mozart, not a book so called."""
    most = max(pack.prior([hit.entity for hit in called]).tolist())
    part = part_of(pack, name) if name.n_words == 1 and most <= MOST_OF_NAMESAKES else None
    if part is None or part.hits[0].is_alias:
        return []
    exactly = {hit.entity for hit in called}
    hits = [hit for hit in part.hits[:MOST_BETTER_KNOWN] if hit.entity not in exactly]
    degrees = pack.prior([hit.entity for hit in hits]).tolist()
    return [hit for hit, degree in zip(hits, degrees, strict=True) if degree >= BETTER_KNOWN * most]


def _as_written(said: str, named: list[NameHit]) -> list[NameHit]:
    """The names that write the words in the question's case, where some do: "yen" is of "Japanese yen", not Donnie."""
    exactly = [hit for hit in named if said in hit.name]
    return exactly or named


def _is_part(asked: list[str], hit: NameHit) -> bool:
    """Whether the words begin or end a name, in their order; names of very many words are found by more of them.

    A first name alone is not "of" something ("Commonwealth" of "Commonwealth of Australia"), and two first names of
    an alias are another person ("John Howard" of "John Howard Carpenter"). Titles are no part of a name. What is no
    proper name is called by its first word: "the vial" is the vial of digitalis.
    """
    name = normalise(hit.name).split()
    if _before_brackets(hit.name).split() == asked:
        return True
    while len(name) > len(asked) and name[0] in _BEFORE_NAMES:
        name = name[1:]
    if name == asked:
        return True
    if not len(asked) < len(name) <= LONGEST_NAME * min(len(asked), 2):
        return False
    if name[-len(asked) :] == asked:
        return True
    if name[: len(asked)] == asked:
        return not hit.is_alias if len(asked) > 1 else hit.name.islower() or not _OF & set(name)
    rest = iter(name)
    return len(asked) > 1 and name[0] == asked[0] and name[-1] == asked[-1] and all(word in rest for word in asked)


def _runs(text: str, words: Sequence[Word], plain: frozenset[str]) -> list[Span]:
    """Runs of words that look like one name: capitalised ones, also joined as in "Duke of York", or in lower case."""
    if len(words) < 3 or any(word.text[0].islower() for word in words):
        plain = frozenset()  # where not every word is capitalised, those that are belong to names
    found: list[Span] = []
    at = 0
    while at < len(words):
        end = _end_of_run(text, words, at)
        inside = _trimmed(words, at, end, plain)
        if inside:
            found.append(one_span(text, words, inside[0], inside[1]))
        at = max(end, at) + 1
    return found


def _end_of_run(text: str, words: Sequence[Word], first: int) -> int:
    """The last word of the run that begins with word ``first``; one less where none begins."""
    if not _goes_in_name(words[first]):
        return first - 1
    is_named = looks_named(words[first])
    last = first
    while last + 1 < len(words):
        after = last + 1
        while is_named and after + 1 < len(words) and words[after].norm in _INSIDE and words[after].text[0].islower():
            after += 1
        goes_on = _goes_in_name(words[after]) and looks_named(words[after]) == is_named
        if not goes_on or not all(is_joined(text, words[at], words[at + 1]) for at in range(last, after)):
            break
        last = after
    return last


def _goes_in_name(word: Word) -> bool:
    return may_be_named(word) and word.text not in _APART


def _trimmed(words: Sequence[Word], first: int, last: int, plain: frozenset[str]) -> tuple[int, int] | None:
    """The run without titles before it and plain words around it; None where nothing is left."""
    while first <= last and (
        words[first].norm in FUNCTION_WORDS | TITLES or (first < last and words[first].norm in plain)
    ):
        first += 1
    while first <= last and (words[last].norm in FUNCTION_WORDS or (first < last and words[last].norm in plain)):
        last -= 1
    return (first, last) if first <= last else None


def _blocks(name: Span, run: Span) -> bool:
    """Whether a run is known by another name; not by one that goes on in the run ("Marie" of "Marie Holm")."""
    is_torn = name.wholeness < 1.0 and run.start <= name.start and name.end <= run.end and name.norm != run.norm
    return not is_torn and name.start < run.end and run.start < name.end
