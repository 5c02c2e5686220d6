"""A JSON document that is one object: a graph of nodes and links, or lists of things under what they are called.

::

    {"nodes": [{"id": 1, "label": "Ann"}, ...], "links": [{"source": 1, "target": 2, "label": "knows"}]}
    {"servers": [{"name": "web1", "rack": "R1"}, ...], "switches": {"sw1": {"ports": 24}, ...}}
    {"company": "Acme", "founded": 1990, "employees": [{"name": "Ann"}, ...]}

The first is what networkx, D3 and Cytoscape write. Of the others each list is read as one of things of that kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kgask.build.tables import NAMED_BY, readable, singular
from kgask.errors import BuildError

Said = Mapping[str, Any]
CALLED = (
    ("subject", "subj", "s", "head", "h", "source", "from", "start"),
    ("relation", "predicate", "rel", "p", "r", "property", "type", "label", "edge"),
    ("object", "obj", "o", "tail", "t", "target", "to", "end", "value"),
)
_NODES = ("nodes", "vertices", "entities")
_LINKS = ("links", "edges", "relationships", "relations")
_STARTS, _ENDS = ("source", "from", "start", "subject", "head"), ("target", "to", "end", "object", "tail")
_KINDS = ("relation", "relationship", "predicate", "interaction", "label", "type", "kind", "name")
_TYPES = ("labels", "type", "types", "category", "kind", "class")
IDS = ("id", "_id", "key", "@id")
_ABOUT = frozenset(  # a document, which is not called so
    "version schema generated created updated modified exported date source sources license licence author note notes "
    "comment comments description meta metadata info format encoding directed multigraph graph".split()
)


@dataclass(frozen=True, slots=True)
class Part:
    """An object of a document: under what it stands, and of what kind it is; "" for what the file is called."""

    under: str
    kind: str
    said: Said


def parts_of(document: Said) -> Iterator[Part]:
    """The things, nodes and links of a document, without the document itself."""
    document = _of_elements(document)
    collections = {name: value for name, value in document.items() if _is_collection(value)}
    nodes, links = (
        next((name for name in names if _are_objects(document.get(name))), "") for names in (_NODES, _LINKS)
    )
    if nodes and links:
        graph = (collections.pop(name) for name in (nodes, links))
        yield from _graph(*([_of_data(one) for one in those] for those in graph))
    elif _is_collection(document) and not collections:
        yield from (Part("", "", one) for one in _things(document))
    elif not collections:
        yield Part("", "", document)
    for name, value in collections.items():
        yield from (Part(name, singular(readable(name)), one) for one in _things(value))


def own_of(document: Said) -> tuple[str, Said] | None:
    """What a document that lists things says of the one that they belong to, and of what kind that is; None of nothing.

    It is called by a name or title, or by its first text: ``{"company": "Acme", ...}``.
    """
    own = {name: value for name, value in document.items() if not _is_collection(value)}
    if len(own) == len(document) or any(_are_objects(document.get(name)) for name in _LINKS):
        return None
    if named := next((name for name, value in own.items() if readable(name) in NAMED_BY and value), None):
        return "", {"name": own.pop(named), **own}
    texts = (name for name, value in own.items() if isinstance(value, str) and value.strip())
    first = next((name for name in texts if _ABOUT.isdisjoint(readable(name).split())), None)
    return (readable(first), {"name": own.pop(first), **own}) if first is not None else None


def _of_elements(document: Said) -> Said:
    """What Cytoscape writes, without the objects around it."""
    inner = document.get("elements")
    return inner if isinstance(inner, dict) else document


def _of_data(one: Said) -> Said:
    inner = one.get("data")
    return inner if isinstance(inner, dict) else one


def _graph(nodes: list[Said], links: list[Said]) -> Iterator[Part]:
    """Nodes and links as Neo4j's APOC writes them (:mod:`kgask.build.jsonl`)."""
    ids = [next((one[name] for name in (*IDS, *NAMED_BY) if one.get(name) not in (None, "")), at)
           for at, one in enumerate(nodes)]  # fmt: skip
    known = set(map(str, ids))
    for number, one in zip(ids, nodes, strict=True):
        types: Any = next((one[name] for name in _TYPES if one.get(name)), [])
        rest = {name: value for name, value in one.items() if name not in IDS and value is not types}
        if not any(readable(name) in NAMED_BY for name in rest):
            rest["name"] = str(number)
        types = [readable(str(type)) for type in (types if isinstance(types, list) else [types])]
        yield Part("", "", {"type": "node", "id": str(number), "labels": types, "properties": rest})
    for one in links:
        start, end = (_end(one, names, ids, known) for names in (_STARTS, _ENDS))
        kind = next((name for name in _KINDS if isinstance(one.get(name), str) and one[name]), "")
        rest = {name: value for name, value in one.items() if name not in (*IDS, *_STARTS, *_ENDS, kind)}
        yield Part("", "", {"type": "relationship", "label": one.get(kind, ""), "start": {"id": start},
                            "end": {"id": end}, "properties": rest})  # fmt: skip


def _end(link: Said, names: tuple[str, ...], ids: list[Any], known: set[str]) -> str:
    """The id at one end of a link, which may be a node itself or its place among the nodes."""
    end = next((link[name] for name in names if link.get(name) is not None), "")
    end = next((end[name] for name in IDS if name in end), "") if isinstance(end, dict) else end
    if isinstance(end, int) and str(end) not in known and 0 <= end < len(ids):
        end = ids[end]
    return str(end)


def _is_collection(value: Any) -> bool:
    return _are_objects(value) or (isinstance(value, dict) and _are_alike(value))


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _are_alike(value: Said) -> bool:
    """Whether an object holds things by their names: objects that have properties in common."""
    inner = [*value.values()]
    if len(inner) < 2 or not all(isinstance(one, dict) and one for one in inner):
        return False
    return bool(set.intersection(*(set(one) for one in inner)))


def _things(collection: Any) -> Iterator[Said]:
    if isinstance(collection, list):
        yield from collection
        return
    for name, one in collection.items():
        is_named = any(readable(key) in NAMED_BY for key in one)
        yield {**({"id": name} if is_named else {"name": name}), **one}


def called_part(said: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    found = next((name for name in names if said.get(name) is not None), None)
    if found is None:
        raise BuildError(f"no {names[0]} (also called {', '.join(names[1:4])}, ...)")
    return said[found]


def has_part(said: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    return any(said.get(name) is not None for name in names)
