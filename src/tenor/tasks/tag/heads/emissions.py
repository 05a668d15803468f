"""``softmax`` and ``crf``: a linear layer over the vectors of words."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from tenor.tasks.tag.heads.head import HeadType, crf_shapes, linear_shapes
from tenor.text.word_shapes import SHAPES

Decoding = Literal["viterbi", "split", "retype"]

if TYPE_CHECKING:
    from tenor.tasks.tag.heads.module import TagHead
    from tenor.tasks.tag.kind import TagSpec


def emission_shapes(spec: "TagSpec", inputs: int, *, crf: bool) -> dict[str, tuple[int, ...]]:
    """Return the weights of a linear layer, of the shapes of words, and of a CRF."""
    count = len(spec.labels)
    shapes = linear_shapes("out", inputs, count)
    if spec.casing:
        shapes |= linear_shapes("shapes", len(SHAPES), count, bias=False)
    return shapes | (crf_shapes(count) if crf else {})


class SoftmaxType(HeadType):
    """Every word by itself; the best sequence that the scheme allows is decoded."""

    name = "softmax"
    about = "every word by itself, the best legal sequence is decoded"
    keys: ClassVar[tuple[str, ...]] = ("decoding",)
    _crf = False

    def weight_shapes(self, spec: "TagSpec", hidden_size: int) -> Mapping[str, tuple[int, ...]]:
        """Return the weights of the linear layer, and of the CRF where there is one."""
        return emission_shapes(spec, hidden_size, crf=self._crf)

    def build(self, spec: "TagSpec", hidden_size: int) -> "TagHead":
        """Build the linear layer."""
        from tenor.tasks.tag.heads.module import EmissionHead

        return EmissionHead(spec, hidden_size, crf=self._crf)


class CrfType(SoftmaxType):
    """A linear-chain conditional random field over the words of a sentence."""

    name = "crf"
    about = "a linear-chain conditional random field"
    keys = ()
    _crf = True
