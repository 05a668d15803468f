"""The heads of taggers by name: a new one is a line here."""

from typing import Literal

from tenor.tasks.tag.heads.emissions import CrfType, SoftmaxType
from tenor.tasks.tag.heads.experts import ExpertsType
from tenor.tasks.tag.heads.head import HeadType
from tenor.tasks.tag.heads.spelled import SpelledType

HeadName = Literal["softmax", "crf", "experts", "spelled"]

HEADS: dict[str, HeadType] = {
    head.name: head for head in (SoftmaxType(), CrfType(), ExpertsType(), SpelledType())
}
