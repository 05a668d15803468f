"""Times a bf16 product against fp32; run as a program of its own, since a bad instruction would end it.

Prints how many times faster bf16 is, in the CPU engine where it is installed, else in torch, and runs an
int8 product too, which uses the same tiles.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tenor.extras import keep_openvino_private

_ROWS, _HIDDEN_SIZE, _INTERMEDIATE_SIZE = 1024, 384, 1536


def bf16_gain() -> float:
    """Return the speed of bf16 relative to fp32 on one thread."""
    keep_openvino_private()
    try:
        import openvino
    except ImportError:
        return _gain_in_torch()
    return _gain_in_openvino(openvino)


def _gain_in_openvino(openvino: Any) -> float:
    core = openvino.Core()
    data = np.ones((_ROWS, _HIDDEN_SIZE), dtype=np.float32)

    def run(hint: str, *, int8: bool = False) -> Callable[[], object]:
        settings = {"INFERENCE_PRECISION_HINT": hint, "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}
        request = core.compile_model(_product(openvino, int8=int8), "CPU", settings).create_infer_request()
        return lambda: request.infer({0: data})

    run("f32", int8=True)()
    if "BF16" not in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        return 0.0
    return _ratio(run("f32"), run("bf16"))


def _product(openvino: Any, *, int8: bool) -> Any:
    op = openvino.opset13
    weights = np.random.default_rng(0).standard_normal((_INTERMEDIATE_SIZE, _HIDDEN_SIZE)).astype(np.float32)
    data = op.parameter([_ROWS, _HIDDEN_SIZE], openvino.Type.f32)
    left, right = data, op.constant(weights)
    if int8:
        low, high = op.constant(np.float32(-4)), op.constant(np.float32(4))
        left = op.fake_quantize(left, low, high, low, high, 256)
        right = op.fake_quantize(right, low, high, low, high, 255)
    return openvino.Model([op.matmul(left, right, False, True)], [data])


def _gain_in_torch() -> float:
    import torch

    torch.set_num_threads(1)

    def run(kind: Any) -> Callable[[], object]:
        layer = torch.nn.Linear(_HIDDEN_SIZE, _INTERMEDIATE_SIZE).to(kind)
        data = torch.ones(_ROWS, _HIDDEN_SIZE, dtype=kind)
        return lambda: layer(data)

    with torch.inference_mode():
        return _ratio(run(torch.float32), run(torch.bfloat16))


def _ratio(first: Callable[[], object], second: Callable[[], object], *, repeats: int = 7) -> float:
    """Time two jobs in turn, so that a busy machine slows both, and compare the best of each."""
    times: list[list[float]] = [[], []]
    for _ in range(repeats):
        for job, kept in zip((first, second), times, strict=True):
            begin = time.thread_time()
            begin_wall = time.perf_counter()
            job()
            # The engine may work on another thread: then only the wall clock sees it.
            kept.append(max(time.thread_time() - begin, time.perf_counter() - begin_wall))
    return min(times[0]) / min(times[1])


if __name__ == "__main__":
    sys.stdout.write(f"{bf16_gain():.3f}")
