"""stub"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Plan:
    """p"""

    partitions: int

    def config(self) -> Any:
        """c"""
        from lancedb.index import IvfFlat

        return IvfFlat(distance_type="cosine", num_partitions=self.partitions)

    def tune(self, query: Any) -> Any:
        """t"""
        return query.nprobes(20)


def plan_for(rows: int, width: int) -> Plan | None:
    """p"""
    return None


EXACT_ROWS = 20_000
