"""How often people agree with the verdicts of `tenor compare`: `python bench/verdicts.py sts-test.csv`.

The file is that of the STS Benchmark: tab-separated, the score in column 5, the two texts in columns 6 and 7.
Prints a Markdown table: each verdict with its certainty, the pairs that get it, the mean of people's scores
(0 to 5), and the share of pairs that people gave 3.5 or more.
"""

import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import tenor
from tenor.report.tables import markdown_table
from tenor.use.compare.scoring import score_pairs
from tenor.use.compare.verdict import verdict


def main(path):
    lines = [line.split("\t") for line in Path(path).read_text(encoding="utf-8").splitlines()]
    gold, first, second = (
        [float(row[4]) for row in lines],
        [row[5] for row in lines],
        [row[6] for row in lines],
    )
    scores = score_pairs(tenor.load("minilm", precision="fp32"), first, second)
    by_verdict = defaultdict(list)
    for row in zip(
        first, second, scores.similarities.tolist(), scores.paraphrases.tolist(), gold, strict=True
    ):
        one, two, similarity, paraphrase, score = row
        found = verdict(one, two, similarity=similarity, paraphrase=paraphrase)
        by_verdict[found.says, found.certainty].append(score)
    rows = [
        [says, certainty, str(len(given)), f"{fmean(given):.2f}",
         f"{sum(score >= 3.5 for score in given) / len(given):.0%}"]
        for (says, certainty), given in sorted(by_verdict.items(), key=lambda item: -fmean(item[1]))
    ]  # fmt: skip
    print(markdown_table(["verdict", "certainty", "pairs", "mean score", "3.5 or more"], rows, left=2))


if __name__ == "__main__":
    main(sys.argv[1])
