"""Transfer fine-tuning: a stage of phrasal and sentential paraphrases before fine-tuning (spec 00)."""

from tenor.metrics.outcomes import Outcome
from tenor.recipes.recipe import Cell, CellResult, Composite, Context, Recipe
from tenor.recipes.transfer_fine_tuning.claims import CLAIMS, EQUIVALENCE, TRIVIAL
from tenor.recipes.transfer_fine_tuning.data import FOLDERS
from tenor.recipes.transfer_fine_tuning.encoders import shared_stage
from tenor.recipes.transfer_fine_tuning.figures import FIGURES
from tenor.recipes.transfer_fine_tuning.fine_tuning import run_tasks
from tenor.recipes.transfer_fine_tuning.plans import PLANS
from tenor.recipes.transfer_fine_tuning.pretraining import (
    exported,
    loss_curve,
    perplexity,
    pretrained,
    pretraining_note,
)
from tenor.recipes.transfer_fine_tuning.rates import choose
from tenor.recipes.transfer_fine_tuning.scoring import MAIN, MATTHEWS
from tenor.recipes.transfer_fine_tuning.seen import look
from tenor.recipes.transfer_fine_tuning.untrained import run_untrained


def run(cell: Cell, context: Context) -> CellResult:
    """Run a cell: part of the pre-training, a look at pairs, a choice of a learning rate, fine-tuning."""
    if cell.name == "seen":
        return look(context)
    if "share" in cell.settings:
        return _pretraining(context, float(cell.settings["share"]), bool(cell.settings.get("pairs")))
    if cell.name.endswith("-rate"):
        return choose(context, cell.settings["encoder"], cell.settings["fine_tuning"])
    if "untrained" in cell.settings:
        return run_untrained(cell, context)
    return run_tasks(cell, context)


def _pretraining(context: Context, share: float, pairs: bool) -> CellResult:
    folder = pretrained(context, share=share, pairs=pairs)
    if share < 1:
        return CellResult(outcomes={})
    made = exported(context, pairs=pairs)
    return CellResult(
        outcomes={"perplexity": Outcome.number(perplexity(folder))},
        series=loss_curve(folder),
        notes=(pretraining_note(folder),),
        files={path.relative_to(made).as_posix(): path for path in made.rglob("*") if path.is_file()},
    )


def untrained_cell(cell: Cell) -> str | None:
    """Name the cell of the same encoder's plain cosine."""
    encoder = cell.settings.get("encoder") if "rows" in cell.settings else None
    return f"{encoder}-cosine-1000" if encoder in ("starter", "vanilla", "random") else None


