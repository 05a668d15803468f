"""All benchmarks, one after the other, and the page that shows their figures side by side.

    python bench/run.py                       # everything (about 40 minutes on two quiet cores)
    python bench/run.py encode coldstart      # some of it
    python bench/run.py --page                # only render bench/results/README.md from the last results

Encoding is measured beside sentence-transformers in virtual environments of its own.
"""

import argparse
import json
import statistics
import subprocess
import sys

from peers import ROOT

RESULTS = ROOT / "bench" / "results"
PARTS = (
    "encode", "training", "stage", "coldstart", "search", "memory", "words", "tagging", "serve",
    "serve_mixed",
)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--page", action="store_true", help="only render the page")
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    for part in () if options.page else options.parts or PARTS:
        print(f"── {part}", flush=True)
        subprocess.run([sys.executable, ROOT / "bench" / f"{part}.py"], check=True)
    (RESULTS / "README.md").write_text("\n".join(page()) + "\n", encoding="utf-8")
    print(f"The figures side by side: {RESULTS / 'README.md'}")


def page():
    yield "# Benchmarks"
    yield ""
    yield "Written by `python bench/run.py` from the JSON files beside this page; `make bench` measures anew."
    yield "Few labelled rows, beside logistic regression and setfit: [few_labels.md](few_labels.md)."
    for part in PARTS:
        path = RESULTS / f"{part}.json"
        if path.exists():
            yield ""
            yield from SECTIONS[part](json.loads(path.read_text(encoding="utf-8")))


def encode_section(result):
    from tenor.assets import find

    model = find("minilm")
    limit = result["arithmetic"]["isa_limit"]
    yield "## Encoding, beside sentence-transformers at its default (fp32, batches of 32)"
    yield ""
    yield (
        f"{result['machine']['cpu']}, Python {result['machine']['python']}. bf16 runs at "
        f"{result['arithmetic']['bf16_gain']:.2f} times the speed of fp32 here"
        + (f" (with the instructions limited to {limit}, since AMX ends the process)" if limit else "")
        + f", so the default precision is {result['default_precision']}."
    )
    if source := result.get("short_texts_from"):
        yield f"Short texts are from {source}, paragraphs are sentences of STS-B joined."
    for name, about in result["texts"].items():
        mean = f"{about['mean_tokens']:.0f} tokens on average"
        yield f"{name.capitalize()}: {about['count']:,} texts of {mean}."
    yield ""
    yield "The share is that of bare linear layers' arithmetic at the same precision (asked: 75%)."
    yield ""
    yield "| texts | threads | side | texts/s | ratio (lowest, highest) | asked | GFLOPS, share |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    bare = {
        (row["texts"], row["threads"], row["side"].removeprefix("linears ")): _gflops(row, result, model)
        for row in result["rows"]
        if row["side"].startswith("linears")
    }
    for row in result["rows"]:
        yield encode_row(row, result, _gflops(row, result, model), bare)
    yield ""
    yield "| precision | STS-B test Spearman | cosine to fp32: short, mean and lowest | paragraphs |"
    yield "| --- | --- | --- | --- |"
    for precision, values in result["fidelity"].items():
        cosines = [
            f"{values[name]['mean_cosine']:.5f}, {values[name]['min_cosine']:.4f}" for name in result["texts"]
        ]
        yield f"| {precision} | {values['stsb_spearman']:.4f} | {cosines[0]} | {cosines[1]} |"


