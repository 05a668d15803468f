"""One method with its settings as options, several methods from a file, or methods fitted before.

\b
    tenor words postprocess glove-300d --list
    tenor words postprocess a.vec --method nth-order --alpha -0.25 --out b.vec
    tenor words postprocess a.vec --method all-but-the-top --out b.vec
    tenor words postprocess a.vec --pipeline a.toml -o b.vec --save-fitted DIR
    tenor words postprocess other.vec --fitted DIR --out better.vec

A pipeline file has one [[step]] per method: method = "unit", then its settings.
`tenor words postprocess glove-300d --list` shows all methods and their settings.
"""

from pathlib import Path
from typing import Annotated

import typer

from tenor.cli.console import notes, out
from tenor.cli.words.options import Reading, Vectors, reads_vectors
from tenor.errors import TenorError

# Settings differ from method to method, so what is not an option here is looked for among the method's own.
CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True}

MethodName = Annotated[
    str | None, typer.Option("--method", help="Name of a method; its settings follow as options.")
]
Target = Annotated[
    Path | None, typer.Option("--out", "-o", help="Where to write: .safetensors, .txt or .bin.")
]
PipelineFile = Annotated[Path | None, typer.Option("--pipeline", metavar="TOML", help="Methods from a file.")]
Fitted = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Apply what --save-fitted wrote, fit nothing.")
]
SaveFitted = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Also save the fitted methods, to apply to other vectors.")
]
List = Annotated[bool, typer.Option("--list", help="Show the methods and their settings.")]


@reads_vectors()
def postprocess(
    context: typer.Context,
    vectors: Vectors,
    reading: Reading,
    method: MethodName = None,
    target: Target = None,
    pipeline: PipelineFile = None,
    fitted: Fitted = None,
    save_fitted: SaveFitted = None,
    list_: List = False,
) -> None:
    """Post-process word vectors: normalise, whiten, PCA, all-but-the-top and others."""
    from tenor.words.postprocess import METHODS, Pipeline, read_options
    from tenor.words.writing import check_target

    if list_:
        for name, row in METHODS.items():
            settings = ", ".join(f"--{setting.replace('_', '-')}" for setting in row.setting_names())
            out.print(f"{name:<20} {settings or '(no settings)'}")
        return
    if vectors.startswith("--"):
        raise TenorError(f"The vectors come first, the method's settings such as {vectors} behind them.")
    if target is None:
        raise TenorError("Say where to write with --out FILE.safetensors.")
    check_target(target)
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
    table = reading.open(vectors)
    result = steps.transform(table) if fitted is not None else steps.fit_transform(table)
    result.save(target)
    if save_fitted is not None:
        steps.save(save_fitted)
    if not reading.quiet:
        notes.print(
            f"Written: {target}" + (f"; fitted methods: {save_fitted}" if save_fitted is not None else "")
        )
