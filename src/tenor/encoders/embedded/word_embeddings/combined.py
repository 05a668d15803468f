"""All embeddings of a word as one: side by side, or mixed by attention.

Shapes: T tokens, u distinct words, m embeddings, e size of the whole.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tenor.encoders.embedded.word_embeddings.modules import MODULES
from tenor.encoders.embedded.word_embeddings.settings import WordEmbedding
from tenor.layers.embedding_attention import EmbeddingAttention


class CombinedEmbeddings(nn.Module):
    """Embeds words by their spelling.

    >>> from tenor.encoders.embedded.word_embeddings.settings import word_embedding
    >>> tables = [{"type": "learned", "size": 4}, {"type": "characters", "size": 6, "network": "lstm"}]
    >>> combined = CombinedEmbeddings([word_embedding(each) for each in tables], [["cat"], ["c", "a", "t"]])
    >>> combined(np.array(["cat", "Cats", "cat"], dtype=object)).shape
    torch.Size([3, 10])
    """

    def __init__(
        self,
        settings: Sequence[WordEmbedding],
        vocabularies: Sequence[Sequence[str]],
        *,
        attention_size: int | None = None,
    ) -> None:
        super().__init__()
        self.vocabularies = [list(vocabulary) for vocabulary in vocabularies]
        self.parts = nn.ModuleList(
            MODULES[type(each)](each, vocabulary)
            for each, vocabulary in zip(settings, self.vocabularies, strict=True)
        )
        sizes = [each.output_size for each in settings]
        self.attention = (
            None if attention_size is None else EmbeddingAttention(sizes, attention_size=attention_size)
        )

    def forward(self, forms: NDArray[np.object_]) -> Tensor:
        """Return the embeddings of tokens [T, e] from their forms [T]."""
        numbers: dict[str, int] = {}
        of = [numbers.setdefault(form, len(numbers)) for form in forms.tolist()]
        distinct = self.of_words(list(numbers))
        return distinct.index_select(0, torch.tensor(of, dtype=torch.int64, device=distinct.device))

    def of_words(self, words: Sequence[str]) -> Tensor:
        """Return the embedding of each word [u, e]."""
        embedded = [part(words) for part in self.parts]
        out: Tensor = torch.cat(embedded, dim=1) if self.attention is None else self.attention(embedded)
        return out

    @torch.no_grad()
    def weights(self, words: Sequence[str]) -> NDArray[np.float32] | None:
        """Return how much of each embedding a word takes [u, m]; None where they are side by side."""
        if self.attention is None:
            return None
        weights: NDArray[np.float32] = self.attention.weights([part(words) for part in self.parts]).numpy()
        return weights
