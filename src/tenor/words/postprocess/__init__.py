"""Post-processing of word vectors: methods with fit and transform, alone or in a pipeline."""

from tenor.words.postprocess.method import Method
from tenor.words.postprocess.pipeline import Pipeline, read_options
from tenor.words.postprocess.table import METHODS, load_method, method_named

__all__ = ["METHODS", "Method", "Pipeline", "load_method", "method_named", "read_options"]
