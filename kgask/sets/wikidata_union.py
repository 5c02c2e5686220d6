"""One pack of the Wikidata graphs at hand: CoDEx-M, WD50K with its qualifiers, EntityQuestions, and FB15k-237 with its
numbers where an entity has a Wikidata id.

Keys are Wikidata ids; an entity without a label is left out, as it can be neither asked for nor read. EntityQuestions
has names only: a name of exactly one labelled id is that id, a name of none is an entity of its own, and what names
several is left out. Freebase's relations keep their names as keys beside Wikidata's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kgask.sets import entityquestions, fb15k237
from kgask.sets.freebase_names import freebase_texts
from kgask.sets.pack_lines import PackLines, literal, one_line
from kgask.sets.rows import in_data, json_of, lines_of
from kgask.sets.wikidata import entity_labels, property_labels

LICENCES = ("MIT", "CC BY 4.0", "CC BY-SA 4.0", "Freebase CC BY", "Wikidata CC0")
NOTES = (
    "CoDEx-M (Safavi and Koutra 2020)", "WD50K (Galkin et al. 2020)", "EntityQuestions, facts from T-REx", "FB15k-237",
)  # fmt: skip
_CODEX = "codex/codex_m_{}.txt.gz"
_WD50K = Path("wd50k")
# Freebase's number -> Wikidata's property and the unit in which Freebase gives it; None: a date.
_NUMBERS: dict[str, tuple[str, str | None]] = {
    "people.person.date_of_birth": ("P569", None),
    "people.deceased_person.date_of_death": ("P570", None),
    "people.person.height_meters": ("P2048", "m"),
    "people.person.weight_kg": ("P2067", "kg"),
    "location.location.area": ("P2046", "km²"),
    "topic_server.population_number": ("P1082", ""),
    "film.film.initial_release_date": ("P577", None),
    "organization.organization.date_founded": ("P571", None),
    "location.dated_location.date_founded": ("P571", None),
    "sports.sports_team.founded": ("P571", None),
    "award.award_category.date_established": ("P571", None),
    "location.dated_location.date_dissolved": ("P576", None),
    "time.event.start_date": ("P580", None),
    "time.event.end_date": ("P582", None),
    "tv.tv_program.air_date_of_first_episode": ("P580", None),
    "tv.tv_program.air_date_of_final_episode": ("P582", None),
    "tv.tv_program.number_of_episodes": ("P1113", ""),
    "tv.tv_program.number_of_seasons": ("P2437", ""),
    "tv.tv_program.episode_running_time": ("P2047", "min"),
    "music.artist.active_start": ("P2031", None),
    "music.artist.active_end": ("P2032", None),
    "olympics.olympic_games.number_of_countries": ("P1132", ""),
    "geography.river.length": ("P2043", "km"),
    "chemistry.chemical_element.atomic_number": ("P1086", ""),
    "chemistry.chemical_compound.density": ("P2054", "kg/m³"),
    "location.country.calling_code": ("P474", ""),
}
# What a whole number means: most dates are "a month of the year before has ended", these are years alone...
_YEARS = frozenset(
    ("organization.organization.date_founded", "location.dated_location.date_founded", "sports.sports_team.founded",
     "award.award_category.date_established", "location.dated_location.date_dissolved", "music.artist.active_start",
     "music.artist.active_end")
)  # fmt: skip
_EITHER = frozenset(("film.film.initial_release_date",))  # ... and these may be either, so are not told


def wikidata_union(data: Path) -> PackLines:
    """All of it as lines."""
    found = PackLines()
    labels = _labels(data)
    for subject, relation, obj, said in (*_codex(data), *_wd50k(data)):
        pairs = [(name, value) for name, value in said if value in labels]
        if subject in labels and obj in labels:
            found.add(subject, relation, obj, pairs)
    _add_named(data, labels, found)
    _add_freebase(data, found)
    found.labels |= labels
    found.relations |= _property_texts(data)
    return found


def _labels(data: Path) -> dict[str, str]:
    """Id -> label; KGConv's preferred ones first, then those that came with a graph."""
    labels = {entity.wikidata_id: entity.label for entity in _freebase_entities(data)}
    for _, line in lines_of(in_data(data, _WD50K / "entity_labels.tsv.gz")):
        key, label, _ = line.split("\t")
        labels.setdefault(key, label)
    for _, line in lines_of(in_data(data, "codex/codex_m_labelled.tsv.gz")):
        subject, subject_label, _, _, obj, object_label, _ = line.split("\t")
        labels.setdefault(subject, subject_label)
        labels.setdefault(obj, object_label)
    return labels | entity_labels(data)


