"""What a model's tasks say of texts, or of pairs of texts: labels with probabilities, and scores."""

from tenor.tasks.answer import Answer
from tenor.use.classify.classifying import Answered, classify, classify_file

__all__ = ["Answer", "Answered", "classify", "classify_file"]
