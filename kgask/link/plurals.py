"""What a plural may be the plural of, in English: "wolves" is "wolf" (or "wolve": the pack's names decide)."""

from __future__ import annotations

_IRREGULAR = {
    "people": ("person", "human", "people"), "persons": ("person", "human"), "humans": ("human", "person"),
    "men": ("man",), "women": ("woman",), "children": ("child",), "feet": ("foot",), "teeth": ("tooth",),
    "geese": ("goose",), "mice": ("mouse",), "lice": ("louse",), "oxen": ("ox",), "dice": ("die",),
    "criteria": ("criterion",), "phenomena": ("phenomenon",), "data": ("datum", "data"), "media": ("medium", "media"),
    "bacteria": ("bacterium",), "genera": ("genus",), "nuclei": ("nucleus",), "fungi": ("fungus",), "taxa": ("taxon",),
    "alumni": ("alumnus",), "alumnae": ("alumna",), "cacti": ("cactus",),
    "species": ("species",), "series": ("series",),
    "larvae": ("larva",), "formulae": ("formula",), "vertices": ("vertex",), "indices": ("index",),
    "matrices": ("matrix",), "appendices": ("appendix",), "loci": ("locus",), "strata": ("stratum",),
    "spouses": ("spouse",), "wives": ("wife",), "lives": ("life",), "knives": ("knife",), "leaves": ("leaf",),
}  # fmt: skip
_MEN = ("men", "people")  # ends of compounds: "businessmen", "salespeople"


def singulars(plural: str) -> tuple[str, ...]:
    """The words (in lower case) that ``plural`` may be the plural of, the likeliest first; none for a singular.

    >>> singulars("countries"), singulars("wolves"), singulars("boss")
    (('country', 'countrie'), ('wolf', 'wolfe', 'wolve'), ())
    """
    if plural in _IRREGULAR:
        return _IRREGULAR[plural]
    for end in _MEN:
        if plural.endswith(end) and len(plural) > len(end) + 2:
            stem = plural.removesuffix(end)
            return (f"{stem}man", f"{stem}person", f"{stem}woman")
    if len(plural) < 3 or not plural.endswith("s") or plural.endswith(("ss", "us", "is")):
        return ()
    if plural.endswith("ies"):
        return (f"{plural[:-3]}y", plural[:-1]) if len(plural) > 4 else (plural[:-1],)
    if plural.endswith("ves"):
        return (f"{plural[:-3]}f", f"{plural[:-3]}fe", plural[:-1])
    if plural.endswith("ses"):  # "buses", "bases", "crises"
        return (plural[:-2], plural[:-1], f"{plural[:-2]}is")
    if plural.endswith(("xes", "zes", "ches", "shes", "oes")):
        return (plural[:-2], plural[:-1])
    return (plural[:-1],)
