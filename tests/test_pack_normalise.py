from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgask.pack.normalise import normalise, normalised


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lady Susan", "lady susan"),
        ("  Jane   AUSTEN ", "jane austen"),
        ("Jane Austen's", "jane austen"),
        ("Jane Austen’s novels", "jane austen novels"),
        ("Schindler's List", "schindler list"),
        ("Émile Zola", "emile zola"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("Wall-E: (2008)", "wall e 2008"),
        ("357588 km²", "357588 km2"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("!!!", "!!!"),
        ("'s", "s"),
        ("日本", "日本"),
        ("", ""),
        ("\udcff", ""),
        ("\udcff!", "!"),
        ("a\udcff", "a"),
    ],
)
def test_normalise(text: str, expected: str) -> None:
    assert normalise(text) == expected


def test_vowel_signs_are_kept() -> None:
    assert normalise("की") != normalise("का")


@given(st.text())
def test_normalise_is_idempotent(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@given(st.text())
def test_case_and_spacing_do_not_count(text: str) -> None:
    assert normalise(f"  {text.replace(' ', '  ')} ") == normalise(text)


@given(st.text(min_size=1).filter(lambda text: not text.isspace()))
def test_a_name_never_becomes_empty_unless_it_is_only_marks(text: str) -> None:
    import unicodedata

    visible = [c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c) and not c.isspace()]
    assert bool(normalise(text)) == bool(visible)


@given(st.lists(st.text(st.one_of(st.characters(), st.sampled_from(" '-!\nab"))), max_size=9))
def test_many_are_normalised_as_each_is(texts: list[str]) -> None:
    assert normalised(texts) == [normalise(text) for text in texts]
