"""What things are called and how a question is dressed: nouns by type letter, polite beginnings, keyword style."""

from __future__ import annotations

import random
import re

from kgask.corpus.examples import MASK

# What the members of a type are called; letters are those of wordings.txt.
NOUNS = {
    "F": ("films", "movies", "the movies", "the films", "pictures", "shows"),
    "B": ("books", "novels", "works", "the books", "stories"),
    "M": ("songs", "albums", "tracks", "pieces"),
    "W": ("works", "things", "products"),
    "P": ("people", "persons", "those", "the people"),
    "R": ("characters", "figures"),
    "C": ("countries", "states", "the countries", "nations"),
    "L": ("places", "cities", "towns"),
    "O": ("organisations", "companies", "bands", "groups"),
    "U": ("events", "battles", "competitions"),
    "E": ("elements",),
    "A": ("awards", "prizes"),
    "N": ("languages",),
    "T": ("species", "animals", "plants"),
    "D": ("diseases", "illnesses"),
    "H": ("planets", "stars", "moons"),
}
ASK = {
    "F": ("which films", "what movies", "what films", "which movies"),
    "B": ("which books", "what books", "which novels", "which works"),
    "M": ("which songs", "what songs", "which albums"),
    "W": ("which works", "what", "which products", "what things"),
    "P": ("who", "which people", "which person"),
    "R": ("which characters", "who"),
    "C": ("which countries", "what countries", "which country", "what country"),
    "L": ("which places", "which cities", "which city", "what place"),
    "O": ("which organisations", "which companies", "what company"),
    "U": ("which events", "what events"),
    "N": ("which languages", "in which languages", "what languages"),
    "G": ("what", "which", "what kinds"),
    "E": ("which elements", "what element"),
    "A": ("which awards", "what prize"),
    "T": ("which species", "which animals"),
    "D": ("which diseases", "what disease"),
    "H": ("which planets", "what star"),
}
# Nouns that give a type away: a question about books is not asked with "films".
_KIND_OF = {
    noun: letter
    for letter, nouns in {
        "F": "film films movie movies picture pictures show shows series",
        "B": "book books novel novels story stories titles",
        "M": "song songs album albums track tracks singer band",
        "C": "country countries nation nations",
        "P": "person people persons someone",
        "O": "company companies organisation organisations bands",
        "E": "element elements",
    }.items()
    for noun in nouns.split()
}
# A film can be told by its story and a place by its country, so these pairs are no conflict.
_KIND_OF.pop("story", None)

POLITE = (
    "can you tell me", "could you tell me", "do you know", "please tell me", "i would like to know", "tell me",
    "i want to know", "any idea", "i wonder", "would you know", "do you happen to know", "please say",
    "i'd like to find out", "can anyone say", "so", "hey", "quick question", "let me know",
)  # fmt: skip
_WH = ("who", "what", "which", "where", "when", "how", "whose", "whom", "in which", "in what", "by whom", "at which")


def names_other_kind(text: str, letters: str) -> bool:
    """Whether a text names a kind of thing that none of ``letters`` stands for."""
    return any(_KIND_OF.get(word, letters) not in letters for word in text.split())


_SINGULAR_VERB = re.compile(r"\b(is|was|does|has) \{x\}(?!')|(?<!\w)\{x\} (is|was|does|has)\b")
_AGREEING = {"is": "are", "was": "were", "does": "do", "has": "have"}
_MANY = {noun.removeprefix("the ") for nouns in NOUNS.values() for noun in nouns} | {"children", "women", "men"}


def agreeing(template: str, topic: str) -> str:
    """The template with its verb in the plural where the topic is a plural phrase."""
    word = topic.removeprefix("the ").removeprefix("other ").partition(" ")[0]
    if topic == MASK or word not in _MANY:
        return template
    return _SINGULAR_VERB.sub(lambda m: f"{_AGREEING[m[1]]} {{x}}" if m[1] else f"{{x}} {_AGREEING[m[2]]}", template)


_BEFORE_NOUN = re.compile(
    r"\{x\}[- ](languages?|movies?|films?|books?|music|people|persons?|players|footballers|games|animals|things|dish|"
    r"dishes|nationality|citizenship|passport|descent|ethnicity|speaking|elements|inhabitants|votes|style|business|"
    r"industry|category|block|genre)\b"
)


# "the film {x}" names a film; "the film the director of ..." does not.
_NAMED = re.compile(
    r"\b(films?|movies?|books?|works?|songs?|albums?|bands?|groups?|years?|date|genres?|types?|tags?|"
    r"keywords?|topics?|theme|region|city|state|continent|country|actor|director|singer|father|mother|"
    r"position|party|house|family|studio|publisher|label|series|character|language|code|subject|title|"
    r"name|score|rating|award|team|field|office|store|role|profession|occupation|religion|number|symbol|"
    r"block|system|plays|tongue|discipline|event|article|period|called|department|constellation|motto|"
    r"domain|prefix|mascot|anthem|flag|surname|degree) \{x\}$"
)


def can_hold_phrase(template: str, n_words: int) -> bool:
    """Whether a phrase can stand for the topic: no *"the director of X's films"*, no genitive of a long phrase."""
    if _BEFORE_NOUN.search(template) or _NAMED.search(template):
        return False
    return not (n_words > 3 and "{x}'s" in template)


def with_other(question: str) -> str:
    """*which films ...* as *which other films ...*."""
    words = question.split()
    if words[0] in ("which", "what") and words[1] in _MANY:
        words.insert(1, "other")
    return " ".join(words)


def ordered(ask: str) -> str:
    """A question word as it stands after a preposition."""
    return {"who": "whom", "where": "what place"}.get(ask, ask)


def keywords(labels: list[str], rng: random.Random) -> str:
    """Search-box style: *birthplace director [MASK]*, *[MASK] director birthplace*."""
    draw = rng.random()
    if draw < 0.4:
        return " ".join([MASK, *labels])
    if draw < 0.8:
        return " ".join([*reversed(labels), MASK])
    return " of ".join([*reversed(labels), MASK])


def decorate(text: str, rng: random.Random) -> str:
    """Polite beginnings, question marks or none, as people type."""
    text = text.rstrip("?. ")
    if text.startswith(_WH) and rng.random() < 0.1:
        text = f"{rng.choice(POLITE)} {text}"
    draw = rng.random()
    if draw < 0.4:
        return f"{text}?"
    return f"{text} please" if draw < 0.41 else text
