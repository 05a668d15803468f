"""A model: an encoder, its tokenizer and a pooling, ready to turn texts into vectors."""

import logging
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

import numpy as np

from tenor.encoders.engine import Engine, Floats, Precision
from tenor.errors import TenorError
from tenor.model.encoding import Long, encode_texts
from tenor.model.folder import ModelFolder
from tenor.model.shown_progress import shown_progress
from tenor.model.similarity import SimilarityName, similarity, similarity_name
from tenor.model.words import (
    EncodedTexts,
    WordStates,
    encode_with_words,
    layered_word_states,
    word_states,
)
from tenor.progress import Progress
from tenor.text.given_texts import given_texts
from tenor.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from torch import Tensor

    from tenor.model.heads import TrainedTask
    from tenor.model.network import Network
    from tenor.model.phrases import PhraseClassifier
    from tenor.model.tagging import Tagged
    from tenor.words import WordVectors

_log = logging.getLogger("tenor")
QUERY_PROMPTS, DOCUMENT_PROMPTS = ("query",), ("document", "passage", "corpus")
"""The names under which a model may have its prompts for queries and documents, the first that there is."""


class EncodeOptions(TypedDict, total=False):
    """What :meth:`Model.encode` takes beside texts and prompts."""

    batch_size: int | None
    normalize_embeddings: bool
    show_progress_bar: bool
    long: Long
    progress: Progress | None
    out: Floats | None


