"""What a relation says about the kind of its subject and its object."""

from __future__ import annotations

from maker.world import (
    AGENT,
    ANY,
    ARTIST,
    BAND,
    BOOK,
    FILM,
    MUSIC,
    NOT_PERSON,
    ORG,
    PERSON,
    PLACE,
    WORK,
    Kinds,
)

THING: Kinds = frozenset({"thing"})
GENRE: Kinds = frozenset({"genre"})
LANGUAGE: Kinds = frozenset({"language"})
OCCUPATION: Kinds = frozenset({"occupation"})
PRODUCT: Kinds = frozenset({"product"})

# relation -> (kinds of the subject, kinds of the object)
ROLES: dict[str, tuple[Kinds, Kinds]] = {
    "P17": (NOT_PERSON, PLACE),
    "P19": (PERSON, PLACE),
    "P20": (PERSON, PLACE),
    "P26": (PERSON, PERSON),
    "P27": (PERSON, PLACE),
    "P30": (PLACE, PLACE),
    "P36": (PLACE, PLACE),
    "P37": (PLACE, LANGUAGE),
    "P40": (PERSON, PERSON),
    "P50": (BOOK, PERSON),
    "P57": (FILM, PERSON),
    "P69": (PERSON, ORG),
    "P101": (AGENT, THING | GENRE),
    "P102": (PERSON, ORG),
    "P106": (PERSON, OCCUPATION),
    "P108": (PERSON, ORG),
    "P112": (ORG | PLACE, AGENT | PLACE),
    "P119": (PERSON, PLACE),
    "P127": (NOT_PERSON, AGENT | PLACE),
    "P131": (PLACE | ORG | THING, PLACE),
    "P135": (ARTIST | WORK, THING | GENRE),
    "P136": (WORK | ARTIST, GENRE),
    "P140": (PERSON | ORG | PLACE, THING),
    "P159": (ORG, PLACE),
    "P161": (FILM, PERSON),
    "P170": (WORK | THING, AGENT),
    "P172": (PERSON, THING),
    "P175": (MUSIC, ARTIST),
    "P176": (PRODUCT, ORG),
    "P264": (MUSIC | ARTIST, ORG),
    "P276": (PLACE | ORG | THING | frozenset({"art"}), PLACE | ORG),
    "P361": (ANY, ANY),
    "P407": (WORK, LANGUAGE),
    "P413": (PERSON, OCCUPATION),
    "P451": (PERSON, PERSON),
    "P463": (AGENT | PLACE, ORG | BAND),
    "P495": (WORK | BAND | PRODUCT, PLACE),
    "P509": (PERSON, THING),
    "P530": (PLACE, PLACE),
    "P551": (PERSON, PLACE),
    "P641": (PERSON | ORG, THING),
    "P737": (ANY, ANY),
    "P740": (ORG | BAND, PLACE),
    "P749": (ORG, ORG),
    "P800": (ARTIST, WORK),
    "P840": (WORK, PLACE),
    "P1050": (PERSON, THING),
    "P1303": (PERSON, THING),
    "P1412": (PERSON, LANGUAGE),
    "P3373": (PERSON, PERSON),
}

_GENRE_HINTS: tuple[tuple[tuple[str, ...], Kinds], ...] = (
    (("film", "sitcom", "soap opera", "telenovela", "reality television", "noir", "comedy-drama"), FILM),
    (("video game", "shooter", "platform game", "action game", "strategy"), frozenset({"game"})),
    (("novel", "short story", "literature", "fiction", "poetry"), BOOK | FILM),
    (("music", "rock", "metal", "jazz", "hip hop", "pop", "punk", "blues", "soul", "reggae"), MUSIC | ARTIST),
)


def subject_kinds(relation: str, obj_label: str) -> Kinds:
    """Kinds that the subject of a row can have; the genre of a work narrows it."""
    kinds = ROLES[relation][0]
    if relation == "P136":
        for words, narrowed in _GENRE_HINTS:
            if any(word in obj_label for word in words):
                return narrowed
    return kinds
