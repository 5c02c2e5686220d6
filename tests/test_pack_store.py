"""The family pack (tests/fixtures/family), whose answers are checked by eye."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from kgask.errors import PackDamage, PackError
from kgask.pack.blocks import BLOCK_BYTES
from kgask.pack.records import Literal
from kgask.pack.store import Pack


def _words(pack: Pack, ids: object) -> set[tuple[str, str, str]]:
    subjects, relations, objects = pack.triples(ids)  # type: ignore[arg-type]
    names = [relation.key for relation in pack.relations()]
    return set(zip(pack.labels(subjects), (names[r] for r in relations), pack.labels(objects), strict=True))


def test_counts(family: Pack) -> None:
    assert (family.n_entities, family.n_literals, family.n_relations, family.n_triples) == (10, 3, 8, 21)
    assert family.manifest["licences"] == ["CC0-1.0"]
    assert len(family.content_hash) == len(family.relation_hash) == 64


def test_rows_out_and_in(family: Pack) -> None:
    cora = family.find_key("Cora Reed")
    out = range(family.out_indptr[cora], family.out_indptr[cora + 1])
    assert _words(family, out) == {
        ("Cora Reed", "child", "Eve Reed"),
        ("Cora Reed", "child", "Finn Reed"),
        ("Cora Reed", "spouse", "Dan Reed"),
        ("Cora Reed", "teacher", "Dan Reed"),
    }
    incoming = slice(family.in_indptr[cora], family.in_indptr[cora + 1])
    assert sorted(family.labels(family.in_subject[incoming])) == ["Anne Hill", "Dan Reed", "George Hill"]


def test_triple_ids_are_found_from_both_sides(family: Pack) -> None:
    ids = np.arange(family.n_triples)
    assert (family.triple_ids(*family.triples(ids)) == ids).all()
    owners = np.repeat(np.arange(family.n_entities), np.diff(family.in_indptr))
    back = family.triple_ids(family.in_subject, family.in_relation, owners)
    assert sorted(back.tolist()) == ids.tolist()


@pytest.mark.parametrize("triple", [(0, 0, 0), (9, 7, 9), (-1, 0, 0), (10, 0, 0), (2, 99, 3)])
def test_absent_triples_and_ids_raise(family: Pack, triple: tuple[int, int, int]) -> None:
    with pytest.raises(PackError, match="no triple"):
        family.triple_ids(*([x] for x in triple))
    with pytest.raises(PackError, match="no triple 21"):
        family.triples([21])
    with pytest.raises(PackError, match="no entity 10"):
        family.labels([10])


def test_names_keep_order_and_duplicates(family: Pack) -> None:
    eve, dan = family.find_key("Eve Reed"), family.find_key("Dan Reed")
    assert family.labels([eve, dan, eve]) == ["Eve Reed", "Dan Reed", "Eve Reed"]
    assert family.labels(np.array([dan])) == ["Dan Reed"]
    assert family.labels([]) == family.keys([]) == family.literals([]) == []
    assert family.find_key("Nobody") is None


def test_literals(family: Pack) -> None:
    ids = range(family.n_entities - 3, family.n_entities)
    assert family.labels(ids) == ["1901-05-02", "1904", "180 cm"]
    assert family.kinds([0, *ids]) == ["entity", "date", "date", "number"]
    assert family.literals([0, ids[2]]) == [None, Literal("number", "180", 180.0, "cm")]
    assert family.keys(ids) == ['"1901-05-02"^^date', '"1904"^^date', '"180"^^number[cm]']
    assert [family.find_key(key) for key in family.keys(ids)] == list(ids)
    assert family.find_key('"181"^^number[cm]') is None
    assert family.find_key('"x"^^nonsense') is None


def test_relations(family: Pack) -> None:
    child = next(r for r in family.relations() if r.key == "child")
    assert child.aliases == ("daughter", "son")
    assert child.inverse_label == "child of"
    assert "date of birth" in family.relation_labels()


def test_exact_finds_labels_aliases_and_literals(family: Pack) -> None:
    found = family.exact(["eve reed", "evie", "180", "180 cm", "1904", "nobody", ""])
    assert set(found) == {"eve reed", "evie", "180", "180 cm", "1904"}
    (evie,) = found["evie"]
    assert (evie.entity, evie.name, evie.is_alias) == (family.find_key("Eve Reed"), "Evie", True)
    assert found["180"] == found["180 cm"]


def test_degree_and_descriptions(family: Pack) -> None:
    finn, cora = family.find_key("Finn Reed"), family.find_key("Cora Reed")
    assert family.degree([finn, cora]).tolist() == [7, 7]  # Finn's self loop counts in both directions
    assert family.descriptions([cora, finn]) == ["daughter of George and Anne", ""]


def test_search_ranks_exact_names_then_connected_entities(family: Pack) -> None:
    hits = family.search("reed")
    assert {hit.name for hit in hits} == {"Cora Reed", "Dan Reed", "Eve Reed", "Finn Reed"}
    degrees = family.degree([hit.entity for hit in hits]).tolist()
    assert degrees == sorted(degrees, reverse=True)
    assert family.search("evelyn r")[0].name == "Evelyn Reed"
    assert len(family.search("r", limit=2)) == 2
    assert family.search("zzz") == family.search("") == family.search('" OR *') == []


def test_open_reads_nothing_but_headers(family_path: Path, tmp_path: Path) -> None:
    """Where all pages of the names but that of their schema are broken, it opens, and the names alone are missed."""
    pack_path = Path(shutil.copytree(family_path, tmp_path / "family"))
    pages = bytearray((pack_path / "names.sqlite").read_bytes())
    for start in range(BLOCK_BYTES, len(pages), BLOCK_BYTES):
        pages[start] ^= 1
    (pack_path / "names.sqlite").write_bytes(pages)
    with Pack.open(pack_path) as pack:
        assert pack.degree([0])[0] > 0
        with pytest.raises(PackDamage):
            pack.labels([0])


def test_arrays_are_read_only_and_hold_the_inverse_direction(family: Pack) -> None:
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(family.out_object)[0] = 1
    assert np.iinfo(family.out_relation.dtype).max >= 2 * family.n_relations


def test_a_path_with_odd_characters(family_path: Path, tmp_path: Path) -> None:
    import shutil

    odd = tmp_path / "a?b#c%20 é"
    shutil.copytree(family_path, odd)
    with Pack.open(odd) as pack:
        assert pack.labels([0])