DIFFERS = (
    "The stage learns from pairs of PAN, TurkCorpus, MultiMWA and Tatoeba (texts with the same "
    "translation), aligned by Tenor's own aligner, instead of 4.1 million pairs aligned by a parser.",
    "At the small scale the starter was tuned for sentence similarity by others (at the full one it is BERT"
    " base); the vanilla encoder was pre-trained here and knows nothing of similarity. Its claims are "
    "undecided unless it beats its own random initialisation. On MRPC this was first asked of F1: with few "
    "rows the random initialisation predicts a paraphrase for every pair, whose F1 even the plain starter "
    "hardly passes with 1,000 rows, while its Matthews is 0. Since version 4 Matthews and the AUC decide, "
    "and STS-B is asked of its dev and test parts, with up to ten seeds; what became of each claim by the "
    "first rule stands in its note. The change was made after the figures by the first rule were known.",
    "On MRPC and Quora, whose classes are uneven, the claims of single tasks are judged by Matthews since "
    "version 4; F1, the paper's score, stands in their notes and in the headline's mean.",
    "Where a note says that a cell is below no training, the encoder's plain cosine of the two texts, "
    "without any fine-tuning, scores better (for F1 with a threshold from the same rows): a gain over it is"
    " a gain over a baseline that lost what the encoder knew.",
    "CoLA has no claim any more: with 1,000 rows no encoder has a mean Matthews above 0.07.",
    "At the small scale texts are cut after 64 tokens in stage and fine-tuning (the paper: 128), which cuts"
    " a third of RTE's and a fifth of MRPC's tested pairs; batches have 16 rows (32), and the heads' "
    "learning rate is 1e-3 (3e-5).",
    "At the small scale the stage makes about 430 steps of 100 sequences instead of some ten thousands, so "
    "that its learning rates, fixed beforehand, are higher than the paper's 5e-5: 1e-4 for the starter, "
    "2e-4 for the vanilla encoder, 5e-4 for the classifiers. How well it was learned is told for the 500 "
    "pairs held out, by which its best weights were chosen; the paper has a test set beside.",
    "Of each class at most 16 phrase pairs are drawn from a pair of texts, anew in every epoch (the paper: "
    "all aligned ones): of the 720,783 of the small scale 301,353 at most are seen in its one epoch.",
    "Pre-training was run once; the stage three times for each encoder, one for each of the first three "
    "seeds, which also draw the rows, the heads and the order of fine-tuning. A fourth and a fifth seed "
    "take the first two stages again, and count with the first two seeds. At the small scale the stages of "
    "the first ablations and in-task were run once each: no claim is about them. Claims about stages are of"
    " cells with three stages (-x3, simple, format), of which those without seeds in the table are not "
    "computed.",
    "The vanilla encoder was pre-trained without pairs of texts, so that its pooler is at its "
    "initialisation; the cells named paired pre-train with next sentences and are not computed unless the "
    "table shows them.",
    "Cells without scores in the table were not computed yet: tenor run transfer-fine-tuning --scale small "
    "--data DIR --from docs/results/transfer-fine-tuning.json --cells NAMES --write goes on with them.",
    "Siamese rows read each text by itself at the learning rate that was chosen for joint reading.",
    "The starter's vectors align the phrases for both encoders, so that something of what it knows of "
    "similarity reaches the vanilla encoder in its stage.",
    "Batch and epochs of fine-tuning were fixed beforehand (at the small scale 12 epochs of 250 rows, 3 of "
    "1,000 and 2 of 4,000) and so was the learning rate at the full scale; at the small one it was chosen "
    "with the plain encoder on training rows alone. All are the same for plain and transferred, and no "
    "checkpoint is chosen.",
    "Products are in bf16, weights in float32, where the machine is clearly faster with it; the results say"
    " for each cell which precision it was and on which machine. The vanilla encoder's weights are kept in "
    "16 bits before anything is made of them.",
    "Scores are those of MRPC's labelled test part, of 2,000 Quora pairs that share no question with rows "
    "to train on (some share one with another tested pair, which the intervals do not see), and of the dev "
    "parts of STS-B, RTE, SST-2 and CoLA; the paper's are of GLUE's test server or, by training size, of "
    "dev.",
    "SICK was not among the tasks when the stage's pairs were freed of theirs: two of its pairs hold a text "
    "of SICK's.",
    "Cells named in-task had a stage that also saw the paraphrases among the tasks' training rows, but for "
    "pairs that another task is tested on; no claim is about them.",
    "Commits named above that are not in the history were joined into others before they were published.",
)

RECIPE = Recipe(
    name="transfer-fine-tuning",
    title="Transfer fine-tuning with phrasal and sentential paraphrases",
    paper="Arase and Tsujii, Transfer Fine-Tuning: A BERT Case Study, 2019",
    spec=0,
    summary=(
        "Between pre-training and fine-tuning, an encoder learns to tell aligned phrases and sentences of "
        "paraphrases from random ones; it should then need fewer labelled pairs, at the same size."
    ),
    version=4,
    scales=PLANS,
    run=run,
    data=FOLDERS,
    claims=CLAIMS,
    trivial=TRIVIAL,
    derived=MATTHEWS,
    untrained=untrained_cell,
    power=True,
    draws=shared_stage,
    composites={"equivalence": Composite.mean(*(MAIN[task] for task in EQUIVALENCE))},
    figures=FIGURES,
    differs=DIFFERS,
)
