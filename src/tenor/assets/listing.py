"""What can be had and what is at hand, as rows for people and programs."""

from dataclasses import dataclass
from pathlib import Path

from tenor.assets.find import HUB, at_hand
from tenor.assets.hub import models_at_hand
from tenor.assets.table import TABLE, Asset, Kind


@dataclass(frozen=True, slots=True)
class Listed:
    """One row of the list; ``folder`` is None where the asset is not on this machine."""

    name: str
    kind: Kind
    description: str
    licence: str
    source: str
    download_bytes: int | None
    dimensions: int | None
    layers: int | None
    folder: Path | None
    where: str | None
    damage: str | None = None


def listing() -> list[Listed]:
    """List every asset of the table."""
    return [_listed(asset) for asset in TABLE.values()]


def listed_models() -> list[Listed]:
    """List the models of the table, and those of the hub that were fetched before."""
    from_hub = [
        Listed(HUB + name, "model", "", "see its page", "Hugging Face hub", None, None, None, folder, "cache")
        for name, folder in models_at_hand()
    ]
    return [row for row in listing() if row.kind in ("model", "static model")] + from_hub


def _listed(asset: Asset) -> Listed:
    location = at_hand(asset)
    return Listed(
        name=asset.name,
        kind=asset.kind,
        description=asset.description,
        licence=asset.licence,
        source=str(asset.sources[0]),
        download_bytes=asset.sources[0].bytes,
        dimensions=asset.dimensions,
        layers=asset.layers,
        folder=location.folder if location else None,
        where=location.where if location else None,
        damage=location.damage if location else None,
    )
