"""Places, faiths, movements and parties that an adjective, or who is called so, speaks of: "Brazilians" of Brazil.

A rule for the regular ones, whose guesses the pack's names decide on; a table for the others.
"""

from __future__ import annotations

_IRREGULAR = {
    "afghan": "afghanistan", "argentine": "argentina", "bahamian": "bahamas", "bangladeshi": "bangladesh",
    "basque": "basque country", "belgian": "belgium", "bolivian": "bolivia", "breton": "brittany",
    "british": "united kingdom|great britain", "burmese": "myanmar|burma", "cornish": "cornwall", "croat": "croatia",
    "cypriot": "cyprus", "czech": "czech republic|czechia", "danish": "denmark", "dutch": "netherlands|the netherlands",
    "emirati": "united arab emirates", "english": "england", "filipino": "philippines", "finnish": "finland",
    "flemish": "flanders", "french": "france", "german": "germany", "ghanaian": "ghana", "greek": "greece",
    "icelandic": "iceland", "irish": "ireland|republic of ireland", "ivorian": "ivory coast|cote d ivoire",
    "kazakh": "kazakhstan", "kosovar": "kosovo", "kyrgyz": "kyrgyzstan", "lao": "laos", "laotian": "laos",
    "latvian": "latvia", "luxembourgish": "luxembourg", "malagasy": "madagascar", "maldivian": "maldives",
    "malian": "mali", "mexican": "mexico", "monegasque": "monaco", "mongol": "mongolia", "moroccan": "morocco",
    "new zealand": "new zealand", "norwegian": "norway", "pakistani": "pakistan", "peruvian": "peru",
    "polish": "poland", "portuguese": "portugal", "roman": "rome", "parisian": "paris", "scottish": "scotland",
    "scots": "scotland", "serb": "serbia", "slovak": "slovakia", "slovene": "slovenia", "spanish": "spain",
    "catalan": "catalonia", "swedish": "sweden", "swiss": "switzerland", "tajik": "tajikistan", "thai": "thailand",
    "trinidadian": "trinidad and tobago", "turkish": "turkey", "turkmen": "turkmenistan", "ukrainian": "ukraine",
    "us": "united states|united states of america", "american": "united states|united states of america|america",
    "uzbek": "uzbekistan", "venetian": "venice", "welsh": "wales", "hawaiian": "hawaii", "japanese": "japan",
    "congolese": "democratic republic of the congo|republic of the congo|congo", "taiwanese": "taiwan",
    "maltese": "malta", "chinese": "china|people s republic of china", "canadian": "canada", "panamanian": "panama",
    "barbadian": "barbados", "guatemalan": "guatemala", "vietnamese": "vietnam", "sudanese": "sudan",
    "soviet": "soviet union", "yemeni": "yemen", "montenegrin": "montenegro", "macedonian": "north macedonia|macedonia",
    "antarctic": "antarctica", "oceanian": "oceania", "korean": "south korea|korea", "florentine": "florence",
    "viennese": "vienna", "neapolitan": "naples", "muscovite": "moscow", "alpine": "alps", "andean": "andes",
    "himalayan": "himalayas", "caribbean": "caribbean", "dane": "denmark", "swede": "sweden", "spaniard": "spain",
    "finn": "finland", "pole": "poland", "turk": "turkey", "briton": "united kingdom|great britain", "scot": "scotland",
    "muslim": "islam", "christian": "christianity", "buddhist": "buddhism", "hindu": "hinduism", "jewish": "judaism",
    "democrat": "democratic party", "republican": "republican party", "whig": "whig party", "liberal": "liberal party",
    "tory": "conservative party", "tories": "conservative party",
    "jew": "judaism", "sikh": "sikhism", "catholic": "catholicism|catholic church|roman catholic",
}  # fmt: skip
# The end of a regular adjective, and what stands in its place in the name of the place.
_ENDS = (
    ("ian", ("ia", "y", "", "a", "i")), ("ean", ("ea", "e", "")), ("an", ("a", "", "o", "e")), ("ese", ("", "a", "o")),
    ("ish", ("", "land")), ("i", ("", "a")), ("ic", ("ia", "", "icism")), ("ist", ("ism",)), ("er", ("",)),
    ("ern", ("",)), ("n", ("",)),
)  # fmt: skip
_SIDES = ("north", "south", "east", "west")  # "west german"
SHORTEST = 5  # letters of a regular adjective


def places_of(norm: str) -> tuple[str, ...]:
    """The names (normalised) of places, faiths, movements and parties that a phrase may be the adjective of, the
    likeliest first.

    >>> places_of("african"), places_of("dutch"), places_of("south american")[0]
    (('africa', 'afric', 'africo', 'africe'), ('netherlands', 'the netherlands'), 'south america')
    >>> places_of("west german"), places_of("southern")
    (('west germany',), ('south', 'souther'))
    >>> places_of("canadians"), places_of("icelanders"), places_of("surrealists"), places_of("capital")
    (('canada',), ('iceland',), ('surrealism',), ())
    """
    if norm in _IRREGULAR:
        return tuple(_IRREGULAR[norm].split("|"))
    before, _, last = norm.rpartition(" ")
    if before in _SIDES and last in _IRREGULAR and last != "american":
        return tuple(f"{before} {place}" for place in places_of(last))
    if norm.endswith("s") and not norm.endswith("ss"):
        return places_of(norm[:-1])
    if len(last) < SHORTEST:  # no "Henry II" is of Henry I
        return ()
    found = [norm[: -len(end)] + other for end, others in _ENDS if norm.endswith(end) for other in others]
    return tuple(dict.fromkeys(found))


def crafts_of(norm: str) -> tuple[str, ...]:
    """The names (normalised) of what somebody may be called after who plays or does it: of no comparative.

    >>> crafts_of("cellists")[:2], crafts_of("drummer"), crafts_of("welder"), crafts_of("higher")
    (('cell', 'cello'), ('drum', 'drums', 'drumming'), ('welding',), ('highing',))
    """
    norm = norm[:-1] if norm.endswith(("ers", "ists")) else norm
    if len(norm) < SHORTEST:
        return ()
    if norm.endswith("ist"):
        return tuple(norm[:-3] + other for other in ("", "o", "s", "e"))
    stem = norm[:-2] if norm.endswith("er") else ""
    is_doubled = stem[-1:] == stem[-2:-1] != ""
    return (*((stem[:-1], f"{stem[:-1]}s") if is_doubled else ()), *((f"{stem}ing",) if stem else ()))
