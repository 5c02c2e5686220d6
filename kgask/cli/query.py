"""``kgask query``: a query in its text form, run exactly on a pack."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

from kgask import config
from kgask.answer.derived import Derived, derived
from kgask.answer.result import PART_ONLY
from kgask.cli.explain import derivation_section
from kgask.cli.formats import json_line
from kgask.cli.options import PACK_OPTION, PRINTED, Command
from kgask.cli.render import Section, clean, explain, note, query_view
from kgask.errors import EXIT_NO_ANSWER, EXIT_OK, UsageError
from kgask.query.growing import holds_of_a_part
from kgask.query.nodes import Query
from kgask.query.own_units import read_query
from kgask.query.sparql import to_sparql
from kgask.remote.folder import open_pack


@click.command(cls=Command)
@click.argument("text", nargs=-1)
@PACK_OPTION
@PRINTED
@click.option(
    "-e", "--explain", "explained", is_flag=True, help="Show on stderr the triples and values that it came from."
)
@click.option("--sparql", "as_sparql", is_flag=True, help="Print it as SPARQL 1.1 instead of running it.")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="Stop after so long.  [default: never]")
def query(
    text: tuple[str, ...], pack: str | None, as_json: bool, explained: bool, as_sparql: bool, seconds: float | None
) -> int:
    """Run the query TEXT (or stdin) on a pack: exactly, without a model.

    \b
    The answer is a list, a number, a date, yes or no; what cannot be decided is
    said on stderr. docs/query.md explains the language. For example:
      kgask query 'count(follow(<Q15|Africa>, ^<P30>))'
      kgask query 'best(follow(<Q15>, ^<P30>), value(<P2046|area>), most 1 .. 3)'
      kgask query 'compare(values(<Q114>, <P2046>) > values(<Q38>, <P2046>))'
    """
    written = " ".join(text) if text and text != ("-",) else _from_stdin()
    settings = config.load_settings()
    name = pack or str(settings.get("pack", config.DEFAULT_PACK))
    with open_pack(config.find("pack", name).path) as opened:
        asked = read_query(written, opened)

        if as_sparql:
            sys.stdout.write(to_sparql(asked, opened))
            return 0
        found = _certain(opened.complete(lambda: derived(asked, opened, seconds)), asked, opened.source)
        if as_json:
            print(json_line(found.to_dict() | {"sparql": to_sparql(asked, opened)}))
        return _show(found, as_json, explained)


def _certain(found: Derived, asked: Query, source: Mapping[str, Any] | None) -> Derived:
    """What was found, or why there is nothing where a part of the graph is known that more triples could change."""
    is_no = found.kind == "truth" and found.text == "no"
    if source is None or source["complete"] or holds_of_a_part(asked, False if is_no else None):
        return found
    return replace(found, text=None, entities=(), perhaps=(), value=None, support=(), why_not=PART_ONLY)


def _from_stdin() -> str:
    if sys.stdin.isatty():
        raise UsageError("no query; try: kgask query 'count(follow(<Q15|Africa>, ^<P30|continent>))'")
    return sys.stdin.read()


def _show(found: Derived, as_json: bool, explained: bool) -> int:
    drawn = sys.stdout.isatty() and not as_json
    if drawn:
        query_view(found)
    else:
        for text in found.notes:
            note(text)
        if found.text is not None and not as_json:
            print(clean(found.text))
        if explained:
            explain(_sections(found))
    if found.text is None:
        note(f"no answer: {found.why_not}")
    return EXIT_NO_ANSWER if found.text is None else EXIT_OK


def _sections(found: Derived) -> list[Section]:
    facts = [(one.subject, one.relation, one.object) for one in found.support]
    sections = [derivation_section(found.derivation)]
    return [*sections, ("facts", ("subject", "relation", "object"), facts)] if facts else sections
