"""SimpleQuestions over Wikidata (Diefenbach et al. 2017): ``subject<TAB>P19<TAB>object<TAB>question``."""

from __future__ import annotations

import re
from pathlib import Path

from kgask.errors import UsageError
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic
from kgask.sets.rows import lines_of, one_of_folder, stem

FOLDER = Path("simplequestions_wikidata")
VALID = FOLDER / "annotated_wd_data_valid.txt.gz"
TRAINING = FOLDER / "annotated_wd_data_train.txt.gz"
ANSWERABLE = FOLDER / "annotated_wd_data_train_answerable.txt.gz"  # those that Wikidata can answer
_RELATION = re.compile(r"([PR])(\d+)")
_ENTITY = re.compile(r"Q\d+")


def load(path: Path, split: str | None) -> list[Gold]:
    """A file, or a folder of them with ``split`` (train, valid, test); Wikidata ids and no names.

    ``R19`` is P19 walked from object to subject: its object is asked for all the same, so the triple is turned.
    """
    if path.is_dir() and split and (path / f"annotated_wd_data_{split}.txt.gz").is_file():
        path = path / f"annotated_wd_data_{split}.txt.gz"  # beside it stands the part that Wikidata can answer
    else:
        path = one_of_folder(path, (".txt", ".tsv"), split)
    return [_gold(path, number, line) for number, line in lines_of(path)]


def _gold(path: Path, number: int, line: str) -> Gold:
    fields = [field.strip() for field in line.split("\t")]
    relation = _RELATION.fullmatch(fields[1]) if len(fields) == 4 else None
    if relation is None or not (_ENTITY.fullmatch(fields[0]) and _ENTITY.fullmatch(fields[2]) and fields[3]):
        raise UsageError(f"{path}:{number}: expected 'Q1<TAB>P2 or R2<TAB>Q3<TAB>question'")
    topic, _, answer, text = fields
    key, inverse = f"P{relation[2]}", relation[1] == "R"
    return Gold(
        id=f"{stem(path)}:{number}",
        text=text,
        answers=(GoldAnswer((), answer),),
        topics=(GoldTopic("", topic),),
        relations=(f"^{key}" if inverse else key,),
        kind=key,
        hops=1,
        triples=((answer, key, topic) if inverse else (topic, key, answer),),
    )
