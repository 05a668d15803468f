"""nth-order post-processing for bilingual lexicons (spec 09)."""
