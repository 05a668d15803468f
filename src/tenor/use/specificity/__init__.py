"""How specific texts are, and which of their words make them so."""

from tenor.use.specificity.api import more_specific, specificity
from tenor.use.specificity.scoring import Specificity

__all__ = ["Specificity", "more_specific", "specificity"]
