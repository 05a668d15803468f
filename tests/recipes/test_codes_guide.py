"""The guide to discrete codes: its Python runs."""

import re
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "codes.md"


def test_the_guide_runs_and_prints_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    names = {"__name__": "guide"}
    for block in blocks:
        exec(compile(block, "docs/codes.md", "exec"), names)
    assert "[0, 0, 1, 1] 0.0" in capsys.readouterr().out
