"""The ending of the new name chooses the format: .safetensors opens in milliseconds, whatever its size;
.txt and .vec are word2vec's text, .bin its binary, for other programs."""

from tenor.cli.console import notes
from tenor.cli.options import Out, Quiet, Strict
from tenor.cli.words.options import Limit, Lower, Vectors, open_vectors


def convert(
    vectors: Vectors,
    out: Out,
    lower: Lower = False,
    limit: Limit = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Write word vectors in another format."""
    open_vectors(vectors, lower=lower, limit=limit, strict=strict, quiet=quiet).save(out)
    if not quiet:
        notes.print(f"Written: {out}")
