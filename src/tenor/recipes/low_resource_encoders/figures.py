"""The figures: coefficients of the factors over all seeds, and what pre-training learns step by step."""

from tenor.recipes.low_resource_encoders.claims import ALL_LANGUAGES, MONO, RELATED, UNRELATED
from tenor.recipes.low_resource_encoders.factors import MODELS, coefficient_name, fits
from tenor.recipes.results import Results
from tenor.report.plots import Span, interval_plot, line_plot

_PAPER = {"labels": 0.035, "vocabulary": 0.021, "text": 0.015, "joint labels": 0.029, "joint text": -0.014}


def coefficients(found: Results) -> str | None:
    """Draw the coefficients of fits to the languages of all seeds together, with their intervals."""
    points = [point for kept in found.extras(ALL_LANGUAGES, "points") for point in kept]
    spans = []
    for task in ("NER", "POS"):
        chosen = [point for point in points if point["task"] == task]
        for model, fit in (fits(chosen) if chosen else {}).items():
            for factor in MODELS[model]:
                interval = fit.coefficients[factor].interval
                mark = _PAPER[f"joint {factor}" if model == "joint" else model] if task == "NER" else None
                name = coefficient_name(task, model, factor)
                spans.append(Span(name, interval.estimate, interval.low, interval.high, mark))
    return interval_plot(spans, x_label="gain by a doubling", mark_label="the paper") if spans else None


def curves(found: Results) -> str | None:
    """Draw the perplexity of masked tokens on held-out text of the first seed."""
    lines = {}
    for cell in (MONO, RELATED, UNRELATED):
        kept = found.extras(cell, "perplexity")
        for language, (steps, values) in (kept[0] if kept else {}).items():
            lines[f"{language}, {cell}"] = (steps, values)
    return line_plot(lines, x_label="step", y_label="perplexity of held-out text") if lines else None
