"""``kgask eval prepare``, ``make``, ``rename``, ``half``, ``few``: packs and questions to measure on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgask.cli.figures import FILE, FOLDER, PLACE, SEED_OPTION, opened_pack, show_figures
from kgask.cli.options import JSON_OPTION, Command
from kgask.cli.render import note, steps_bar
from kgask.cli.writing import writing_with
from kgask.errors import UsageError

if TYPE_CHECKING:
    from kgask.build.writer import BuildReport
    from kgask.eval.rename import LeftOut

NEW_PACK = click.option("-o", "--output", required=True, type=PLACE, metavar="DIR", help="New pack.")
FORCE = click.option("--force", is_flag=True, help="Replace a pack, or a file of questions, that is there.")
PREPARED = (
    "metaqa",
    "entityquestions",
    "fb15k237",
    "mondial",
    "f1",
    "chinook",
    "openflights",
    "kqapro",
    "wikidata-union",
    "infotabs",
    "factbench",
    "kgconv",
)
MOST_REASONS = 10


def _built(report: BuildReport) -> str:
    counts = report.manifest["counts"]
    entities = f"{counts['entities']:,} entities, {counts['relations']} relations"
    return f"{report.path}: {counts['triples']:,} triples, {entities}"


@click.command("half", cls=Command)
@click.argument("pack")
@NEW_PACK
@click.option("--share", type=float, default=0.5, show_default=True, help="Share of the triples that is kept.")
@SEED_OPTION
@FORCE
def half(pack: str, output: Path, share: float, seed: int, force: bool) -> None:
    """Write a copy of PACK with a seeded share of its triples, names kept: an incomplete graph.

    A smaller share with the same seed is part of a larger one. Entities left without a triple are left out.
    """
    from kgask.eval.half import write_half

    with opened_pack(pack) as opened, steps_bar("copy", opened.n_triples) as show:
        report = write_half(opened, output, share, seed, force, lambda done: show(done, ""))
    note(_built(report))


@click.command("rename", cls=Command)
@click.argument("pack")
@NEW_PACK
@click.option("--questions", type=click.Path(exists=True, path_type=Path), metavar="IN", help="Questions to rename.")
@click.option("--set", "set_name", default="jsonl", show_default=True, help="The form of IN: metaqa, mintaka, ...")
@click.option("--split", help="Split of IN where it is a folder.")
@click.option("--questions-out", type=PLACE, metavar="OUT", help="The renamed ones, JSON lines.")
@SEED_OPTION
@FORCE
def rename(
    pack: str, output: Path, questions: Path | None, set_name: str, split: str | None, questions_out: Path | None,
    seed: int, force: bool,
) -> None:  # fmt: skip
    """Write a copy of PACK in which every entity has an invented name, and the same for questions.

    What holds on the copy comes from the graph and not from a model's memory. Relations and literals keep their
    words; aliases and descriptions are dropped. Questions whose topic cannot be told for sure are left out of OUT, and
    of a file with the originals beside it: compare the two with kgask eval compare.

    \b
      kgask eval rename metaqa -o metaqa_renamed --set metaqa --split dev_kbexact \\
        --questions DATA/metaqa --questions-out renamed.jsonl
      kgask eval run jsonl renamed.jsonl --pack metaqa_renamed ...
      kgask eval run jsonl renamed.original.jsonl --pack metaqa ...
    """
    from kgask import config
    from kgask.build.folder import check_target
    from kgask.eval.rename import invent_names, rename_questions, write_renamed
    from kgask.machine.files import check_output
    from kgask.sets import registry
    from kgask.sets.own import write_jsonl

    if (questions is None) != (questions_out is None):
        raise click.UsageError("--questions and --questions-out go together")
    inputs = [config.find("pack", pack).path, *([questions] if questions else [])]
    check_target(output, force, sources=inputs)
    if questions_out is not None:
        originals = questions_out.with_suffix(".original.jsonl")
        for file in (questions_out, originals):
            check_output(file, force, inputs)
    golds = registry.load(set_name, questions, split) if questions is not None else []
    with opened_pack(pack) as opened:
        naming = invent_names(opened, seed)
        found = rename_questions(opened, naming, golds)
        with steps_bar("copy", opened.n_triples) as show:
            report = write_renamed(opened, output, naming, seed, force, lambda done: show(done, ""))
    note(_built(report))
    if questions_out is not None:
        write_jsonl(questions_out, found.renamed, force)
        write_jsonl(originals, found.originals, force)
        note(f"{questions_out}: {len(found.renamed):,} questions of {len(golds):,}; as they were: {originals}")
        _note_left_out(found.left_out)


def _note_left_out(left_out: tuple[LeftOut, ...]) -> None:
    reasons = Counter(each.reason for each in left_out)
    for reason, count in reasons.most_common(MOST_REASONS):
        first = next(each.id for each in left_out if each.reason == reason)
        note(f"left out: {count:,} questions, {reason} (the first: {first})")


@click.command("make", cls=Command)
@click.argument("pack")
@click.option("-o", "--output", required=True, type=PLACE, metavar="OUT", help="JSON lines.")
@click.option("--number", type=click.IntRange(0), default=200, show_default=True, help="How many questions.")
@click.option("--conversations", type=click.IntRange(0), default=0, show_default=True, help="How many of 3 to 5 turns.")
@click.option("--bands", metavar="NAME=LEAST,...", help="Bands of popularity, most popular first.")
@click.option("--views", type=FILE, metavar="TSV", help="key<TAB>views: popularity by page views, not by triples.")
@click.option(
    "--uninformative", type=FILE, metavar="FILE", help="Not to ask for; see kgask/eval/make_uninformative.txt."
)
@click.option("--writer", metavar="GGUF", help="A language model that words the questions; where it fails, a template.")
@SEED_OPTION
@FORCE
@JSON_OPTION
def make(
    pack: str, output: Path, number: int, conversations: int, bands: str | None, views: Path | None,
    uninformative: Path | None, writer: str | None, seed: int, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Write questions with gold answers and triples about PACK, and print how good they are.

    Entities are sampled by band (head=50,torso=20,tail=5 triples; with --views I=10000,II=1000,III=100,IV=10), those
    with 5 to 100 informative triples. A question asks for one relation; a conversation goes on about its entity and
    about the answers without naming them. "kgask eval run jsonl OUT" asks them.
    """
    from kgask.eval.make import Settings
    from kgask.eval.make import make as make_questions
    from kgask.eval.make_sample import DEGREE_BANDS, VIEW_BANDS, parse_bands, read_rules, read_views
    from kgask.machine.files import check_output
    from kgask.sets.own import write_jsonl

    check_output(output, force, [each for each in (views, uninformative) if each is not None])
    parsed = parse_bands(bands or (VIEW_BANDS if views else DEGREE_BANDS))
    settings = Settings(number, conversations, seed, parsed, read_rules(uninformative))
    with opened_pack(pack) as opened, steps_bar("make", number + conversations) as show:
        popularity = read_views(opened, views) if views is not None else None
        write = None if writer is None else writing_with(writer, "--writer")
        made, quality = make_questions(opened, settings, popularity, write, tell=lambda done: show(done, ""))
    if not made:
        raise UsageError(f"{pack}: no entity of these bands has 5 to 100 informative triples; try other --bands")
    write_jsonl(output, [each.gold for each in made], force)
    note(f"{output}: {len(made):,} questions")
    show_figures(quality if as_json else {name: _shown(value) for name, value in quality.items()}, as_json)


