"""The engine that has pieces done by workers of a Dask client, and Dask's collections in pieces.

A kernel's source, and the values that all pieces are told, are tasks of their own: each worker gets
them once, and once more where it has lost them; what it compiles stays in its process. What pieces
found is combined eight by eight. Tasks have no effects, so those of a worker that is lost are done
again by others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from cogen.array.distributed import tasks
from cogen.array.distributed.tasks import EachPiece, Job, Taker
from cogen.lang.errors import CogenError

try:
    import dask
    from dask import delayed
    from distributed import Client
except ImportError:  # the extra is not installed
    dask = None

FEW: Final = 8
"""How many findings one task combines."""
RETRIES: Final = 2


class OnDask:
    """An engine of a client."""

    def __init__(self, client: Any) -> None:
        if dask is None:
            raise CogenError(
                "programs are distributed by Dask, which is not installed",
                hint='pip install "cogen-specializer[dask]"',
            )
        if not isinstance(client, Client):
            raise CogenError(
                f"programs are distributed by a Dask client, not {type(client).__name__}",
                hint="client = distributed.Client(...)",
            )
        self.client = client

    def pieces(
        self, job: Job, values: Sequence[Any], own: EachPiece, given: EachPiece, keep: bool
    ) -> list[Any]:
        work, told = self._once(job), self._once(tuple(values))
        do = delayed(tasks.piece, pure=False, traverse=False)
        found = [do(work, told, list(mine), *one) for mine, one in zip(own, given, strict=True)]
        return self.hold(found) if keep else found

    def _once(self, value: object) -> Any:
        """Something that workers get once each."""
        return delayed(_itself, pure=False, traverse=False)(value)

    def pick(self, handles: Sequence[Any], positions: Sequence[int]) -> list[Any]:
        do = delayed(tasks.pick, pure=False, traverse=False)
        return [do(found, list(positions)) for found in handles]

    def tree(
        self, job: Job, values: Sequence[Any], positions: Sequence[int], parts: Sequence[Any]
    ) -> Any:
        work, told = self._once(job), self._once(tuple(values))
        do = delayed(tasks.both, pure=False, traverse=False)
        found = list(parts)
        while len(found) > 1 or positions:
            groups = [found[k : k + FEW] for k in range(0, len(found), FEW)]
            found = [do(work, told, tuple(positions), *group) for group in groups]
            positions = ()
        return found[0]

    def sizes(self, taker: Taker, pieces: Sequence[Any]) -> list[Any]:
        do = delayed(tasks.sizes, pure=False)
        return [do(taker, one) for one in pieces]

    def hold(self, pieces: Sequence[Any]) -> list[Any]:
        if not any(hasattr(one, "__dask_graph__") for one in pieces):
            return list(pieces)
        return list(self.client.persist(list(pieces), retries=RETRIES))

    def fetch(self, handles: Sequence[Any]) -> list[Any]:
        if not any(hasattr(one, "__dask_graph__") for one in handles):
            return list(handles)
        futures = self.client.compute(list(handles), retries=RETRIES)
        try:
            return list(self.client.gather(futures))
        except CogenError:
            for future in futures:  # of the first piece that fails
                if future.done() and isinstance(future.exception(), CogenError):
                    raise future.exception() from None
            raise


def _itself(value: Any) -> Any:
    return value


def pieces_of_collection(
    value: Any, name: str
) -> tuple[list[Any], list[int] | None, list[int] | None]:
    """The pieces of a Dask collection, how long they are, and the sizes of the first, as far as it
    knows them."""
    blocks: Callable[[], Any] | None = getattr(value, "to_delayed", None)
    if blocks is None:
        raise CogenError(
            f"`{name}` is a {type(value).__name__}, which has no pieces",
            hint="Dask arrays, dataframes and series have; of a bag make one: bag.to_dataframe()",
        )
    chunks = getattr(value, "chunks", None)
    if chunks is None:
        return list(value.to_delayed()), None, None
    if any(len(own) > 1 for own in chunks[1:]):
        value = value.rechunk(dict.fromkeys(range(1, value.ndim), -1))
        chunks = value.chunks
    lengths = [int(n) for n in chunks[0]] if all(n == n for n in chunks[0]) else None
    sizes = [own[0] for own in chunks]
    inner = [int(n) for n in sizes] if all(n == n for n in sizes) else None
    return list(value.to_delayed().ravel()), lengths, inner
