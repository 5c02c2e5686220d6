"""A pack written again with some of its triples or with other names, by the one writer that packs have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kgask.build.folder import check_target
from kgask.build.writer import BuildReport, PackBuilder
from kgask.pack.records import Literal
from kgask.pack.store import Pack

CHUNK = 50_000  # triples, or entities, that are looked up together
Tell = Callable[[int], None]  # called with the triples copied so far


@dataclass(frozen=True, slots=True)
class Naming:
    """What entities are called in the copy; ``[i]`` is entity i, literals are not in it."""

    keys: Sequence[str]
    labels: Sequence[str]
    with_other_texts: bool  # aliases and descriptions too: they tell the old names


def naming_of(pack: Pack) -> Naming:
    """The names that the pack has."""
    return Naming(in_chunks(pack, pack.keys), in_chunks(pack, pack.labels), with_other_texts=True)


def in_chunks(pack: Pack, look_up: Callable[[Iterable[int]], list[str]]) -> list[str]:
    """A text for every entity that is no literal, in the order of ids."""
    n_named = pack.n_entities - pack.n_literals
    return [text for start in range(0, n_named, CHUNK) for text in look_up(range(start, min(start + CHUNK, n_named)))]


def aliases_of(pack: Pack) -> Iterator[tuple[int, str]]:
    """(entity, alias) of all aliases of a pack."""
    yield from pack.names.aliases_between(0, pack.n_entities - 1)


def copy_pack(
    pack: Pack,
    target: Path,
    naming: Naming,
    note: str,
    triples: np.ndarray | None = None,
    force: bool = False,
    tell: Tell = lambda _: None,
) -> BuildReport:
    """Write ``pack`` to ``target``; of its triples those with ``triples`` (int64 ids), all without.

    Relations keep their words, literals stay, licences are kept, and ``note`` is added to the sources. Entities that
    no kept triple names are left out. Raises BuildError as a build does.
    """
    check_target(target, force, sources=[pack.path])
    chosen = np.arange(pack.n_triples) if triples is None else np.sort(triples)
    builder = PackBuilder()
    relation_keys = [relation.key for relation in pack.relations()]
    for start in range(0, len(chosen), CHUNK):
        ids = chosen[start : start + CHUNK]
        subjects, relations, objects = (part.tolist() for part in pack.triples(ids))
        said = pack.statements(ids)
        ends = _ends(pack, naming, [*objects, *(v for found in said.values() for one in found for _, v in one)])
        for triple, subject, relation, obj in zip(ids.tolist(), subjects, relations, objects, strict=True):
            for one in said.get(triple, ((),)):
                qualifiers = [(relation_keys[key], ends[value]) for key, value in one]
                builder.add(naming.keys[subject], relation_keys[relation], ends[obj], qualifiers)
        tell(min(start + CHUNK, len(chosen)))
    _add_texts(builder, pack, naming)
    manifest = pack.manifest
    return builder.write(
        target,
        sources=[*manifest.get("sources", ()), note],
        licences=list(manifest.get("licences", ())),
        force=force,
        made_from=[pack.path],
    )


def _ends(pack: Pack, naming: Naming, objects: Sequence[int]) -> dict[int, str | Literal]:
    """What stands at the right of triples: a key, or the literal itself."""
    distinct = list(set(objects))
    literals = pack.literals(distinct)
    return {
        obj: naming.keys[obj] if literal is None else literal for obj, literal in zip(distinct, literals, strict=True)
    }


def _add_texts(builder: PackBuilder, pack: Pack, naming: Naming) -> None:
    for key, label in zip(naming.keys, naming.labels, strict=True):
        if builder.knows(key):
            builder.label(key, label)
    for relation in pack.relations():
        builder.relation(relation.key, relation.label, relation.aliases, relation.description, relation.inverse_label)
    if not naming.with_other_texts:
        return
    for entity, alias in aliases_of(pack):
        if builder.knows(naming.keys[entity]):
            builder.alias(naming.keys[entity], alias)
    for key, text in zip(naming.keys, in_chunks(pack, pack.descriptions), strict=True):
        if text and builder.knows(key):
            builder.description(key, text)
