"""What the transferred model says, phrase by phrase, of pairs that its sister papers fail on."""

from tenor.metrics.outcomes import Outcome
from tenor.recipes.recipe import CellResult, Context
from tenor.recipes.transfer_fine_tuning.encoders import starter, transferred

PAIRS = (
    ("How do you override a Honeywell thermostat?", "How do you unlock a Honeywell thermostat?"),
    ("BoE keeps interest rates unchanged.", "The Bank of England leaves interest rates as they are."),
    ("Angela Merkel was born in Hamburg.", "Gerhard Schröder was born in Mossenberg."),
    ("The senator praised the new law.", "The senator criticised the new law."),
)


def look(context: Context) -> CellResult:
    """Compare the pairs with the starter after its stage, and tell what its phrasal classifier thinks."""
    import tenor
    from tenor.use.compare import compare

    folder = transferred(context, "starter", starter(context), "transferred") / "explaining"
    model = tenor.load(folder, precision="fp32")
    notes, likely = [], []
    for first, second in PAIRS:
        found = compare(model, first, second)
        likely.append(found.paraphrase or 0.0)
        phrases = [
            f"“{pair.first.text}” – “{pair.second.text}”: {relation.name} ({relation.probability:.0%})"
            for pair, relation in zip(found.explanation.phrases, found.relations, strict=True)
            if relation is not None
        ]
        alone = [stretch.text for stretch in (*found.explanation.only_first, *found.explanation.only_second)]
        left = f"; without counterpart: {', '.join(f'“{text}”' for text in alone)}" if alone else ""
        share = "" if found.paraphrase is None else f" (a paraphrase with {found.paraphrase:.0%})"
        notes.append(f"“{first}” and “{second}”{share}: {'; '.join(phrases) or 'no phrase matched'}{left}.")
    return CellResult(
        outcomes={"paraphrase, seen pairs": Outcome.number(sum(likely) / len(likely))}, notes=tuple(notes)
    )
