"""Virtual environments of the peers, so that they never share ours, and programs that alternate in them."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Each peer's environment: what pip installs into it.
ENVIRONMENTS = {
    ".venv-peers": ["sentence-transformers"],
    # Its OpenVINO backend needs an older transformers than its torch backend.
    ".venv-peers-openvino": ["sentence-transformers[openvino]", "transformers<5.6"],
    # The two trainers that `tenor train` is measured beside.
    ".venv-peers-training": ["sentence-transformers[train]"],
    # The plain endpoint that `tenor serve` is measured beside, with uvicorn's recommended parts.
    ".venv-peers-serve": ["sentence-transformers", "fastapi", "uvicorn[standard]"],
    # The tagger that ours is measured beside; it does not run with newer versions of transformers.
    ".venv-peers-tagging": ["flair==0.15.1", "transformers<5"],
}


def interpreter(name):
    """Return the Python of an environment, built when it is not there; None if it cannot be built."""
    folder = ROOT / name
    python = folder / "bin" / "python"
    stamp = folder / ".installed"
    if not stamp.exists():
        print(f"Installing {', '.join(ENVIRONMENTS[name])} into {name} …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pin = ["-c", str(ROOT / "bench" / "peers-constraints.txt")]
        for what in (["torch"], ENVIRONMENTS[name]):
            command = [python, "-m", "pip", "install", "--quiet", *pin, *what]
            done = subprocess.run(command, capture_output=True)
            if done.returncode:
                print(done.stderr.decode()[-500:])
                return None
        # Its torchvision, which nothing here uses, does not fit every build of torch and then breaks imports.
        subprocess.run([python, "-m", "pip", "uninstall", "--quiet", "--yes", "torchvision"], check=False)
        stamp.touch()
    return python


class Side:
    """A worker process that does its job once per round."""

    def __init__(self, label, python, arguments, *, threads, script="worker.py", environment=None):
        environment = (environment or os.environ) | {
            "OMP_NUM_THREADS": str(threads),
            "RAYON_NUM_THREADS": str(threads),
            "TOKENIZERS_PARALLELISM": "true" if threads > 1 else "false",
            "HF_HUB_OFFLINE": "1",
        }
        self.label, self.rounds = label, []
        self._process = subprocess.Popen(
            [str(python), str(ROOT / "bench" / script), *map(str, arguments), "--threads", str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        self.about = self._read()

    def round(self):
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        self.rounds.append(self._read())

    def close(self):
        self._process.stdin.close()
        self._process.wait()

    def _read(self):
        while line := self._process.stdout.readline():
            if line.startswith("{"):
                return json.loads(line)
        raise RuntimeError(f"{self.label} ended: {self._process.stderr.read()[-800:]}")
