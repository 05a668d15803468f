"""A model: an encoder, its tokenizer and a pooling, ready to turn texts into vectors."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from tenor.encoders.engine import Engine, Floats, Precision
from tenor.errors import TenorError
from tenor.model.encoding import Long, Progress, encode_texts
from tenor.model.folder import ModelFolder
from tenor.model.words import WordStates, layered_word_states, word_states
from tenor.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from tenor.model.heads import TrainedTask
    from tenor.model.network import Network
    from tenor.model.phrases import PhraseClassifier


class Model:
    """Turns texts into vectors; made by :func:`tenor.load`.

    >>> import tenor                                          # doctest: +SKIP
    >>> model = tenor.load("minilm")                          # doctest: +SKIP
    >>> model.encode(["A man eats.", "Somebody dines."]).shape  # doctest: +SKIP
    (2, 384)
    """

    def __init__(self, *, name: str, settings: ModelFolder, tokenizer: Tokenizer, engine: Engine) -> None:
        self.name = name
        self.settings = settings
        self.tokenizer = tokenizer
        self.engine = engine

    def __repr__(self) -> str:
        limit = "any length" if self.max_tokens is None else f"up to {self.max_tokens} tokens"
        return f"<Model {self.name!r}: {self.width} numbers, {limit}, {self.engine.name} {self.precision}>"

    @property
    def width(self) -> int:
        """The length of a vector."""
        return self.engine.width

    @property
    def precision(self) -> Precision:
        """The precision of the linear layers."""
        return self.engine.precision

    @property
    def max_tokens(self) -> int | None:
        """The most tokens of a text, special ones included; None where there is no limit."""
        return self.tokenizer.max_tokens

    @property
    def normalized(self) -> bool:
        """Whether vectors have length 1."""
        return self.settings.normalize

    @property
    def prompts(self) -> dict[str, str]:
        """The texts that the model wants in front of queries, passages, …, by name."""
        return self.settings.prompts

    @cached_property
    def fingerprint(self) -> str:
        """A sha256 of all that decides the vectors, except the precision."""
        from tenor.encoders.stored import weight_files
        from tenor.model.fingerprint import fingerprint

        return fingerprint(self.settings, weight_files(self.settings.encoder))

    @cached_property
    def own_tasks(self) -> "Mapping[str, TrainedTask]":
        """The tasks of the model's folder, by name."""
        from tenor.model.heads import read_tasks

        if self.settings.folder is None:
            return {}
        return read_tasks(self.settings.folder, width=self._encoder_width, pooling=self.settings.pooling)

    @cached_property
    def tasks(self) -> "Mapping[str, TrainedTask]":
        """The tasks that the model can do, by name: its own, else those that come with a starter."""
        from tenor.model.starters import starter_tasks

        return self.own_tasks or starter_tasks(self)

    @cached_property
    def phrases(self) -> "PhraseClassifier | None":
        """The classifier of phrases that the model's folder has from a paraphrase stage, if any."""
        from tenor.model.phrases import read_phrases

        folder = self.settings.folder
        return None if folder is None else read_phrases(folder, width=self._encoder_width)

    @cached_property
    def network(self) -> "Network":
        """The encoder and all heads in torch, for heads that numpy cannot run."""
        from tenor.model.torch_heads import load_network

        return load_network(self.settings, self.tasks)

    @cached_property
    def _raw(self) -> Engine:
        return self.engine.raw()

    @property
    def _encoder_width(self) -> int:
        return self.width // len(self.settings.pooling.kinds)

    @cached_property
    def english(self) -> bool | None:
        """Whether the model knows English only, guessed from its vocabulary; None where it cannot be told."""
        return _is_english(self.tokenizer.vocabulary())

    def encode(
        self,
        texts: Sequence[str],
        *,
        prompt: str | None = None,
        long: Long = "truncate",
        progress: Progress | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """Encode texts to vectors [n, width]; a vector does not depend on what else is encoded.

        ``prompt`` is the name of one of ``prompts``, or else itself a text to put in front of every text;
        when it is None the model's default prompt is used, if it has one. ``long`` says whether a text
        beyond the limit is cut or encoded in chunks. ``progress`` is called with the number of texts just
        done. ``out`` takes the result, for instance a memory map.
        """
        front = self._front(prompt)
        if isinstance(texts, str):
            raise TypeError("encode takes a list of texts; a single text goes in a list of its own.")
        if front:
            texts = [front + text for text in texts]
        normalize = self.normalized
        return encode_texts(
            self.engine, self.tokenizer, texts, long=long, normalize=normalize, progress=progress, out=out
        )

    def pooled(
        self, texts: Sequence[str], *, long: Long = "truncate", progress: Progress | None = None
    ) -> Floats:
        """Encode texts to the vectors [n, width] that heads read: as pooled, not scaled, without a prompt."""
        return encode_texts(self._raw, self.tokenizer, texts, long=long, progress=progress)

    def predict(
        self,
        task: str,
        rows: Sequence[Sequence[str]],
        *,
        long: Long = "truncate",
        progress: Progress | None = None,
    ) -> NDArray[Any]:
        """Return what a task says of rows of one text, or of two: probabilities [n, labels] or scores [n]."""
        from tenor.model.heads import find_task
        from tenor.model.predicting import predict

        found = find_task(self.tasks, task, model=self.name)
        return predict(self, found, rows, long=long, progress=progress)

    def word_states(
        self, texts: Sequence[str | Sequence[str]], *, layer: int | None = None
    ) -> list[WordStates]:
        """Return a contextual vector for every word of every text: the mean over the word's pieces.

        A text is a string, split by :func:`tenor.text.words.split_words`, or a list of words. ``layer``
        counts from 0, the embeddings, to ``engine.layers``, the default. Words that the model does not see,
        beyond its limit or made of characters that it drops, are left out.
        """
        return word_states(self.engine, self.tokenizer, texts, layer=layer)

    def layered_word_states(
        self, texts: Sequence[str | Sequence[str]], *, layers: Sequence[int]
    ) -> list[WordStates]:
        """Return what ``word_states`` does for several layers at once, with vectors [n, layers, width]."""
        return layered_word_states(self.engine, self.tokenizer, texts, layers=layers)

    def save(self, folder: str | Path) -> None:
        """Write the model to a new folder; sentence-transformers opens it too if it knows the pooling."""
        from tenor.model.save import save_model

        save_model(self, Path(folder))

    def _front(self, prompt: str | None) -> str:
        name = self.settings.default_prompt if prompt is None else prompt
        if name is None:
            return ""
        front = self.prompts.get(name, name)
        if front and not self.settings.pools_prompt:
            raise TenorError(
                f"{self.name} leaves the tokens of a prompt out of its pooling, which Tenor does not do; "
                'pass prompt="" to encode without a prompt.'
            )
        return front


# Words that no other language's vocabulary has all of.
_ENGLISH = ("the", "which", "because", "through", "between", "would", "should", "people")
_TOO_SMALL = 5_000


def _is_english(vocabulary: Sequence[str]) -> bool | None:
    """Guess from a vocabulary: English words are there, and hardly any word with letters beyond English."""
    words = {token.lstrip("▁Ġ") for token in vocabulary if not token.startswith(("##", "["))}
    words = {word for word in words if len(word) > 1 and word.isalpha()}
    if len(words) < _TOO_SMALL:
        return None
    foreign = sum(not word.isascii() for word in words)
    return all(word in words for word in _ENGLISH) and foreign < 0.05 * len(words)
