"""The vectors of words out of the states of their pieces, for tasks that say something of every word.

Such a task cuts sentences into windows (``tenor.tasks.tag.windows``) and keeps, as extras of a batch, how
many words each window is asked for ("windows") and how many of context come before them ("leads").

Shapes: T tokens, W words of the batch, d hidden size.
"""

from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tenor.tasks.task import EncoderOutput, TaskBatch
from tenor.text.ragged import Ragged

Subwords = Literal["first", "mean"]


def word_states(states: Tensor, seen: EncoderOutput, batch: TaskBatch, *, subwords: Subwords) -> Tensor:
    """Return the vector of each word [W, d]: the state of its first piece, or the mean of all."""
    inside, word = _labelled_pieces(seen, batch)
    count = int(batch.extras["windows"].values.sum())
    empty = states.new_zeros(count, states.shape[1])
    if subwords == "mean":
        sums = empty.index_add(0, word, states.index_select(0, inside))
        pieces = states.new_zeros(count).index_add(0, word, torch.ones_like(word, dtype=states.dtype))
        return sums / pieces.clamp(min=1)[:, None]
    first = torch.ones_like(word, dtype=torch.bool)
    first[1:] = word[1:] != word[:-1]
    return empty.index_copy(0, word[first], states.index_select(0, inside[first]))


def _labelled_pieces(seen: EncoderOutput, batch: TaskBatch) -> tuple[Tensor, Tensor]:
    """Return the pieces of the words to label, not of [CLS] or context, and each one's word in the batch."""
    owned, leads = batch.extras["windows"].values, batch.extras["leads"].values
    begins = np.cumsum(owned) - owned  # of each window among the batch's words
    assert seen.batch.words is not None
    within = seen.batch.words  # the word of each piece in its window, -1 for [CLS]
    text = seen.packing.text_of
    own, lead, begin = (torch.from_numpy(each).to(text.device)[text] for each in (owned, leads, begins))
    place = within - lead
    inside = ((within >= 0) & (place >= 0) & (place < own)).nonzero()[:, 0]
    return inside, (begin + place)[inside]


def word_starts(windows: Ragged) -> NDArray[np.int64]:
    """Return where the words of each sentence begin among those of the batch [n + 1]."""
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(windows.values)])
    return ends[windows.starts]