class Model:
    """Turns texts into vectors; made by :func:`tenor.load`.

    >>> import tenor
    >>> model = tenor.load("minilm")
    >>> vectors = model.encode(["A man eats.", "Somebody dines.", "The train is late."])
    >>> vectors.shape
    (3, 384)
    >>> alike = model.similarity(vectors, vectors)
    >>> bool(alike[0, 1] > alike[0, 2])
    True
    """

    def __init__(self, *, name: str, settings: ModelFolder, tokenizer: Tokenizer, engine: Engine) -> None:
        self.name = name
        self.settings = settings
        self.tokenizer = tokenizer
        self.engine = engine
        self.kept: Any = None
        """What lives as long as the model does, such as the temporary folder that it was trained in."""

    def __repr__(self) -> str:
        limit = "any length" if self.max_tokens is None else f"up to {self.max_tokens} tokens"
        return f"<Model {self.name!r}: {self.width} dimensions, {limit}, {self.engine.name} {self.precision}>"

    def __reduce__(self) -> Any:
        """Pickle a model as its name and precision: another process opens it anew."""
        if type(self) is not Model:
            return object.__reduce_ex__(self, 4)
        return _reopened, (self.name, self.precision)

    def __sklearn_clone__(self) -> "Model":
        """Return the model itself, which scikit-learn need not copy with an estimator: it never changes."""
        return self

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

    @property
    def word_vectors(self) -> "WordVectors | None":
        """The vectors of words that the model is made of, where it is a bag of words."""
        return self.settings.type.word_vectors(self.settings.encoder)

    @cached_property
    def fingerprint(self) -> str:
        """A sha256 of all that decides the vectors, except the precision."""
        from tenor.model.fingerprint import fingerprint

        return fingerprint(self.settings)

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

        return load_network(self.settings, self.tasks, int8=self.precision == "int8")

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

    @property
    def similarity_fn_name(self) -> SimilarityName:
        """How vectors are compared: cosine, unless the model's folder asks for another function."""
        return similarity_name(self.settings.similarity, model=self.name)

    @overload
    def encode(
        self,
        texts: Sequence[str],
        *,
        prompt: str | None = ...,
        prompt_name: str | None = ...,
        convert_to_tensor: Literal[False] = ...,
        **options: Unpack[EncodeOptions],
    ) -> Floats: ...

    @overload
    def encode(
        self,
        texts: Sequence[str],
        *,
        prompt: str | None = ...,
        prompt_name: str | None = ...,
        convert_to_tensor: Literal[True],
        **options: Unpack[EncodeOptions],
    ) -> "Tensor": ...

    def encode(
        self,
        texts: Sequence[str],
        *,
        prompt: str | None = None,
        prompt_name: str | None = None,
        batch_size: int | None = None,
        normalize_embeddings: bool = False,
        convert_to_tensor: bool = False,
        show_progress_bar: bool = False,
        long: Long = "truncate",
        progress: Progress | None = None,
        out: Floats | None = None,
    ) -> "Floats | Tensor":
        """Encode texts to vectors [n, width]; a vector does not depend on what else is encoded.

        ``prompt`` is the name of one of ``prompts``, or else itself a text to put in front of every text;
        ``prompt_name`` is always a name. When both are None the model's default prompt is used, if it has
        one. ``normalize_embeddings`` scales vectors to length 1 also where the model does not do so itself.
        ``batch_size`` bounds the texts of a batch; batches are cut by tokens in any case, so that it is
        rarely needed. ``long`` says whether a text beyond the limit is cut or encoded in chunks.
        ``progress`` is called with the number of texts just done, and ``show_progress_bar`` shows a bar on
        the standard error. ``out`` takes the result, for instance a memory map.
        """
        front = self._front(self._named(prompt, prompt_name))
        texts = given_texts(texts, what="encode")
        if batch_size is not None and batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}; it must be at least 1.")
        if front:
            texts = [front + text for text in texts]
        with shown_progress(len(texts), progress, shown=show_progress_bar) as follow:
            vectors = self._vectors(texts, batch_size=batch_size, long=long, progress=follow, out=out)
        if normalize_embeddings and not self.normalized:
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
        if not convert_to_tensor:
            return vectors
        import torch

        return torch.from_numpy(np.asarray(vectors))

    def encode_query(
        self,
        texts: Sequence[str],
        *,
        prompt: str | None = None,
        prompt_name: str | None = None,
        convert_to_tensor: bool = False,
        **options: Unpack[EncodeOptions],
    ) -> "Floats | Tensor":
        """Encode queries: with the prompt ``query`` where the model has one and no other is given."""
        if prompt is None and prompt_name is None:
            prompt = self._known(QUERY_PROMPTS)
        return self.encode(  # type: ignore[call-overload, no-any-return]
            texts, prompt=prompt, prompt_name=prompt_name, convert_to_tensor=convert_to_tensor, **options
        )

    def encode_document(
        self,
        texts: Sequence[str],
        *,
        prompt: str | None = None,
        prompt_name: str | None = None,
        convert_to_tensor: bool = False,
        **options: Unpack[EncodeOptions],
    ) -> "Floats | Tensor":
        """Encode documents: with the prompt ``document``, ``passage`` or ``corpus`` where there is one."""
        if prompt is None and prompt_name is None:
            prompt = self._known(DOCUMENT_PROMPTS)
        return self.encode(  # type: ignore[call-overload, no-any-return]
            texts, prompt=prompt, prompt_name=prompt_name, convert_to_tensor=convert_to_tensor, **options
        )

    def similarity(self, first: Any, second: Any) -> Any:
        """Compare every vector of ``first`` [n, width] with every one of ``second`` [m, width]: [n, m].

        Higher is more alike, by the model's ``similarity_fn_name``. Tensors give a tensor, arrays an array;
        a single vector counts as one row.
        """
        return similarity(self.similarity_fn_name, first, second)

    def similarity_pairwise(self, first: Any, second: Any) -> Any:
        """Compare the vectors in the same rows of ``first`` and ``second``, both [n, width]: [n]."""
        return similarity(self.similarity_fn_name, first, second, pairwise=True)

    def _vectors(
        self,
        texts: Sequence[str],
        *,
        batch_size: int | None = None,
        long: Long = "truncate",
        progress: Progress | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """Encode texts that have their prompt already."""
        return encode_texts(
            self.engine,
            self.tokenizer,
            texts,
            long=long,
            normalize=self.normalized,
            batch_size=batch_size,
            progress=progress,
            out=out,
        )

    def pooled(
        self, texts: Sequence[str], *, long: Long = "truncate", progress: Progress | None = None
    ) -> Floats:
        """Encode texts to the vectors [n, width] that heads read: as pooled, not scaled, without a prompt."""
        return encode_texts(self._raw, self.tokenizer, texts, long=long, progress=progress)

    def predict(
        self,
        task: str,
        rows: Sequence[Any],
        *,
        long: Long = "truncate",
        progress: Progress | None = None,
    ) -> Any:
        """Return what a task says of rows, each a tuple of its texts (of a tagger, its words).

        Probabilities [n, labels], scores [n], or a list with an array per row.
        """
        from tenor.model.heads import find_task
        from tenor.model.predicting import predict

        trained = find_task(self.tasks, task, model=self.name)
        return predict(self, trained, rows, long=long, progress=progress)

    def tag(self, texts: "Sequence[str | Sequence[str]]", *, task: str | None = None) -> "list[Tagged]":
        """Tag the words of texts: a tag for every word, and the entities with their offsets.

        A text is a string or a list of words; ``task`` is the model's only tagger when None.
        """
        from tenor.model.tagging import tag

        return tag(self, texts, task=task)

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

    def encode_with_words(self, texts: Sequence[str], *, layer: int) -> EncodedTexts:
        """Return what ``pooled`` and ``word_states`` do, from one tokenisation and one pass."""
        return encode_with_words(self._raw, self.tokenizer, texts, layer=layer)

    def save(self, folder: str | Path) -> None:
        """Write the model to a new folder; sentence-transformers opens it too if it knows the pooling."""
        from tenor.model.save import save_model

        save_model(self, Path(folder))

    def _known(self, names: Sequence[str]) -> str:
        """Return the first of some names whose prompt is not empty; "" where there is none.

        sentence-transformers writes an empty ``document`` into every folder: it hides no ``passage``.
        """
        return next((name for name in names if self.prompts.get(name)), "")

    def _named(self, prompt: str | None, name: str | None) -> str | None:
        """Return the prompt to use: ``prompt`` goes before ``name``, as in sentence-transformers."""
        if name is None:
            return prompt
        if prompt is not None:
            _log.warning("Both prompt and prompt_name are given; prompt_name %r is not used.", name)
            return prompt
        if name not in self.prompts:
            known = ", ".join(self.prompts) or "none"
            raise TenorError(f"{self.name} has no prompt called {name!r}; its prompts: {known}.")
        return name

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


def _reopened(name: str, precision: Precision) -> Model:
    from tenor.model.loading import load

    return load(name, precision=precision)


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
