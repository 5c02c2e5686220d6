"""FactKG (Kim et al. 2023): claims over DBpedia. Published as a pickle, which may run code: it is never opened here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kgask.errors import UsageError
from kgask.sets.claims import VERDICTS, GoldClaim
from kgask.sets.gold import Gold, GoldTopic
from kgask.sets.rows import fits, json_of, one_of_folder, raw_start, stem

_PICKLE_STARTS = (b"\x80", b"(d", b"(l", b"}q")
_KINDS = (  # the paper's five types of reasoning, the one that decides first (its section 3)
    ("negation", "negation"), ("existence", "existence"), ("multi hop", "multi-hop"), ("multi claim", "conjunction"),
    ("num1", "one-hop"),
)  # fmt: skip


def load(path: Path, split: str | None) -> list[Gold]:
    """A JSON export ``{claim: {"Label": [true], "Entity_set": [..], "Evidence": {..}, "types": [..]}}``.

    Relations are those of the evidence in order, "~" written as "^"; keys are DBpedia's names with underscores.
    """
    path = one_of_folder(path, (".json", ".pickle", ".pkl"), split)
    if path.name.endswith((".pickle", ".pkl")) or raw_start(path, 2).startswith(_PICKLE_STARTS):
        export = f"json.dump(pickle.load(open('{path.name}', 'rb')), open('{stem(path)}.json', 'w'))"
        raise UsageError(
            f"{path}: a pickle can run code when it is opened, so kgask does not; if you trust it, export it once: "
            f'python -c "import json, pickle; {export}"'
        )
    content = json_of(path)
    if not isinstance(content, dict):
        raise UsageError(f"{path}: an object of claims is expected")
    return [_gold(path, number, claim, about) for number, (claim, about) in enumerate(content.items(), 1)]


def claims(path: Path, split: str | None) -> list[GoldClaim]:
    """The claims with their verdicts; FactKG's graph decides each."""
    golds = load(path, split)
    return [
        GoldClaim(one.text, one.kind or "", VERDICTS["supported" if one.label else "refuted"], None) for one in golds
    ]


def _gold(path: Path, number: int, claim: str, about: Any) -> Gold:
    with fits(f"{path}: claim {number}"):
        label = about["Label"][0]
        if not isinstance(label, bool):
            raise ValueError(f"Label is neither true nor false: {label!r}")
        paths = [_steps(walked) for walks in (about.get("Evidence") or {}).values() for walked in walks]
        return Gold(
            id=f"{stem(path)}:{number}",
            text=claim,
            topics=tuple(GoldTopic(_name(key), key) for key in about["Entity_set"]),
            relations=tuple(_relation(step) for walked in paths for step in walked),
            kind=_kind(about.get("types") or []),
            hops=max(map(len, paths), default=0) or None,
            label=label,
        )


def _name(key: str) -> str:
    return key.replace("_", " ").strip('"')


def _steps(walked: str | list[str]) -> list[str]:
    return [walked] if isinstance(walked, str) else walked


def _relation(step: str) -> str:
    return f"^{step[1:]}" if step.startswith("~") else step


def _kind(types: list[str]) -> str:
    return next((name for given, name in _KINDS if given in types), "+".join(types))
