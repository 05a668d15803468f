"""Threads by quota, and arithmetic that was tried rather than believed."""

import os
import subprocess
import sys

import pytest

from tenor.machine import arithmetic as module
from tenor.machine.arithmetic import ISA_VARIABLE, Arithmetic, arithmetic, best_precision, guard
from tenor.machine.memory import kept_memory, use_huge_pages
from tenor.machine.threads import cpu_quota, thread_count


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """No finding remembered, an empty cache, no limit set, a CPU that declares everything."""
    monkeypatch.setenv("TENOR_CACHE", str(tmp_path))
    # Set and deleted, so that whatever guard() writes is undone after the test.
    monkeypatch.setenv(ISA_VARIABLE, "")
    monkeypatch.delenv(ISA_VARIABLE)
    monkeypatch.setattr(module, "cpu_flags", lambda: frozenset({"amx_tile", "avx512_bf16"}))
    arithmetic.cache_clear()
    yield
    arithmetic.cache_clear()


def test_a_cpu_that_dies_with_amx_is_kept_off_it(fresh, monkeypatch):
    monkeypatch.setattr(module, "_run_probe", lambda limit: 0.6 if limit else None)
    assert arithmetic() == Arithmetic("AVX512_CORE_FP16", 0.6)
    assert best_precision() == "fp32"
    guard()
    assert module.os.environ[ISA_VARIABLE] == "AVX512_CORE_FP16"


def test_fast_bf16_is_taken_and_remembered(fresh, monkeypatch):
    calls = []
    monkeypatch.setattr(module, "_run_probe", lambda limit: calls.append(limit) or 2.5)
    assert best_precision() == "bf16"
    guard()
    assert ISA_VARIABLE not in module.os.environ
    arithmetic.cache_clear()
    assert best_precision() == "bf16"
    assert calls == [""]


def test_what_failed_altogether_is_tried_again(fresh, monkeypatch):
    monkeypatch.setattr(module, "_run_probe", lambda limit: None)
    assert best_precision() == "fp32"
    arithmetic.cache_clear()
    monkeypatch.setattr(module, "_run_probe", lambda limit: 2.0)
    assert best_precision() == "bf16"


def test_a_plain_cpu_is_not_tried_at_all(fresh, monkeypatch):
    monkeypatch.setattr(module, "cpu_flags", lambda: frozenset({"avx2"}))
    monkeypatch.setattr(module, "_run_probe", lambda limit: pytest.fail("tried"))
    assert arithmetic() == Arithmetic("", 0.0)


def test_the_probe_runs_here_with_the_guard():
    guard()
    done = subprocess.run([sys.executable, "-m", "tenor.machine.probe"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert 0 <= float(done.stdout) < 100


def test_quota_of_both_kinds_of_control_group(tmp_path):
    second, first = tmp_path / "cpu.max", tmp_path / "cpu"
    assert cpu_quota(second, first) is None
    first.mkdir()
    (first / "cpu.cfs_quota_us").write_text("150000\n")
    (first / "cpu.cfs_period_us").write_text("100000\n")
    assert cpu_quota(second, first) == 1.5
    second.write_text("400000 100000\n")
    assert cpu_quota(second, first) == 4.0
    second.write_text("max 100000\n")
    assert cpu_quota(second, first) is None


def test_threads_follow_the_environment(monkeypatch):
    thread_count.cache_clear()
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert thread_count() == 1
    thread_count.cache_clear()
    monkeypatch.setenv("OMP_NUM_THREADS", "nonsense")
    assert thread_count() >= 1
    thread_count.cache_clear()


def test_large_pages_are_asked_for_unless_the_environment_says_otherwise(monkeypatch):
    monkeypatch.delenv("THP_MEM_ALLOC_ENABLE", raising=False)
    use_huge_pages()
    assert os.environ["THP_MEM_ALLOC_ENABLE"] == "1"
    monkeypatch.setenv("THP_MEM_ALLOC_ENABLE", "0")
    use_huge_pages()
    assert os.environ["THP_MEM_ALLOC_ENABLE"] == "0"


FAULTS = """
import resource, sys
import numpy as np
from tenor.machine import kept_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        made = [np.ones(1_000_000) for _ in range(20)]  # 8 MB each
        del made
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
outside = faults()
with kept_memory():
    faults()
    inside = faults()
print(outside, inside, faults())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="of Linux' C library")
def test_memory_of_dropped_arrays_is_kept_inside_the_block_only():
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    for more, keeps in (({}, True), ({"MALLOC_ARENA_MAX": "4"}, False)):
        done = subprocess.run(
            [sys.executable, "-c", FAULTS], capture_output=True, text=True, env=plain | more, check=True
        )
        outside, inside, after = map(int, done.stdout.split())
        if not outside:
            pytest.skip("this C library keeps memory anyway")
        assert inside < 0.1 * outside if keeps else inside > 0.5 * outside
        assert after > 0.5 * outside


def test_what_happens_inside_the_block_comes_out():
    with pytest.raises(ValueError, match="inside"), kept_memory():
        raise ValueError("inside")


def test_a_process_settled_for_serving_keeps_to_one_thread_and_collects_little():
    script = """
import gc, sys
import numpy as np
from threadpoolctl import threadpool_info
from tenor.machine import blas_threads
from tenor.serve.server import settle

def threads():
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}

with blas_threads(2):
    assert threads() == {2}, threads()
settle()
assert threads() == {1}
with blas_threads(2):
    assert threads() == {1}
assert threads() == {1}
assert gc.get_freeze_count() > 10_000 and sys.getswitchinterval() < 0.002
"""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "4"}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
