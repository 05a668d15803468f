"""The ending of the new name chooses the format: .safetensors opens in milliseconds, whatever its size;
.txt and .vec are word2vec's text format, .bin its binary format, for other programs."""

from tenor.cli.console import notes
from tenor.cli.options import Out
from tenor.cli.words.options import Reading, Vectors, reads_vectors


@reads_vectors()
def convert(vectors: Vectors, out: Out, reading: Reading) -> None:
    """Convert word vectors to another format."""
    reading.open(vectors).save(out)
    if not reading.quiet:
        notes.print(f"Written: {out}")
