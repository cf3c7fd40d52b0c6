"""Programs on the workers of a Dask cluster: several processes, of which one is killed."""

from __future__ import annotations

import os
import runpy
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cogen
from cogen import signals
from cogen.array import loads

da = pytest.importorskip("dask.array", reason="needs the extra dask")
distributed = pytest.importorskip("distributed", reason="needs the extra dask")

PROGRAM = """
fun {int, [int], [int], [int]} main([int] a, int k) =
  {reduce(op +, 0, a), map(op *(k), scan(op +, 0, a)), filter(op <(k), a),
   bucketReduce(op +, 0, 5, map(op &(3), a), a)}
"""


@cogen.stage
def spread(x: Any, scale: cogen.static) -> Any:  # type: ignore[valid-type]  # an annotation of ours
    mean = x.mean()
    return mean, ((x - mean) * scale).max(), x[x > 0.5]


@cogen.stage
def level(raw: cogen.packed("raw12"), black: int) -> Any:  # type: ignore[valid-type]  # likewise
    x = np.clip(raw - black, 0, 255)
    return cogen.store("u8", x), x.sum()


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


def deadly(flag: Path) -> Any:
    """A function of blocks that kills its process the first time it comes to the fifth."""

    def pass_on(block: Any, block_info: Any = None) -> Any:
        first = block_info and block_info[0]["chunk-location"][0] == 4
        if first and not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    return pass_on


def test_what_workers_do_is_what_one_machine_does(client: Any, tmp_path: Path) -> None:
    program = loads(PROGRAM)
    run = program.distribute(client)
    a = np.random.default_rng(1).integers(-99, 99, 4001)
    expected = a.sum(), np.cumsum(a) * 7, a[a > 7], np.bincount(a & 3, a, 5).astype(int)

    found = run(da.from_array(a, chunks=500), 7)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)

    made = client.run(lambda: list(cogen.array.distributed.shipping.compiled))
    for digests in made.values():
        assert len(digests) == len(set(digests))  # each kernel once a worker
    before = set(client.scheduler_info()["workers"])

    dying = da.from_array(a, chunks=500).map_blocks(deadly(tmp_path / "dead"), dtype=a.dtype)
    found = run(dying, 7)
    assert (tmp_path / "dead").exists()
    assert set(client.scheduler_info()["workers"]) != before
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)

    failing = loads("fun int main([int] a) = reduce(op +, 0, map(fn int (int x) => 9 / x, a))")
    with pytest.raises(cogen.CogenError, match="division by zero") as caught:
        failing.distribute(client)(da.from_array(np.arange(100), chunks=30))
    assert "<string>:1:63" in str(caught.value)

    x = np.random.default_rng(1).random(3000)
    mean, most, some = spread.distribute(client)(da.from_array(x, chunks=700), scale=2.0)
    assert mean == pytest.approx(x.mean(), rel=1e-12)
    assert most == pytest.approx((x.max() - x.mean()) * 2, rel=1e-12)
    np.testing.assert_array_equal(some, x[x > 0.5])

    samples = np.arange(4000) % 4096
    (tmp_path / "frame").write_bytes(signals.pack(samples, "raw12"))
    got = level.distribute(client, piece_bytes=1000)([tmp_path / "frame"], 64)
    pixels = np.clip(samples - 64, 0, 255)
    assert got == (pixels.astype(np.uint8).tobytes(), pixels.sum())


def test_frames_have_columns(client: Any) -> None:
    pd = pytest.importorskip("pandas", reason="needs dask[dataframe]")
    dd = pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")
    frame = pd.DataFrame({"key": np.arange(90) % 7, "price": np.arange(90) * 0.5, "name": "x"})
    program = loads("""
    record sale {int key, real price}
    fun [real] main([sale] sales) =
      bucketReduce(op +, 0.0, 7, map(fn int (sale s) => s.key, sales),
                   map(fn real (sale s) => s.price, sales))
    """)
    found = program.distribute(client)(dd.from_pandas(frame, npartitions=4))
    np.testing.assert_allclose(found, frame.groupby("key").price.sum())


def test_the_example_of_the_page_runs(
    client: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[3] / "docs" / "distributed.md").read_text(encoding="utf-8")
    text = page.split("```python\n")[1].split("```")[0]
    for old, new in (
        ("Client(processes=True, n_workers=2)", "CLIENT"),
        ("10_000_000, chunks=2_500_000", "10_000, chunks=2_500"),
    ):
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "page.py"
    path.write_text(text, encoding="utf-8")
    runpy.run_path(str(path), {"CLIENT": client}, "__main__")
    mean, above = map(float, capsys.readouterr().out.split())
    assert mean == pytest.approx(0.5, abs=0.05)
    assert above == pytest.approx(0.95, abs=0.02)


def test_only_collections_with_pieces_are_taken(client: Any) -> None:
    program = loads("fun int main([int] a) = reduce(op +, 0, a)")
    with pytest.raises(cogen.CogenError, match="by a Dask client, not str"):
        program.distribute("localhost")
    assert program.distribute(client)(np.arange(4)) == 6