def encode_row(row, result, speed, bare):
    from encode import TARGETS

    kind = "CPU time" if row["measured"] == "cpu" else "wall time"
    label = row["side"].removeprefix("tenor ") if row["side"].startswith("tenor") else ""
    asked = TARGETS[row["texts"]].get(label, "")
    if label == result["default_precision"]:
        asked = f"{asked} (default: {TARGETS[row['texts']]['default']})"
    texts = ratio = ""
    if not row["side"].startswith("linears"):
        texts = f"{row['per_second']:,.0f}"
        noisy = ", *noisy*" if row["noisy"] else ""
        ratio = f"{row['ratio']:.2f}× ({row['low']:.2f}, {row['high']:.2f}) {kind}{noisy}"
    # A noisy round says nothing about the share either, and int8 has no linear layers to stand beside.
    linears = None if row["noisy"] else bare.get((row["texts"], row["threads"], label))
    share = f", {speed / linears:.0%}" if linears else ""
    cells = (row["texts"], row["threads"], row["side"], texts, ratio, asked, f"{speed:.0f}{share}")
    return "| " + " | ".join(map(str, cells)) + " |"


def _gflops(row, result, model):
    from encode import effective

    if row["side"].startswith("linears"):
        return row["about"]["flops"] / row["seconds"] / 1e9
    return effective(row, result, model)


def training_section(result):
    from training import TARGETS

    yield "## Training three tasks at once, beside two trainers"
    yield ""
    yield (
        f"48 examples ({result['tokens_per_update']:,.0f} tokens) per update from {result['data']}, the "
        "starter's weights, fused AdamW; the peers pad dynamically and group by length. Times are by the "
        "token, as batches differ in length; padding does not count. Asked: "
        f"{TARGETS['fp32']}× in fp32, {TARGETS['default']}× in the default precision, here "
        f"{result['default_precision']}."
    )
    yield ""
    yield "| threads | side | s per update | GFLOPS | beside sentence-transformers | beside transformers |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for row in result["rows"]:
        told = [_trained_ratio(each) for each in row.get("ratios", {"": None, " ": None}).values()]
        cells = (row["threads"], row["side"], f"{row['seconds']:.3f}", f"{row['gflops']:.0f}", *told)
        yield "| " + " | ".join(map(str, cells)) + " |"
    if "scores" in result:
        yield from _trained_scores(result["scores"])


def _trained_scores(scores):
    tasks = list(next(iter(scores.values()))[0])
    yield ""
    yield "Scores on dev after equally many updates, mean of the seeds ± their standard deviation:"
    yield ""
    yield f"| side | {' | '.join(tasks)} |"
    yield "| --- |" + " --- |" * len(tasks)
    for side, seeds in scores.items():
        told = [[one[task] for one in seeds] for task in tasks]
        cells = [f"{statistics.mean(each):.3f} ± {statistics.stdev(each):.3f}" for each in told]
        yield f"| {side} | {' | '.join(cells)} |"


def stage_section(result):
    yield "## A step of the paraphrase stage, beside a plain pair-classification step"
    yield ""
    low, high = result["quartiles"]
    yield (
        f"The same {result['tokens']:,} tokens, one thread, CPU time, {result['rounds']} rounds in turn on "
        f"{result['machine']['cpu']}: {result['seconds']['stage']:.3f} and {result['seconds']['plain']:.3f} "
        f"s, {result['ratio']:.2f}× (quartiles {low:.2f}, {high:.2f}; asked: at most {result['asked']}×)."
    )


def _trained_ratio(told):
    if told is None:
        return ""
    return (
        f"{told['ratio']:.2f}× ({told['low']:.2f}, {told['high']:.2f}){', *noisy*' if told['noisy'] else ''}"
    )


def coldstart_section(result):
    yield "## Cold start"
    yield ""
    yield "`tenor compare A B` beside importing sentence-transformers, loading it and encoding two texts."
    yield ""
    yield "| | CPU s | wall s |"
    yield "| --- | --- | --- |"
    for name, seconds in result["seconds"].items():
        yield f"| {name} | {seconds['cpu']:.2f} | {seconds['wall']:.2f} |"
    ratio, asked = result["ratio"], result["asked"]
    yield f"| ratio (asked: at most {asked:.2f}) | {ratio['cpu']:.2f} | {ratio['wall']:.2f} |"


