"""``kgask completion SHELL``: the script that completes kgask's words."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    bash: eval "$(kgask completion bash)"
    zsh:  eval "$(kgask completion zsh)"
    fish: kgask completion fish | source
    """
    from kgask.cli.main import cli

    script = get_completion_class(shell)(cli, {}, "kgask", "_KGASK_COMPLETE")
    click.echo(script.source())
