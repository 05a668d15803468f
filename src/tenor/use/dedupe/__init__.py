"""Groups of texts that say the same, and the threshold that decides it."""

from tenor.use.dedupe.calibrate import Calibration, calibrate
from tenor.use.dedupe.deduping import Group, Member, dedupe
from tenor.use.dedupe.file import Deduped, dedupe_file

__all__ = ["Calibration", "Deduped", "Group", "Member", "calibrate", "dedupe", "dedupe_file"]
