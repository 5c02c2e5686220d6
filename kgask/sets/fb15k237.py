"""FB15k-237 (Toutanova and Chen 2015) with names: entities, triples, and paths between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kgask.errors import UsageError
from kgask.pack.normalise import normalise
from kgask.sets.rows import in_data, lines_of

Step = tuple[str, bool]  # (relation name, inverse)
Path2 = tuple[Step, ...]  # of one or two steps
FOLDER = Path("fb15k237")
TRIPLES = "triples_mid.tsv.gz"
MAX_MIDDLE = 3000  # entities that a two-hop path may pass through


@dataclass(frozen=True, slots=True)
class NamedEntity:
    mid: str
    label: str
    description: str
    aliases: tuple[str, ...]
    wikidata_id: str = ""  # where one is known


def named_entities(data: Path) -> Iterator[NamedEntity]:
    """Rows of ``entities_named.tsv``."""
    for number, (mid, wikidata_id, label, description, aliases) in enumerate(_rows(data, "entities_named.tsv.gz", 5)):
        if number:
            others = tuple(alias for alias in aliases.split("|") if alias)
            yield NamedEntity(mid, label or mid, description, others, wikidata_id)


def triples(data: Path) -> Iterator[tuple[str, str, str]]:
    """Subject mid, relation name, object mid; all splits."""
    for subject, relation, obj, _ in _rows(data, TRIPLES, 4):
        yield subject, relation, obj


def _rows(data: Path, name: str, n_fields: int) -> Iterator[list[str]]:
    path = in_data(data / FOLDER, name)
    for number, line in lines_of(path):
        fields = line.split("\t")
        if len(fields) != n_fields:
            raise UsageError(f"{path}:{number}: {n_fields} fields expected")
        yield fields


class FreebaseGraph:
    """The triples in memory, followed step by step; a topic is never its own answer."""

    def __init__(self, entities: Iterable[NamedEntity], triples: Iterable[tuple[str, str, str]]) -> None:
        self.names: dict[str, tuple[str, ...]] = {}
        self.by_name: dict[str, set[str]] = {}
        self.relations: set[str] = set()
        self._steps: dict[str, dict[Step, set[str]]] = {}
        for entity in entities:
            self.names[entity.mid] = (entity.label, *entity.aliases)
            for name in self.names[entity.mid]:
                self.by_name.setdefault(normalise(name), set()).add(entity.mid)
        for subject, relation, obj in triples:
            self.relations.add(relation)
            self._steps.setdefault(subject, {}).setdefault((relation, False), set()).add(obj)
            self._steps.setdefault(obj, {}).setdefault((relation, True), set()).add(subject)

    @classmethod
    def load(cls, data: Path) -> FreebaseGraph:
        return cls(named_entities(data), triples(data))

    def __contains__(self, mid: str) -> bool:
        return mid in self._steps

    def named(self, name: str) -> set[str]:
        """Entities with the label or alias, in any case and without accents."""
        return self.by_name.get(normalise(name), set())

    def follow(self, topic: str, path: Iterable[Step]) -> set[str]:
        """Where a path ends."""
        reached = {topic}
        for step in path:
            reached = set().union(*(self._steps[at].get(step, ()) for at in reached)) - {topic}
        return reached

    def paths_to(self, topic: str, targets: set[str]) -> dict[Path2, set[str]]:
        """All paths of one or two hops that end at a target, with all that they end at."""
        found: set[Path2] = set()
        ways_in: dict[str, set[Step]] = {}  # what leads on to a target, by where it leads from
        for target in targets - {topic}:
            for (relation, inverse), ends in self._steps.get(target, {}).items():
                for end in ends:
                    ways_in.setdefault(end, set()).add((relation, not inverse))
        found.update((step,) for step in ways_in.get(topic, ()))
        for first, middle in self._steps.get(topic, {}).items():
            if len(middle) <= MAX_MIDDLE:
                found.update((first, last) for at in middle if at != topic for last in ways_in.get(at, ()))
        return {path: self.follow(topic, path) for path in found}


def f1(found: set[str], wanted: set[str]) -> float:
    right = len(found & wanted)
    return 2 * right / (len(found) + len(wanted)) if right else 0.0