def _shown(value: object) -> object:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {count}" for name, count in value.items())
    return ", ".join(value) if isinstance(value, list) else value


@click.command("make-claims", cls=Command)
@click.argument("pack")
@click.option("-o", "--output", required=True, type=PLACE, metavar="OUT", help="YAML, for 'kgask eval run claims'.")
@click.option("--number", type=click.IntRange(1), default=1000, show_default=True, help="How many claims.")
@SEED_OPTION
@FORCE
def make_claims(pack: str, output: Path, number: int, seed: int, force: bool) -> None:
    """Write synthetic claims about PACK with their verdicts: triples in words, and what the graph does not say.

    Of six kinds: true, corrupted subject or object, negated, two-hop, conjunction. What is corrupted is refuted only
    where the graph has everything: 'kgask eval run claims OUT --pack PACK --closed-world'.
    """
    import random

    from kgask.corpus.composed_claims import ClaimMaker, write
    from kgask.machine.files import check_output

    check_output(output, force)
    with opened_pack(pack) as opened:
        rows = list(ClaimMaker(opened, random.Random(seed)).draw(number))
    write(output, rows)
    note(f"{output}: {len(rows):,} claims")


@click.command("prepare", cls=Command)
@click.argument("name", type=click.Choice(PREPARED))
@click.argument("data", type=FOLDER)
@NEW_PACK
def prepare(name: str, data: Path, output: Path) -> None:
    """Build the pack that a question set is asked over.

    \b
    metaqa, entityquestions: what these do, from the sets' own files
      kgask pack build DATA/metaqa/kb.txt.gz -o metaqa
      kgask pack build DATA/entityquestions/triples_named.tsv.gz \\
        --columns subject,relation_label,object,relation,_ -o entityquestions
    fb15k237: Freebase mids as keys, names, aliases and descriptions beside them,
    and every relation name as words.
    mondial, f1: geography and Formula 1, with numbers, dates and qualifiers;
    kinds ("river", "driver") are classes.
    chinook, openflights: a music shop; airports, airlines and their routes.
    kqapro: KQA Pro's own facts with their qualifiers.
    infotabs: infoboxes of Wikipedia; factbench: facts with their years. Claims are
    judged over both. kgconv: what its conversations are about.
    wikidata-union: CoDEx, WD50K, EntityQuestions and FB15k-237 with its
    numbers as one graph, which Mintaka is asked over.
    """
    from kgask.sets.packs import build_pack

    note(_built(build_pack(name, data, output, note).report))


