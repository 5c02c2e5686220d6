"""``kgask pack build``: the command line of :mod:`kgask.build.recipe`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgask.config import find, list_found, places
from kgask.errors import UsageError

if TYPE_CHECKING:
    from kgask.build.recipe import BuildOutcome, Recipe
    from kgask.build.texts import TextKind

_LARGE_BYTES = 1_000_000_000
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT])i?B?", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_FORMATS = [
    "tsv", "csv", "pipe", "rows", "parquet", "neo4j", "jsonl", "graphml", "wikidata", "sqlite", "nt", "nq", "ttl",
    "rdf", "jsonld",
]  # fmt: skip
BUILD_EPILOG = """\b
Sources are TSV, CSV or Parquet triples, subject|relation|object lines, tables with a row
a thing under the names of columns (name,city,founded), RDF (N-Triples, N-Quads, Turtle,
RDF/XML, JSON-LD), Neo4j's exports (CSV with :ID and :START_ID, APOC's CSV and JSON), JSON
Lines ({"subject": ..., "relation": ..., "object": ...}, or a thing a line), JSON (a list of
things, an object with several, nodes and links), GraphML, Wikidata's JSON, SQLite
databases, Excel workbooks (.xlsx: each sheet is a table), or packs; plain or packed
(gzip, bzip2, xz, zstd), or - for stdin; a folder stands for the files in it. In tables
subjects and objects are ids or labels: a key without a label is its own label.
\b
Columns (--columns, or the first line with --header): subject, relation, object,
subject_label, relation_label, object_label, and _ for a column to pass over.
\b
Qualifiers (point in time, role) of a line's triple; empty fields say nothing:
  qualifier,value          a relation and its value, any number of such pairs
  qualifier,value,...      at the end: as many pairs as the line has
  qualifier:RELATION       values of this relation ("qualifier:point in time")
In RDF: << s p o >> q v, s p o {| q v |} (Turtle), rdf:reifies, and Wikidata's
statement nodes (p:, ps:, pq:, with psv: and pqv: for units and precision).
\b
Literals. A field of a table is an entity unless it is written as a literal:
  "1811"^^date   "1811-10-30"^^date   "44 BCE"^^date   "-0043-03-15"^^date
  "357588"^^number   "357588"^^number[km²]   "any text"^^string
or unless --literal says that its relation has literals (fields then hold the bare
text): --literal release_year=date --literal "area=number[km²]". ISO years are
astronomical: -0043 is 44 BCE. RDF literals keep their datatypes.
Of the other relations those become literals whose fields nearly all are numbers
(with one unit, "12 km", "80%", "$5", "1.234,50 €", or none), dates (2015-03-05,
"5 March 2015", 5.3.2015; 5/3/2015 as other dates say which is the day) or times of day
(07:42, 7 pm), and of which nothing else is said; years where the relation tells of when
("founded"). A first line that names the columns (subject,relation,object) and another
delimiter (; or a tab) are recognised too, and so is a table with a row a thing: its
first line is unlike those below it, and names differ from row to row. A column called id, name or title, or the
first one, says which thing, or the titles behind marks ("L-101"); department_id is the
row of that id in departments.csv, and so are values that name a row with an id by that or
by its name (manager_id, "lead: Ann Lee"); a cell may list things ("Merlot; Syrah") that
other cells have too. --format rows says so, --text denies it. What was recognised is
said; --text prevents it.
\b
Text files (TSV, or CSV by the name; the first file that names a key wins):
  labels, descriptions   key, text
  aliases                key, alias|alias
  relations              key, label, alias|alias, description, inverse label
                         (the last three may be left out)
  passages               key|key, text about these entities; long texts are
                         split into passages of at most 100 words
\b
Lines of # alone or beginning with "# " are comments. A broken line stops the build
(exit 1, nothing written) unless --skip-errors is given.
\b
Examples:
  kgask pack build kb.txt.gz --literal release_year=date -o films
  kgask pack build triples.tsv --labels labels.tsv --relations relations.tsv -o mine
  kgask pack build prizes.csv -o prizes --literal "point in time=date" \\
    --columns "subject,relation,object,qualifier:point in time"
  kgask pack build codex.tsv -o codex \\
    --columns subject,subject_label,relation,relation_label,object,object_label,_
  zcat dump.nt.gz | kgask pack build - --format nt -o dump
  kgask pack build nodes.csv edges.csv -n mine
  kgask pack build our_tables/ -n ours
  kgask pack build music.sqlite --mapping music.toml -o music
  kgask pack build dump.nt.gz -o dump --engine duckdb --memory 4GB
  kgask pack build dump.nt.gz -o /shared/dump --engine spark --master spark://head:7077
