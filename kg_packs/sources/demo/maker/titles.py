"""Names and titles as people say them, from the way catalogues write them."""

from __future__ import annotations

import re
from urllib.parse import unquote

_ROMAN_OR_NUMBER = r"(\d+|[IVXLC]+|one|two|three|four|five|six|first|second|third)"
_VOLUME = re.compile(
    r"[\s,.:;(\[—-]*\b(vol(ume|\.|s\.)?|v\.|bd\.|band|tome|tomo|osa|deel|nide|köt\.?)\s*"
    rf"{_ROMAN_OR_NUMBER}\b.*$",
    re.IGNORECASE,
)
_EDITION = re.compile(
    r"[\s,.:;(\[—-]+(\d+\w* edition|illustrated|complete|unabridged|with illustrations?\b.*|illustrated by.*"
    r"|edited by.*|translated .*|new edition.*|revised edition.*|\(of \d+\).*)[)\].]*$",
    re.IGNORECASE,
)
_OR_COMMA = re.compile(r"\s*[;,]\s*or,\s.*$", re.IGNORECASE)
# "or" after a comma alone is often part of the title: "Trial, or ..." needs a stronger mark.
_STRONG_ALTERNATIVE = re.compile(r"\s*[;:]\s*(or|ou|oder|eli|vagy)\b[,:]?\s+.*$", re.IGNORECASE)
_SUBTITLE = re.compile(r"\s*([:;]| — | -- )\s*(?!(part|book|the (first|second|third) part)\b).*$", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*\[[^\]]*\]\s*$")
# A main title so general that it names nothing without its subtitle.
_GENERAL = re.compile(
    r"^(the )?(complete |collected |selected |select )?(poems?|works?|plays?|letters?|essays?|stories|tales"
    r"|novels?|memoirs?|history|œuvres( complètes)?|oeuvres( complètes)?|lettres|poésies|gedichte|werke"
    r"|runoja|runoelmia)$",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile(r"\s*\((?P<inside>[^)]*)\)")
_RANK = re.compile(
    r"^(Sir|Dame|Mrs\.|Mr\.|Miss|Lord|Lady|Baron|Baroness|graf|Graf|Count|Countess|Earl of .*|Duke of .*"
    r"|Viscount|Saint|St\.|Pope|comtesse de .*|comte de .*|marquis de .*|baron de .*|Freiherr von|Abbé|abbé"
    r"|duc de .*|Rev\.)$"
)


def full_title(title: str) -> str:
    """The title with its subtitle, without volume and edition, on one line."""
    first = _BRACKETS.sub("", " ".join(title.split("\n")[0].replace("$b", "").split()))
    return _EDITION.sub("", _VOLUME.sub("", first)).strip(" ,;:—-").replace(" :", ":") or first


def main_title(title: str) -> str:
    """The title without volume, edition and subtitle: ``Frankenstein; Or, ...`` is ``Frankenstein``."""
    whole = full_title(title)
    short = _STRONG_ALTERNATIVE.sub("", _OR_COMMA.sub("", whole))
    short = _SUBTITLE.sub("", short).strip(" ,;:—-")
    short = short[:-1] if short.endswith(".") and short.count(".") == 1 else short
    if len(short) < 3 or _GENERAL.match(short):
        return whole
    return short


def display_name(catalogue_name: str) -> tuple[str, list[str]]:
    """``Wells, H. G. (Herbert George)`` is ``H. G. Wells``, also ``Herbert George Wells``."""
    inside = _PARENTHESIS.search(catalogue_name)
    bare = _PARENTHESIS.sub("", catalogue_name).strip(" ,")
    parts = [part.strip() for part in bare.split(",")]
    suffixes = [part for part in parts[2:] if part in ("Jr.", "Sr.", "II", "III")]
    if len(parts) == 1:
        return bare, []
    given = parts[1] if not _RANK.match(parts[1]) else ""
    name = " ".join([given, parts[0], *suffixes]).strip()
    names = []
    if inside and given and re.search(r"\b[A-Z]\.", given):
        names.append(" ".join([inside["inside"], parts[0], *suffixes]))
    return name, names


def wikipedia_title(urls: str) -> tuple[str, bool]:
    """The name in an English Wikipedia address, and whether the address had to tell it apart.

    ``.../Robert_Herrick_(poet)`` gives ``("Robert Herrick", True)``; ``("", False)`` without an address.
    """
    for url in urls.split("|"):
        if "//en.wikipedia.org/wiki/" in url:
            title = unquote(url.rsplit("/wiki/", 1)[1]).replace("_", " ").split("#")[0].strip()
            bare = _PARENTHESIS.sub("", title).strip()
            return bare, bare != title
    return "", False