@click.command("covered", cls=Command)
@click.argument("set_name", metavar="SET")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--split", metavar="NAME", help="Which part of the set, where PATH holds several.")
@click.option("-p", "--pack", required=True, metavar="NAME", help="Pack that is to answer them.")
@click.option("-o", "--output", required=True, type=PLACE, metavar="OUT", help="JSON lines.")
@FORCE
@JSON_OPTION
def covered(set_name: str, path: Path, split: str | None, pack: str, output: Path, force: bool, as_json: bool) -> None:
    """Write the questions of SET (read from PATH) whose gold follows from the triples of a pack.

    The rule looks at the triples within two hops of the gold topics, by the kind of question (generic, count,
    superlative, yesno, ...); it uses neither planner nor linker, and kgask/eval/covered.py states it. Prints how many
    of each kind there are.

    \b
    kgask eval covered mintaka DATA/mintaka --split dev --pack PACK -o covered.jsonl
    kgask eval run jsonl covered.jsonl --pack PACK -o runs/mintaka
    kgask eval score runs/mintaka --by kind
    """
    from kgask import config
    from kgask.eval.covered import covered as covered_of
    from kgask.machine.files import check_output
    from kgask.sets import registry
    from kgask.sets.own import write_jsonl

    check_output(output, force, [path, config.find("pack", pack).path])
    golds = registry.load(set_name, path, split)
    with opened_pack(pack) as opened, steps_bar("covered", len(golds)) as show:
        found = covered_of(opened, golds, lambda done: show(done, ""))
    if not found:
        raise UsageError(f"{pack}: answers none of the {len(golds):,} questions")
    write_jsonl(output, found, force)
    note(f"{output}: {len(found):,} of {len(golds):,} questions")
    every, kept = Counter(gold.kind for gold in golds), Counter(gold.kind for gold in found)
    show_figures(
        {
            kind: {"covered": kept[kind], "questions": n} if as_json else f"{kept[kind]} of {n}"
            for kind, n in every.items()
        },
        as_json,
    )


@click.command("few", cls=Command)
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("-o", "--output", required=True, type=PLACE, metavar="DIR", help="Folder to write to.")
@SEED_OPTION
@FORCE
def few(files: tuple[Path, ...], output: Path, seed: int, force: bool) -> None:
    """One question of every type in FILES, and the questions of all other wordings.

    few.txt is for "kgask train adapt PACK --questions few.txt"; rest-1.txt, rest-2.txt, ... are for "kgask eval run
    metaqa". FILES are MetaQA's, with their files of types beside them.
    """
    from kgask.eval.few import write_few

    for name, n in write_few(files, output, seed, force).items():
        note(f"{output / name}: {n} questions")
