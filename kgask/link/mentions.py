"""Spans of a question that may name something, and how much of the question's naming they carry."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace

from kgask.pack.normalise import normalise

MAX_WORDS = 16  # longest mention; titles of books and names of awards are long
MAX_QUESTION_WORDS = 64  # words beyond are not looked at: spans grow with the product

# Apostrophes and inner dots belong to a word ("O'Brien", "J.R.R."); a final "'s" is cut off.
_WORD = re.compile(r"[^\W_]+(?:['\u2019.&-][^\W_]+)*[.]?|[^\w\s]", re.UNICODE)
_GREETING = re.compile(
    r"\W*(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening))(?: there| all| everyone)?\s*[,!.:;]+\s*",
    re.IGNORECASE,
)
_DO_YOU_KNOW = re.compile(r"(?<=\w) (?:do|can) you (?:know|name|list|tell me)(?: of)?\W*\Z", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['\u2019]s?$", re.IGNORECASE)

FUNCTION_WORDS = frozenset(
    """a an the of in on at to for from by with and or is are was were be been being do does did done has have had
    who whom whose what which when where why how that this these those it its he she his her their they them i me my
    you your we our us as than then there here not no yes can could would should will shall may might must also any
    some all many much more most other else ever also s name tell list give show find please between among""".split()
)

NEVER_AFTER_ARTICLE = frozenset("us who it he she they them me you we i".split())

# Capitalised in titles, but no sign of a name: "The Who" is named by its second word.
ARTICLES = frozenset("the a an of and in on at to for from by with".split())

# Before somebody's name or a part of it; they are of no other name, as "King" and "Queen" are.
HONORIFICS = frozenset(
    "mr mrs ms miss mx dr doctor prof professor sir dame lady captain colonel major inspector sergeant reverend rev "
    "senator uncle aunt auntie".split()
)

LEAST_APART = 4  # characters of a name that a hyphen joins to another word
# What makes another word of one, by a hyphen.
_IN_LAW = re.compile(r"-in-laws?\Z", re.IGNORECASE)
BOUND = frozenset("non ex anti pro pre post un co semi quasi half self sub trans inter".split())

TORN_CAPITAL, TORN = 0.3, 0.6  # what is left of a span's fit when its name goes on beside it
NAME, CONTENT, FUNCTION = 1.0, 0.3, 0.05  # how much a word tells about being part of a name


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    norm: str
    start: int
    end: int
    weight: float  # NAME for words that look like names, less for others


@dataclass(frozen=True, slots=True)
class Span:
    """A candidate mention: words ``first .. last`` (inclusive) of the question."""

    start: int
    end: int
    text: str
    norm: str
    n_words: int
    coverage: float  # 0..1: share of the question's name-like words inside
    wholeness: float = 1.0  # 1 when the name does not go on beside the span
    marked: bool = False  # the user says that it is a mention


_BEGINS = re.compile(r"[a-z]{2}[.!?]\s+\Z")  # another sentence, but not the "B" of "J. B. Priestley"


def split_words(text: str, question_words: frozenset[str]) -> list[Word]:
    """The question's words, each weighed by how much it looks like part of a name.

    ``question_words`` are the words that questions use around their topics;
    a word outside is likely a name, even in lower case.
    """
    words: list[Word] = []
    greeting, asked = _GREETING.match(text), _DO_YOU_KNOW.search(text)
    end = asked.start() if asked is not None else len(text)
    for match in _WORD.finditer(text, greeting.end() if greeting is not None else 0, end):
        is_first = not words or _BEGINS.search(text, 0, match.start()) is not None
        words += _word(match.group(), match.start(), is_first, question_words)
    return _without_comparatives(words[:MAX_QUESTION_WORDS])


def _word(found: str, start: int, first: bool, question_words: frozenset[str]) -> list[Word]:
    """None for punctuation."""
    token = _POSSESSIVE.sub("", found) or found
    norm = normalise(token)
    if not norm or not any(char.isalnum() for char in norm):
        return []
    return [Word(token, norm, start, start + len(token), _weight(token, norm, first, question_words))]


def apart(
    words: Sequence[Word], question_words: frozenset[str], known: Callable[[Iterable[str]], Container[str]]
) -> list[Word]:
    """The words, with what a hyphen joins apart where only a part of it is a name: "the Kenya-Uganda border".

    ``known`` gives those of some names (normalised) that there are.
    """
    joined = {word: halves for word in words if (halves := _halves(word, question_words))}
    if not joined:
        return [*words]
    names = known({one.norm for word in joined for one in (word, *joined[word]) if len(one.norm) >= LEAST_APART})
    return [
        part
        for word in words
        for part in (
            joined[word]
            if word in joined and word.norm not in names and any(half.norm in names for half in joined[word])
            else [word]
        )
    ]


def _halves(word: Word, question_words: frozenset[str]) -> list[Word]:
    """What a hyphen joins; nothing where there is none, or where what stands before it turns the meaning ("non-EU"), or
    it is one word for kin ("father-in-law")."""
    first, *others = word.text.split("-")
    if not others or first.lower() in BOUND or _IN_LAW.search(word.text) is not None:
        return []
    parts = re.finditer(r"[^-]+", word.text)
    return [one for part in parts for one in _word(part.group(), word.start + part.start(), False, question_words)]


def _without_comparatives(words: list[Word]) -> list[Word]:
    """What stands before "than" in lower case ("heavier") is no name."""
    before_than = {at for at, word in enumerate(words[1:]) if word.norm == "than"}
    return [
        replace(word, weight=min(word.weight, CONTENT)) if at in before_than and word.text[0].islower() else word
        for at, word in enumerate(words)
    ]


def _weight(token: str, norm: str, first: bool, question_words: frozenset[str]) -> float:
    if token[0].isupper() and not (first and (norm in FUNCTION_WORDS or norm in question_words)):
        return CONTENT if norm in ARTICLES else NAME
    if norm in FUNCTION_WORDS:
        return FUNCTION
    return CONTENT if norm in question_words else NAME


def looks_named(word: Word) -> bool:
    """A capitalised name or a number: what a question does not give without reason."""
    return word.weight == NAME and (word.text[0].isupper() or word.text[0].isdigit())


def may_be_named(word: Word) -> bool:
    """A word that is likely in a name, in lower case too."""
    return word.weight == NAME


def is_joined(text: str, word: Word, after: Word) -> bool:
    """Whether nothing but space or a hyphen stands between two words: no comma, no possessive."""
    return not text[word.end : after.start].strip(" -")


def spans(text: str, words: list[Word]) -> list[Span]:
    """Every run of up to ``MAX_WORDS`` words that carries more than function words."""
    total = _name_weight(words)
    found = []
    for first in range(len(words)):
        for last in range(first, min(first + MAX_WORDS, len(words))):
            inside = words[first : last + 1]
            weight = sum(word.weight for word in inside)
            is_speaker = inside[0].text == "I" and first == last < len(words) - 1  # not in "the symbol I"
            if is_speaker or (weight <= FUNCTION * len(inside) and not _is_named_pronoun(inside)):
                continue
            found.append(one_span(text, words, first, last, total))
    return found


def _name_weight(words: Sequence[Word]) -> float:
    return sum(word.weight for word in words if word.weight == NAME)


def one_span(text: str, words: Sequence[Word], first: int, last: int, total: float | None = None) -> Span:
    """The run of words ``first`` to ``last`` (inclusive); ``total`` is the weight of all name-like words."""
    inside = words[first : last + 1]
    weight = sum(word.weight for word in inside)
    outside = (_name_weight(words) if total is None else total) - _name_weight(inside)
    start, end = inside[0].start, inside[-1].end
    norm = normalise(text[start:end])
    coverage, whole = weight / (weight + outside), _wholeness(text, words, first, last)
    return Span(start, end, text[start:end], norm, len(inside), coverage, whole)


def _is_named_pronoun(inside: list[Word]) -> bool:
    """ "the us", "the who": an article before a pronoun is no English, so it is a name."""
    return len(inside) == 2 and inside[0].norm == "the" and inside[1].norm in NEVER_AFTER_ARTICLE


def marked_span(text: str, start: int, end: int) -> Span:
    """A mention that the user marked: it is all that counts, and it is whole."""
    marked = text[start:end]
    norm = normalise(marked)
    return Span(start, end, marked, norm, max(1, len(norm.split())), coverage=1.0, marked=True)


def _wholeness(text: str, words: Sequence[Word], first: int, last: int) -> float:
    """Less than 1 when a name-like word stands right beside the span: "Michael" in "Michael Keaton".

    Punctuation and a possessive end a name: "Jane Austen's Emma" names two things. "Dr" before it tears none.
    """
    beside = []
    if first > 0 and not text[words[first - 1].end : words[first].start].strip(" ."):
        beside += [words[first - 1]] if words[first - 1].norm not in HONORIFICS else []
    if last + 1 < len(words) and not text[words[last].end : words[last + 1].start].strip():
        beside.append(words[last + 1])
    torn = [word for word in beside if word.weight == NAME]
    if any(looks_named(word) for word in torn):
        return TORN_CAPITAL
    return TORN if torn else 1.0


def inside_of(span: Span, words: Sequence[Word]) -> list[Word]:
    """Its words."""
    return [word for word in words if span.start <= word.start and word.end <= span.end]
