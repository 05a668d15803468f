"""The page opens in any browser at the address that is printed. The API is described at /openapi.json, and
clients of OpenAI's embeddings API work with base_url ADDRESS/v1. Nothing leaves this machine. Ctrl-C stops it
once the requests that have begun are answered.

\b
    tenor serve
    tenor serve --index books --vectors glove.txt --open
    tenor serve --host 0.0.0.0 --port 80 --token "$SECRET"
"""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from tenor.cli.console import notes, out
from tenor.cli.options import Device, Model, Precision, PrecisionChoice, Quiet

Index = Annotated[Path | None, typer.Option(metavar="DIR", help="An index made by `tenor index`, to search.")]
Vectors = Annotated[str | None, typer.Option(metavar="FILE", help="Word vectors to ask: a file or an asset.")]
Host = Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0: all of this machine.")]
Port = Annotated[int, typer.Option(help="The port to listen on; 0 is any free one.")]
Token = Annotated[
    str | None,
    typer.Option(envvar="TENOR_TOKEN", help="Ask for this bearer token.", show_envvar=True),
]
Origins = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-origin",
        metavar="ORIGIN",
        help="A web site whose pages may call the API, or *; may be repeated.",
    ),
]
Hosts = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host", metavar="NAME", help="A further name by which the server is reached; may be repeated."
    ),
]
Aliases = Annotated[
    list[str] | None,
    typer.Option("--alias", metavar="NAME", help="A further name of the model for /v1; may be repeated."),
]
MaxTexts = Annotated[int, typer.Option(min=1, metavar="N", help="Most texts in one request.")]
MaxCharacters = Annotated[int, typer.Option(min=1, metavar="N", help="Most characters in one request.")]
MaxTokens = Annotated[int, typer.Option(min=1, metavar="N", help="Most tokens in one request.")]
Queue = Annotated[
    int, typer.Option(min=1, metavar="N", help="Most texts that may wait, of each route that embeds.")
]
Open = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]


def serve(
    model: Model = "minilm",
    index: Index = None,
    vectors: Vectors = None,
    host: Host = "127.0.0.1",
    port: Port = 8421,
    token: Token = None,
    allow_origin: Origins = None,
    allow_host: Hosts = None,
    alias: Aliases = None,
    max_texts: MaxTexts = 2_048,
    max_characters: MaxCharacters = 500_000,
    max_tokens: MaxTokens = 100_000,
    queue: Queue = 8_192,
    open_: Open = False,
    precision: Precision = PrecisionChoice.auto,
    device: Device = "auto",
    quiet: Quiet = False,
) -> None:
    """Serve an HTTP API and a page on this machine."""
    from tenor.serve.limits import Limits
    from tenor.serve.server import Settings
    from tenor.serve.server import serve as run_server

    limits = Limits(texts=max_texts, characters=max_characters, tokens=max_tokens, waiting_texts=queue)
    settings = Settings(
        model=model,
        precision=precision.value,
        device=device,
        index=index,
        vectors=vectors,
        host=host,
        port=port,
        token=token,
        allow_origins=tuple(allow_origin or ()),
        allow_hosts=tuple(allow_host or ()),
        aliases=tuple(alias or ()),
        limits=limits,
    )

    def ready(address: str) -> None:
        out.print(f"Tenor is at {address} (Ctrl-C ends it).")
        if open_:
            webbrowser.open(address)

    run_server(settings, ready=ready, note=lambda text: None if quiet else notes.print(text, style="yellow"))
