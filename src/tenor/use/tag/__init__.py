"""Tagging the words of texts: entities, parts of speech, with their offsets in the text."""

from tenor.use.tag.tagging import Tagged, TaggedEntity, tag, tag_file

__all__ = ["Tagged", "TaggedEntity", "tag", "tag_file"]