"""


def _text_option(kind: str, help_text: str) -> Any:
    return click.option(f"--{kind}", multiple=True, metavar="FILE", help=f"{help_text} Repeatable.")


# How sources are read: of every command that reads some.
_READING = (
    click.argument("sources", nargs=-1, required=True, metavar="SOURCE..."),
    click.option(
        "--format",
        type=click.Choice(_FORMATS),
        help="Format of the sources; by default from their names. Needed for stdin.",
    ),
    click.option("--columns", metavar="A,B,...", help="Columns of a table, in order."),
    click.option("--header", is_flag=True, help="The first line names the columns (with --columns: pass over it)."),
    click.option("--delimiter", metavar="CHAR", help="Delimiter of a table, one character (\\t for a tab)."),
    click.option("--literal", multiple=True, metavar="RELATION=KIND", help="A relation of literals. Repeatable."),
    click.option(
        "--mapping",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="What tables mean: of a database, or files ('kgask pack map' writes it).",
    ),
    click.option(
        "--all-ranks", is_flag=True, help="Of Wikidata's JSON: all statements but the deprecated, not the best."
    ),
    click.option("--external-ids", is_flag=True, help="Of Wikidata's JSON: keep ids in other catalogues."),
    click.option("--text", is_flag=True, help="Recognise nothing in tables: bare numbers and dates are names."),
    click.option(
        "--language",
        multiple=True,
        metavar="TAG",
        help="Languages of RDF labels, best first. Repeatable; en by default.",
    ),
    _text_option("labels", "Labels of entities."),
    _text_option("aliases", "Other names of entities."),
    _text_option("descriptions", "Descriptions of entities."),
    _text_option("relations", "Labels, aliases, descriptions, inverse labels of relations."),
    _text_option("passages", "Texts about entities, for --context passages."),
    click.option("--licence", multiple=True, help="Licence of the data, for the manifest. Repeatable."),
    click.option("--source-note", multiple=True, help="Where the data come from, for the manifest. Repeatable."),
    click.option("--skip-errors", is_flag=True, help="Go on without broken lines and say how many there were."),
)


def reads_sources(command: Any) -> Any:
    """A command with the arguments and options of how sources are read (:func:`recipe_of` takes them)."""
    for decorate in reversed(_READING):
        command = decorate(command)
    return command


@click.command(epilog=BUILD_EPILOG)
@reads_sources
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Pack folder.")
@click.option("-n", "--named", metavar="NAME", help="Put it where every command finds it by this name.")
@click.option("--name", default="", help="Name of the pack; by default that of the folder.")
@click.option(
    "--iri-prefix",
    default="",
    metavar="IRI",
    help="What keys that are no IRIs begin with in RDF and SPARQL.  [default: urn:kgask:]",
)
@click.option("--force", is_flag=True, help="Replace a pack that is there.")
@click.option(
    "--engine",
    type=click.Choice(["memory", "duckdb", "spark"]),
    default="memory",
    show_default=True,
    help="duckdb builds the same pack within --memory and temporary disk beside it (pip install 'kgask[scale]'), "
    "spark does on the cluster of --master (pip install 'kgask[spark]').",
)
@click.option(
    "--memory",
    metavar="SIZE",
    help="What --engine duckdb, or the driver of spark, may take, such as 800MB or 4GB.  [default: 2GB]",
)
@click.option("--master", metavar="URL", help="Of --engine spark, such as spark://host:7077.  [default: local[*]]")
def build(
    sources: tuple[str, ...],
    output: Path | None,
    named: str | None,
    engine: str,
    memory: str | None,
    master: str | None,
    **options: Any,
) -> None:
    """Build a pack from triples, a graph, a database or other packs.

    One of -o and -n says where: -o DIR is a path, -n NAME a name by which
    every command finds it.
    """
    from kgask.cli.render import note, progress

    if engine == "memory" and memory is not None:
        raise UsageError("--memory is of --engine duckdb and spark; the engine memory takes what it needs")
    if engine != "spark" and master is not None:
        raise UsageError("--master is of --engine spark")
    target = new_pack(output, named)
    recipe = recipe_of(sources, target, options)
    inputs = [*recipe.sources, *(name for _, name in recipe.texts)]
    n_bytes = _total_bytes(inputs)
    build_pack = _engine(engine, memory, master)
    if engine == "memory" and (n_bytes or 0) > _LARGE_BYTES:
        note(f"{(n_bytes or 0) / 1e9:.1f} GB to read into memory; --engine duckdb builds within --memory")
    with progress("Reading", n_bytes) as on_bytes:
        outcome = build_pack(recipe, note, on_bytes)
    note(_summary(outcome))


def _engine(
    engine: str, memory: str | None, master: str | None
) -> Callable[[Recipe, Callable[[str], None], Callable[[int], None]], Any]:
    if engine == "memory":
        from kgask.build.recipe import build as build_in_memory

        return build_in_memory
    from kgask.build.outofcore.engine import build as build_out_of_core

    on = (master or "local[*]") if engine == "spark" else ""
    n_bytes = bytes_of(memory or "2GB", engine)
    return lambda recipe, tell, on_bytes: build_out_of_core(recipe, n_bytes, tell, on_bytes, master=on)


def bytes_of(size: str, engine: str = "duckdb") -> int:
    """``800MB`` or ``4GB`` in bytes; UsageError for another text, and for less than the engine needs."""
    from kgask.build.outofcore import duck, spark_driver

    least = spark_driver.LEAST_BYTES if engine == "spark" else duck.LEAST_BYTES
    found = _SIZE.fullmatch(size)
    n_bytes = int(float(found[1]) * 1000 ** (1 + "KMGT".index(found[2].upper()))) if found else 0
    if n_bytes < least:
        raise UsageError(f"--memory {size!r}: a size such as 2GB or 4GB, {least // 10**6}MB at least")
    return n_bytes


def recipe_of(sources: tuple[str, ...], output: Path, options: Mapping[str, Any]) -> Recipe:
    """What :func:`reads_sources` gives, as a recipe; the name of a pack stands for its folder."""
    from kgask.build.recipe import Recipe, parse_literal_rules
    from kgask.build.source import files_of
    from kgask.build.tsv import check_columns

    columns = options["columns"]
    delimiter = options["delimiter"]
    kinds: tuple[TextKind, ...] = ("labels", "aliases", "descriptions", "relations", "passages")
    return Recipe(
        sources=tuple(chain.from_iterable(files_of(_source(name)) for name in sources)),
        target=output,
        format=options["format"],
        delimiter="\t" if delimiter == "\\t" else delimiter,
        columns=check_columns([c.strip() for c in columns.split(",")]) if columns else (),
        header=options["header"],
        literals=parse_literal_rules(options["literal"]),
        recognise=not options["text"],
        languages=options["language"] or ("en",),
        texts=tuple((kind, name) for kind in kinds for name in options[kind]),
        name=options.get("name", ""),
        licences=options["licence"],
        source_notes=options["source_note"],
        skip_errors=options["skip_errors"],
        force=options.get("force", False),
        iri_prefix=options.get("iri_prefix", ""),
        mapping=options["mapping"],
        all_ranks=options["all_ranks"],
        external_ids=options["external_ids"],
    )


def _source(name: str) -> str:
    if os.path.lexists(name):
        return name
    is_version = name.rpartition("@")[2].isdecimal() and "@" in name
    known = is_version or any(found.name == name for found in list_found("pack"))
    return str(find("pack", name).path) if known else name


def new_pack(output: Path | None, named: str | None) -> Path:
    """Where a new pack goes, by -o or -n; UsageError for none or both."""
    if (output is None) == (named is None):
        raise UsageError("say where: -o DIR for a path, or -n NAME for a name that every command finds")
    return output if output is not None else named_folder(str(named))


def named_folder(name: str) -> Path:
    """Where the user's pack of this name is; UsageError for what cannot be a name, or is that of a shipped pack."""
    if not _NAME.fullmatch(name) or name.endswith(".tmp"):
        raise UsageError(f"{name!r} cannot be a pack's name: letters, digits, '.', '_' and '-', at most 64")
    if any(found.name == name and found.origin == "shipped" for found in list_found("pack")):
        raise UsageError(f"a pack named {name!r} ships with kgask; choose another name")
    return places("pack")["user"] / name


def _total_bytes(names: list[str]) -> int | None:
    """Bytes to read, None when stdin is among the sources."""
    try:
        return sum(os.stat(name).st_size for name in names)
    except OSError:
        return None


def _summary(outcome: BuildOutcome) -> str:
    report = outcome.report
    counts = report.manifest["counts"]
    extra = [f"{report.duplicates:,} duplicate triples dropped"] if report.duplicates else []
    if report.nested:
        extra.append(f"{report.nested:,} statements about statements left out")
    if report.unused_texts:
        extra.append(f"texts of {report.unused_texts:,} keys that no triple names left out")
    if outcome.broken:
        extra.append(f"{outcome.broken:,} broken line{'s' * (outcome.broken != 1)} skipped")
    summary = (
        f"{report.path}: {counts['triples']:,} triples, {counts['entities']:,} entities "
        f"({counts['literals']:,} literals), {counts['relations']:,} relations"
    )
    for part, words in (("statements", "statements with qualifiers"), ("passages", "passages")):
        if part in counts:
            summary += f", {counts[part]:,} {words}"
    return "; ".join([summary, *extra])
