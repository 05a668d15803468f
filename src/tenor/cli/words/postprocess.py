"""One method with its settings as options, several methods from a file, or what was fitted before.

\b
    tenor words postprocess glove-300d --list
    tenor words postprocess a.vec --method nth-order --alpha -0.25 --out b.vec
    tenor words postprocess a.vec --method all-but-the-top --out b.vec
    tenor words postprocess a.vec --pipeline steps.toml --out b.vec --keep DIR
    tenor words postprocess other.vec --fitted DIR --out better.vec

A pipeline file has one [[step]] per method: method = "unit", then its settings.
`tenor words postprocess glove-300d --list` shows all methods and their settings.
"""

from pathlib import Path
from typing import Annotated

import typer

from tenor.cli.console import notes, out
from tenor.cli.options import Quiet, Strict
from tenor.cli.words.options import Limit, Lower, Vectors, open_vectors
from tenor.errors import TenorError

# Settings differ from method to method, so what is not an option here is looked for among the method's own.
CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True}

MethodName = Annotated[str | None, typer.Option("--method", help="Name of one method.")]
Target = Annotated[
    Path | None, typer.Option("--out", "-o", help="Where to write: .safetensors, .txt or .bin.")
]
PipelineFile = Annotated[Path | None, typer.Option("--pipeline", metavar="TOML", help="Methods from a file.")]
Fitted = Annotated[Path | None, typer.Option(metavar="DIR", help="Apply what --keep wrote, fit nothing.")]
Keep = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Also keep what was fitted, for other vectors.")
]
List = Annotated[bool, typer.Option("--list", help="Show the methods and their settings.")]


def postprocess(
    context: typer.Context,
    vectors: Vectors,
    method: MethodName = None,
    target: Target = None,
    pipeline: PipelineFile = None,
    fitted: Fitted = None,
    keep: Keep = None,
    list_: List = False,
    lower: Lower = False,
    limit: Limit = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Improve word vectors by one or several methods."""
    from tenor.words.postprocess import METHODS, Pipeline, read_options

    if list_:
        for name, row in METHODS.items():
            settings = ", ".join(f"--{setting.replace('_', '-')}" for setting in row.setting_names())
            out.print(f"{name:<20} {settings or '(no settings)'}")
        return
    if vectors.startswith("--"):
        raise TenorError(f"The vectors come first, the method's settings such as {vectors} behind them.")
    if target is None:
        raise TenorError("Say where to write with --out FILE.safetensors.")
    if sum(choice is not None for choice in (method, pipeline, fitted)) != 1:
        raise TenorError(
            "Choose one of --method NAME, --pipeline FILE and --fitted DIR; --list shows the methods."
        )
    steps = read_options(method, context.args) if method is not None else None
    if steps is None:
        if context.args:
            raise TenorError(
                f"{context.args[0]!r} is not an option; settings go with --method or into the file."
            )
        steps = Pipeline.read(pipeline) if pipeline is not None else Pipeline.load(fitted or Path())
    table = open_vectors(vectors, lower=lower, limit=limit, strict=strict, quiet=quiet)
    result = steps.transform(table) if fitted is not None else steps.fit_transform(table)
    result.save(target)
    if keep is not None:
        steps.save(keep)
    if not quiet:
        notes.print(f"Written: {target}" + (f"; fitted methods: {keep}" if keep is not None else ""))