def _freebase_entities(data: Path) -> list[fb15k237.NamedEntity]:
    return [entity for entity in fb15k237.named_entities(data) if entity.wikidata_id]


def _codex(data: Path) -> Iterator[tuple[str, str, str, list[tuple[str, str]]]]:
    for split in ("train", "valid", "test"):
        for _, line in lines_of(in_data(data, _CODEX.format(split))):
            subject, relation, obj = line.split("\t")
            yield subject, relation, obj, []


def _wd50k(data: Path) -> Iterator[tuple[str, str, str, list[tuple[str, str]]]]:
    for _, line in lines_of(in_data(data, _WD50K / "statements.tsv.gz")):
        subject, relation, obj, *said = line.split("\t")
        yield subject, relation, obj, list(zip(said[::2], said[1::2], strict=True))


def _add_named(data: Path, labels: dict[str, str], found: PackLines) -> None:
    """EntityQuestions' triples, their names as ids where a name has one."""
    ids: dict[str, set[str]] = {}
    for key, label in labels.items():
        ids.setdefault(label, set()).add(key)

    def key_of(name: str) -> str | None:
        called = ids.get(name, set())
        return name if not called else next(iter(called)) if len(called) == 1 else None

    for _, line in lines_of(in_data(data, entityquestions.TRIPLES)):
        subject, _, obj, relation, _ = line.split("\t")
        ends = key_of(subject), key_of(obj)
        if ends[0] and ends[1]:
            found.add(ends[0], relation, ends[1])


def _add_freebase(data: Path, found: PackLines) -> None:
    ids = {entity.mid: entity.wikidata_id for entity in _freebase_entities(data)}
    relations: set[str] = set()
    for subject, relation, obj in fb15k237.triples(data):
        if subject in ids and obj in ids:
            relations.add(relation)
            found.add(ids[subject], relation, ids[obj])
    for _, line in lines_of(in_data(data, "fb15k237/numeric.tsv.gz")):
        mid, _, name, value = line.split("\t")
        if mid in ids and name in _NUMBERS:
            text = _freebase_value(name, value)
            if text is not None:
                found.add(ids[mid], _NUMBERS[name][0], text)
    for relation, texts in freebase_texts(sorted(relations)).items():
        found.relations[relation] = f"{texts[0]}\t{'|'.join(texts[1:])}"
    for entity in _freebase_entities(data):
        for alias in entity.aliases:
            found.alias(entity.wikidata_id, alias)
        if entity.description:
            found.descriptions[entity.wikidata_id] = entity.description


def _freebase_value(name: str, value: str) -> str | None:
    """A number with its unit, or a date as precise as Freebase's fraction of a year is."""
    unit = _NUMBERS[name][1]
    if unit is not None:
        number = float(value)
        return literal("number", f"{number:.0f}" if number.is_integer() else value, unit)
    year, month = divmod(round(float(value) * 12), 12)
    if month == 0 and name in _EITHER:
        return None
    if month == 0 and name in _YEARS:
        return literal("date", f"{year}")
    return literal("date", f"{year:04}-{month:02}" if month else f"{year - 1:04}-12")


def _property_texts(data: Path) -> dict[str, str]:
    codex = json_of(in_data(data, "codex/relations_en.json"))
    labels = property_labels(data) | {key: said["label"] for key, said in codex.items()}
    return {key: one_line(label) for key, label in labels.items()}
