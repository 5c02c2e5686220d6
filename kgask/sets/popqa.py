"""PopQA (Mallen et al. 2023): long-tail questions over Wikidata with the page views of their subjects."""

from __future__ import annotations

import json
from pathlib import Path

from kgask.sets.bands import band_of_views
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic
from kgask.sets.keys import graph_key
from kgask.sets.rows import fits, one_of_folder, text_at, tsv_rows

_NEEDED = ("subj", "prop", "obj", "question", "possible_answers")


def load(path: Path, split: str | None) -> list[Gold]:
    """``popQA.tsv``; bands are LTGen's levels (:mod:`kgask.sets.bands`) of the subject's monthly page views."""
    path = one_of_folder(path, (".tsv",), split)
    return [_gold(where, number, row) for where, number, row in tsv_rows(path, _NEEDED)]


def _gold(where: str, number: int, row: dict[str, str]) -> Gold:
    with fits(where):
        subject, obj = _key(row.get("s_uri")), _key(row.get("o_uri"))
        relation = text_at(row, "prop")
        names = [text_at(row, "obj"), *_names(row["possible_answers"])]
        views = row.get("s_pop", "").strip()
        return Gold(
            id=row.get("id") or f"popqa:{number}",
            text=text_at(row, "question"),
            answers=(GoldAnswer(tuple(dict.fromkeys(names)), obj),),
            topics=(GoldTopic(text_at(row, "subj"), subject),),
            relations=(relation,),
            kind=relation,
            hops=1,
            triples=((subject or row["subj"], relation, obj or row["obj"]),),
            band=band_of_views(float(views)) if views else "",
        )


def _key(iri: str | None) -> str | None:
    return graph_key(iri) if iri else None


def _names(written: str) -> list[str]:
    names = json.loads(written or "[]")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"possible_answers is no list of texts: {written!r}")
    return names
