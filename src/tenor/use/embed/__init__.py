"""Vectors of whole files: bounded memory, several formats, resumable."""

from tenor.use.embed.embedding import Embedded, embed_file

__all__ = ["Embedded", "embed_file"]
