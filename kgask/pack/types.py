"""The type graph: which relations the instances of each type have (KG-GPT, appendix B.1: TypeDBpedia), for any pack.

Made once, when the pack is built, from the pack's own "instance of" relations; a pack without such a relation, or
without types, has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from kgask.pack.arrays import distinct, id_type, spans
from kgask.pack.csr import Csr
from kgask.pack.labels import readable_relation
from kgask.pack.records import RelationText

TYPES_ARRAY = "types"  # the file is types.npy, int [n, 2]: type and relation, sorted
TYPES_COUNT = "type_relations"  # n, in the manifest's counts
_KEYS = ("/P31", "#type", "rdf:type")  # ends of keys; Wikidata's "instance of" and RDF's own
_LABELS = frozenset(
    "instance of|is instance of|type|rdf type|is a|isa|is an|a|class|has type|kind|has kind|kind of|is kind of|type of"
    "|is type of|entity type|object type|item type|record type|node type|category|has category|sort".split("|")
)
_WIDER_KEYS = ("/P279", "#subClassOf", "rdfs:subClassOf")
_WIDER_LABELS = frozenset({"subclass of", "sub class of", "subclassof", "is subclass of", "subtype of", "is a kind of"})


def is_type_relation(key: str, label: str) -> bool:
    """Whether a relation leads from a thing to what kind of thing it is."""
    return _plain(label) in _LABELS or key == "P31" or key.endswith(_KEYS)


def type_relations(relations: Sequence[RelationText]) -> list[int]:
    """The relations that lead to types."""
    return [at for at, text in enumerate(relations) if is_type_relation(text.key, text.label)]


def subclass_relations(relations: Sequence[RelationText]) -> list[int]:
    """The relations that lead from a type to a wider one."""
    return [
        at
        for at, text in enumerate(relations)
        if text.key == "P279" or text.key.endswith(_WIDER_KEYS) or _plain(text.label) in _WIDER_LABELS
    ]


@lru_cache(4096)  # the labels of a pack are looked at again with every class of a query
def _plain(label: str) -> str:
    words = label if "/" in label else readable_relation(label)  # instanceOf
    return " ".join(words.replace("_", " ").lower().split())


def type_table(csr: Csr, relations: Sequence[int], n_relations: int) -> np.ndarray:
    """[n, 2]: each type with each relation that an instance of it has in either direction, in ascending order.

    ``relations`` are those that lead to types; they are not listed themselves.
    """
    n_entities = len(csr.out_indptr) - 1
    every = np.arange(n_entities, dtype=np.int64)
    subjects, objects = np.repeat(every, np.diff(csr.out_indptr)), np.repeat(every, np.diff(csr.in_indptr))
    leads, led = np.isin(csr.out_relation, relations), np.isin(csr.in_relation, relations)
    instances, types = subjects[leads], csr.out_object[leads].astype(np.int64)
    outward = subjects[~leads] * n_relations + csr.out_relation[~leads]
    inward = objects[~led] * n_relations + csr.in_relation[~led]
    has = distinct(np.concatenate([outward, inward]))  # entity and relation, each pair once
    first, last = np.searchsorted(has, instances * n_relations), np.searchsorted(has, (instances + 1) * n_relations)
    counts = last - first
    pairs = distinct(np.repeat(types, counts) * n_relations + has[spans(first, counts)] % n_relations)
    found = np.column_stack([pairs // n_relations, pairs % n_relations])
    return found.astype(id_type(n_entities))