def search_section(result):
    yield "## Search"
    if judged := result.get("judged"):
        yield ""
        yield f"nDCG@10 on {judged['queries']} judged queries (`bench/judged`):"
        yield ""
        yield "| mode | all | words | meaning | both |"
        yield "| --- | --- | --- | --- | --- |"
        for mode, score in judged["scores"].items():
            cells = " | ".join(f"{score[kind]:.3f}" for kind in ("all", "words", "meaning", "both"))
            yield f"| {mode} | {cells} |"
    if speed := result.get("speed"):
        ratios = {name: sorted(values)[len(values) // 2] for name, values in speed["ratios"].items()}
        yield ""
        yield (
            f"{speed['rows']:,} {speed['vectors']}: recall@10 of the neighbour graph "
            f"{speed['threads']['1']['recall']['graph']:.3f} (asked: 0.95). Exact search in the same store "
            f"takes {ratios['exact cpu']:.0f} times its CPU time (asked: 5), numpy's product with all "
            f"vectors in memory {ratios['numpy cpu']:.1f} times."
        )


def memory_section(result):
    yield "## Peak anonymous memory above the loaded model"
    yield ""
    yield "| job | MB | asked: at most | CPU s |"
    yield "| --- | --- | --- | --- |"
    for row in result:
        count = row.get("lines") or row.get("texts")
        cells = (f"{row['measure']} {count:,}", row["above_mb"], row["limit_mb"], f"{row['cpu_seconds']:.0f}")
        yield "| " + " | ".join(map(str, cells)) + " |"


def words_section(result):
    from words import ASKED

    yield "## Word vectors, beside gensim, numpy and geoopt"
    yield ""
    yield (
        "CPU seconds of one thread. gensim was given a tenth of the file and 50 of the questions, and its "
        "time multiplied."
    )
    yield ""
    yield "| job | tenor s | beside | ratio | asked |"
    yield "| --- | --- | --- | --- | --- |"
    if row := result.get("read"):
        size, beside = f"{row['words']:,} x {row['width']}", f"gensim {row['gensim s']:.0f} s"
        ratio, asked = f"{row['ratio']:.1f}", ASKED["read"]
        yield f"| reading {size} as text | {row['tenor s']:.1f} | {beside} | {ratio} | {asked} |"
        ratio, asked = f"{row['reopen ratio']:,.0f}", ASKED["reopen"]
        yield f"| opening it again as our file | {row['reopen s']:.4f} | {beside} | {ratio} | {asked} |"
    if row := result.get("neighbours"):
        size = f"top {row['k']} of {row['queries']:,} among {row['words']:,} x {row['width']}"
        for name in ("numpy", "gensim"):
            beside, ratio = f"{name} {row[f'{name} s']:.0f} s", f"{row[f'ratio to {name}']:.1f}"
            yield f"| {size} | {row['tenor s']:.1f} | {beside} | {ratio} | {ASKED['neighbours']} |"
    if row := result.get("csls"):
        size = f"CSLS, {row['words']:,} against {row['words']:,}"
        yield f"| {size} | {row['tenor s']:.0f} | peak {row['peak GB']:.2f} GB | | {ASKED['csls']} |"
    if row := result.get("geometric"):
        size = f"geometric solver, {row['words']:,} x {row['width']}"
        reached = "" if row["geoopt came within 0.1%"] else " (not there yet)"
        beside, ratio = f"geoopt {row['geoopt s']:.1f} s{reached}", f"{row['ratio']:.0f}"
        yield f"| {size} | {row['tenor s']:.2f} | {beside} | {ratio} | {ASKED['geometric']} |"


def serve_section(result):
    load, verdict, asked = result["load"], result["verdict"], result["asked"]
    yield "## Serving, beside a plain FastAPI endpoint with sentence-transformers"
    yield ""
    yield (
        f"{load['clients']} clients of one short sentence each, {load['seconds']:.0f} s for each side in "
        f"{load['rounds']} alternating rounds, {result['machine']['threads']} threads. The peer is the "
        f"better of two ways to write it, {verdict['peer']}."
    )
    yield ""
    yield "| side | requests/s | p50 ms | p99 ms | CPU ms | alone: p50 ms | memory MB | errors |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for label, side in result["sides"].items():
        middle = {name: _median(side["rounds"], name) for name in ("per_second", "p50", "p99", "cpu_ms")}
        cells = [f"{middle[name]:.1f}" for name in ("per_second", "p50", "p99", "cpu_ms")]
        cells += [f"{_median(side['single'], 'p50'):.1f}", f"{max(side['memory_mb']):.0f}"]
        yield f"| {label} | {' | '.join(cells)} | {verdict['errors'][label]} |"
    yield ""
    ratio, noisy = verdict["throughput"], ", *noisy*" if verdict["noisy"] else ""
    yield (
        f"Throughput {ratio['ratio']:.2f}× ({ratio['low']:.2f}, {ratio['high']:.2f}{noisy}; asked: "
        f"{asked['throughput']:.0f}×), CPU per request {verdict['cpu_ratio']:.2f}× less, memory grown by "
        f"{verdict['growth_mb']:.0f} MB under load (asked: below {asked['growth_mb']:.0f})."
    )


def serve_mixed_section(result):
    nice = result.get("session_nice", 0)
    load, verdict, asked = result["load"], result["verdict"], result["asked"]
    yield "## Serving a mixed load"
    yield ""
    yield (
        f"{load['clients']} clients for {load['seconds']:.0f} s on {result['machine']['threads']} threads, "
        f"{load['words'][0]:,} words of {load['words'][1]} dimensions. Load average of the machine before "
        f"and after: {result['load_average'][0]:.1f}, {result['load_average'][1]:.1f}."
        + (f" Against other sessions it had the priority (nice) {nice}." if nice else "")
    )
    yield ""
    yield "| route | clients | requests/s | p50 ms | p95 ms | p99 ms | refused (429) |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, route in result["routes"].items():
        cells = [f"{route[each]:.1f}" for each in ("per_second", "p50", "p95", "p99")]
        yield f"| {name} | {route['clients']} | {' | '.join(cells)} | {route['refused']} |"
    yield ""
    yield (
        f"Refused: {verdict['refused']} (asked: {asked['refused']}). The slowest look-ups' p99 is "
        f"{verdict['lookup_p99_ms']:.0f} ms (asked: at most {asked['lookup_p99_ms']:.0f})."
    )


def _median(rows, name):
    values = sorted(row[name] for row in rows)
    return values[len(values) // 2]


def tagging_section(result):
    yield "## Tagging, beside flair's SequenceTagger (one thread, CPU time)"
    yield ""
    yield (
        f"{result['cpu']}, flair {result['flair']}. {result['sentences']:,} sentences of {result['words']:,} "
        "words; static vectors, an LSTM over characters, one BiLSTM layer and a CRF, of the same sizes. Both "
        f"begin tagging with lists of words; flair spends {result['flair_making_sentences']:.2f} s of it on "
        "making its sentences. Two thirds of our tagging is torch's LSTM kernel, nearly all of it matrix "
        "products that flair runs too, so that 5 times is out of "
        "reach with the same network in fp32 (`--profile`)."
    )
    yield ""
    yield "| what | ours, s | flair, s | ratio | asked |"
    yield "| --- | --- | --- | --- | --- |"
    for row in result["rows"]:
        yield (
            f"| {row['what']} | {row['ours']:.2f} | {row['flair']:.2f} | {row['ratio']:.2f} | "
            f"{row['target']:.1f} |"
        )


SECTIONS = {
    "encode": encode_section,
    "training": training_section,
    "stage": stage_section,
    "coldstart": coldstart_section,
    "search": search_section,
    "memory": memory_section,
    "words": words_section,
    "tagging": tagging_section,
    "serve": serve_section,
    "serve_mixed": serve_mixed_section,
}

if __name__ == "__main__":
    main()
