"""Relation names of Freebase as words.

A name is ``/domain/type/property``; a compound one joins two by a dot, through
a node without a name: ``/people/person/spouse_s./people/marriage/spouse``. The
property says most; the type stays where the property alone would say too
little, or where two relations would read the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

# Words that schema authors used for lack of a name: they say nothing to a reader.
_EMPTY = frozenset("topic content default schema extra sandbox random term hint tenure node".split())
_PLURAL = re.compile(r"(?<=[a-z]{3})(ies|s)$")
# A property that reads as a phrase of its own: no type is needed in front of it.
_PHRASE = re.compile(r".* (by|in|of|held|won|lived|founded|directed|produced|released|designed|from|for|to|within)$")


def words_of(part: str) -> list[str]:
    """``spouse_s`` -> ["spouse"]; ``release_date_s`` -> ["release", "date"]."""
    return [word for word in part.split("_") if word and word != "s" and not word.isdigit()]


def stem(word: str) -> str:
    return _PLURAL.sub(lambda match: "y" if match[1] == "ies" else "", word)


def short_words(relation: str) -> list[str]:
    """The words of the properties, none twice."""
    found: list[str] = []
    for part in relation.split("./"):
        for word in words_of(part.rsplit("/", 1)[-1]):
            if stem(word) not in map(stem, found):
                found.append(word)
    return found


def long_words(relation: str) -> list[str]:
    """The type in front of :func:`short_words`, none twice."""
    pieces = relation.split("./")[0].strip("/").split("/")
    owner = [word for word in words_of(pieces[-2] if len(pieces) > 1 else "") if word not in _EMPTY]
    short = short_words(relation)
    kept = [word for word in owner if stem(word) not in map(stem, short)]
    return kept + short


def freebase_labels(relations: Iterable[str]) -> dict[str, str]:
    """A readable label for every relation name, no two alike unless the names say the same."""
    names = list(dict.fromkeys(relations))
    labels = {name: _label(name) for name in names}
    counts = Counter(labels.values())
    labels = {name: label if counts[label] == 1 else " ".join(long_words(name)) for name, label in labels.items()}
    counts = Counter(labels.values())
    return {name: label if counts[label] == 1 else _full(name) for name, label in labels.items()}


def _label(name: str) -> str:
    short = " ".join(short_words(name))
    return short if " " in short and ("./" in name or _PHRASE.fullmatch(short)) else " ".join(long_words(name))


def _full(name: str) -> str:
    """Every part of the name that a person may read, none twice."""
    found: list[str] = []
    for word in (word for part in name.replace(".", "").strip("/").split("/") for word in words_of(part)):
        if stem(word) not in map(stem, found) and word not in _EMPTY:
            found.append(word)
    return " ".join(found)


# What people call the relations that questions ask for most; ours, beside the label made from the name.
SAID = {
    "/film/actor/film./film/performance/film": ("films acted in", "movies starring"),
    "/film/director/film": ("films directed", "directed"),
    "/film/film/music": ("music by", "composer"),
    "/film/film/written_by": ("screenwriter",),
    "/film/film/produced_by": ("film producer",),
    "/film/film/featured_film_locations": ("filmed in", "set in"),
    "/tv/tv_program/regular_cast./tv/regular_tv_appearance/actor": ("tv show cast", "plays in the series"),
    "/tv/tv_network/programs./tv/tv_network_duration/program": ("shows on the channel",),
    "/people/person/profession": ("occupation", "job"),
    "/people/person/nationality": ("country of citizenship", "country from"),
    "/people/person/place_of_birth": ("born in", "birthplace"),
    "/people/deceased_person/place_of_death": ("died in", "where died"),
    "/people/deceased_person/place_of_burial": ("buried in",),
    "/people/cause_of_death/people": ("people who died of it",),
    "/people/person/spouse_s./people/marriage/spouse": ("married to", "husband or wife"),
    "/people/person/sibling_s./people/sibling_relationship/sibling": ("brother or sister",),
    "/people/person/places_lived./people/place_lived/location": ("lived in", "residence", "home town"),
    "/people/person/religion": ("faith", "beliefs"),
    "/people/person/languages": ("languages spoken by a person",),
    "/people/person/gender": ("sex",),
    "/people/person/employment_history./business/employment_tenure/company": ("worked for", "employer"),
    "/people/ethnicity/people": ("people of this ethnic group",),
    "/base/popstra/celebrity/dated./base/popstra/dated/participant": ("dated", "boyfriend or girlfriend"),
    "/base/popstra/celebrity/friendship./base/popstra/friendship/participant": ("friend",),
    "/education/educational_institution/students_graduates./education/education/student": ("alumni", "studied here"),
    "/sports/pro_athlete/teams./sports/sports_team_roster/team": ("teams played for",),
    "/soccer/football_player/current_team./sports/sports_team_roster/team": ("football club",),
    "/sports/sports_team_location/teams": ("sports teams of a place",),
    "/sports/sports_team/sport": ("sport played by a team",),
    "/location/location/contains": ("places inside", "cities and regions in it"),
    "/location/country/capital": ("capital city",),
    "/location/country/official_language": ("language spoken in a country",),
    "/location/country/form_of_government": ("type of government", "political system"),
    "/location/location/time_zones": ("time zone",),
    "/location/location/adjoin_s./location/adjoining_relationship/adjoins": ("borders", "neighbouring places"),
    "/location/statistical_region/religions./location/religion_percentage/religion": ("religions in a place",),
    "/location/us_county/county_seat": ("county seat",),
    "/location/hud_county_place/county": ("county of a city",),
    "/location/statistical_region/places_exported_to./location/imports_and_exports/exported_to": ("trade partners",),
    "/language/human_language/countries_spoken_in": ("countries where a language is spoken",),
    "/influence/influence_node/influenced_by": ("inspired by",),
    "/music/artist/origin": ("band comes from",),
    "/music/genre/artists": ("artists of a genre", "plays this kind of music"),
    "/music/record_label/artist": ("signed artists",),
    "/music/group_member/membership./music/group_membership/group": ("member of the band",),
    "/music/instrument/instrumentalists": ("people who play the instrument",),
    "/government/politician/government_positions_held./government/government_position_held/jurisdiction_of_office": (
        "governed", "held office in"),
    "/government/politician/government_positions_held./government/government_position_held/basic_title": (
        "office held", "political position"),
    "/government/political_party/politicians_in_this_party./government/political_party_tenure/politician": (
        "members of the party",),
    "/organization/organization/headquarters./location/mailing_address/citytown": ("based in the city",),
    "/organization/organization_founder/organizations_founded": ("founded", "companies started"),
    "/organization/organization/place_founded": ("founded in the place",),
    "/organization/role/leaders./organization/leadership/organization": ("organization led by someone in the role",),
    "/award/award_category/winners./award/award_honor/award_winner": ("won by",),
    "/award/award_nominee/award_nominations./award/award_nomination/award": ("nominated for the award",),
    "/award/award_winning_work/awards_won./award/award_honor/award": ("awards of a work",),
    "/military/military_conflict/combatants./military/military_combatant_group/combatants": (
        "countries in the war", "fought in the war"),
    "/medicine/disease/notable_people_with_this_condition": ("people who had the disease",),
    "/medicine/symptom/symptom_of": ("diseases with the symptom",),
    "/time/event/locations": ("where the event took place",),
    "/user/ktrueman/default_domain/international_organization/member_states": ("member countries",),
}  # fmt: skip


def freebase_texts(relations: Iterable[str]) -> dict[str, list[str]]:
    """Relation name -> the texts it is known by, the label first."""
    found = {}
    for name, label in freebase_labels(relations).items():
        found[name] = list(dict.fromkeys([label, *SAID.get(name, ()), " ".join(short_words(name))]))
    return found
