"""What is published in docs/results agrees with itself: pages with their JSON, versions with their data.

The results of a recipe belong to a version and to the data that it read. ``data_versions.json`` records, for
every version, a fingerprint of the data files and those of the assets; nothing of the data is needed here. A
page of other data under the same version fails, and so does an asset of the table of assets that changed.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tenor.recipes.overview import write_overview
from tenor.recipes.page import write_page
from tenor.recipes.recipe import Recipe
from tenor.recipes.sources import fingerprint, used_assets
from tenor.recipes.table import RECIPES, look_up

PAGES = Path(__file__).parents[2] / "docs" / "results"
VERSIONS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data_versions.json").read_text(encoding="utf-8")
)
PUBLISHED = [name for name in RECIPES if (PAGES / f"{name}.json").is_file()]


def _content(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((PAGES / f"{name}.json").read_text(encoding="utf-8"))
    return content


def _assets(recipe: Recipe) -> dict[str, str]:
    """Fingerprint all assets that a recipe reads at the scales with data."""
    folders = [folder.name for folder in recipe.data]
    return {
        name: digest
        for plan in recipe.scales.values()
        if plan.data
        for name, digest in used_assets(recipe, plan, folders).items()
    }


def check_data(name: str, version: int, data: Any) -> None:
    """Compare the data of results with what is recorded for the version of their recipe."""
    recorded = VERSIONS.get(name, {}).get(str(version))
    assert recorded is not None, f"{name} has a new version {version}: add it to data_versions.json"
    assert recorded["data"] == fingerprint(data), (
        f"{name} was computed with other data than version {version} stands for: raise its version"
    )


@pytest.mark.parametrize("name", PUBLISHED)
def test_results_are_of_the_data_of_their_version(name: str) -> None:
    content = _content(name)
    check_data(name, content["version"], content["data"])
    if "assets" in content:
        assets = VERSIONS[name][str(content["version"])]["assets"]
        assert content["assets"].items() <= assets.items(), f"an asset of {name} changed: raise its version"


@pytest.mark.parametrize("name", list(VERSIONS))
def test_assets_are_those_of_the_version(name: str) -> None:
    recipe = look_up(name)
    recorded = VERSIONS[name].get(str(recipe.version))
    assert recorded is not None, f"{name} has a new version {recipe.version}: add it to data_versions.json"
    assert _assets(recipe) == recorded["assets"], (
        f"{name} reads other assets than version {recipe.version} stands for: raise its version"
    )


def test_every_published_recipe_is_recorded() -> None:
    assert set(PUBLISHED) <= set(VERSIONS)


def test_changed_data_under_an_old_version_are_noticed() -> None:
    name = "geometric-meta-embeddings"
    content = _content(name)
    folder = next(iter(content["data"].values()))
    file = next(iter(folder))
    folder[file] = "0" * 64
    with pytest.raises(AssertionError, match="raise its version"):
        check_data(name, content["version"], content["data"])
    with pytest.raises(AssertionError, match=r"add it to data_versions\.json"):
        check_data(name, 999, content["data"])


# Pages and their JSON


def _shown_claims(page: str) -> list[tuple[str, str, str]]:
    """Read claim, verdict and our figure out of the table of a page."""
    rows = re.findall(r"^\| \d+ \| (.+?) \| (.+?) \| .*? \| (.+?) \| .*$", page, flags=re.MULTILINE)
    return [(text.strip("*"), verdict, ours) for text, verdict, ours in rows]


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_page_shows_the_verdicts_of_its_json(name: str) -> None:
    page, content = (PAGES / f"{name}.md").read_text(encoding="utf-8"), _content(name)
    shown, claims = _shown_claims(page), content["claims"]
    assert len(shown) == len(claims) > 0
    for (text, verdict, ours), claim in zip(shown, claims, strict=True):
        assert text == claim["claim"].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        assert verdict == claim["verdict"] + (f": {claim['mark']}" if claim["mark"] else "")
        if claim["interval"] is not None:
            assert float(ours.split()[0].replace("−", "-")) == pytest.approx(claim["interval"][0], abs=6e-4)
    counts = {
        kind: sum(claim["verdict"] == kind for claim in claims) for kind in ("holds", "fails", "undecided")
    }
    for kind, count in counts.items():
        assert (f"{kind} {count}" in page) == (count > 0)
    done = len(content["cells"])
    assert re.search(rf"\| cells \| {done} of \d+ computed", page)
    assert f"| seeds | {content['seeds']} |" in page
    assert f"| scale | {content['scale']}" in page


def test_the_front_page_is_that_of_the_json_files(tmp_path: Path) -> None:
    for file in PAGES.glob("*.json"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    versions = {name: look_up(name).version for name in RECIPES}
    made = write_overview(tmp_path, list(RECIPES), versions=versions).read_text(encoding="utf-8")
    assert made == (PAGES / "README.md").read_text(encoding="utf-8")


def test_the_path_to_minbert_best_says_what_its_json_says() -> None:
    """The page is written by hand: its table has the means and verdicts of the JSON file."""
    content = _content("minbert-best")
    text = (PAGES / "minbert-best-path.md").read_text(encoding="utf-8")
    claims = {claim["claim"].split()[0].lower(): claim for claim in content["claims"] if claim["headline"]}
    for task in ("paraphrase", "similarity", "sentiment"):
        scores = [cell["outcomes"][task]["score"] for cell in content["cells"]]
        row = next(line for line in text.splitlines() if line.startswith(f"| {task} | 0."))
        assert f"{sum(scores) / len(scores):.3f}" in row
        assert row.rstrip("| ").endswith(f"| {claims[task]['verdict']}")


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_a_page_can_be_written_anew_from_its_json(name: str, tmp_path: Path) -> None:
    if _content(name)["version"] != look_up(name).version:
        pytest.skip("computed with an earlier version of the recipe; the front page says so")
    page = write_page(look_up(name), PAGES / f"{name}.json", tmp_path)
    assert page.read_text(encoding="utf-8") == (PAGES / f"{name}.md").read_text(encoding="utf-8")


def test_what_is_published_stays_small() -> None:
    """A clone has all of it: outcomes per item are arrays of about a megabyte, files of cells lie apart."""
    sizes = {path.name: path.stat().st_size for path in PAGES.iterdir() if path.is_file()}
    assert [name for name, size in sizes.items() if size > 1.5e6] == []
    assert sum(sizes.values()) < 10e6
    apart = sum(path.stat().st_size for path in PAGES.glob("*-files/**/*") if path.is_file())
    assert apart < 15e6  # the encoder that was pre-trained here
