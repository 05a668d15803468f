"""Loading the CPU engine must not call anybody: OpenVINO would report every import to an analytics server."""

import subprocess
import sys

import pytest

pytest.importorskip("openvino")


def test_the_engine_is_imported_without_telemetry():
    script = (
        "import sys, tenor.encoders.bert.openvino_engine\n"
        "print('openvino' in sys.modules, sys.modules['openvino_telemetry'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "True None\n", done.stderr
