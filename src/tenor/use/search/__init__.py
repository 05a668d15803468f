"""A searchable index of texts: built, changed and queried."""

from tenor.use.search.index import add_to_index, build_index, remove_from_index
from tenor.use.search.searching import Hit, Searcher, search

__all__ = ["Hit", "Searcher", "add_to_index", "build_index", "remove_from_index", "search"]
