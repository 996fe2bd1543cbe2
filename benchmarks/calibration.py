"""Fits the calibration that ships with the package, from observations of generated cases.

    lrc bench quality --no-prompt --repo A --repo B --minutes 120 --keep kept.jsonl
    python -m benchmarks.calibration kept.jsonl [MORE ...]

The cases are planted defects and clean commits of the repositories named; none of them may be among those that the
result is judged on. Writes `lrc/reviewer/calibration.json` and prints what it gives on the cases it was fitted on.
"""

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

from lrc.quality.cases import Way
from lrc.quality.fitting import Wanted, fit, with_thresholds
from lrc.quality.observing import read
from lrc.render.quality import render_calibration
from lrc.reviewer.confidence import built_in, to_json

WANTED = Wanted(findings=0.07)
"""Stricter than what is promised (0.1): on code that it was not fitted on, a calibration says a little more."""
PLACE = Path(__file__).parents[1] / "lrc" / "reviewer" / "calibration.json"


def main(paths: list[str]) -> int:
    """Fit on the observations in some files."""
    seen = [observation for path in paths for observation in read(Path(path))]
    clean = sum(observation.way is Way.CLEAN for observation in seen)
    languages = ", ".join(
        f"{language} {count}" for language, count in Counter(one.language for one in seen).most_common()
    )
    about = (
        f"Logistic weights by group of suspicion, fitted by benchmarks/calibration.py on {len(seen) - clean} planted "
        f"defects and {clean} clean commits ({languages}) with the default target."
    )
    before = built_in()
    after = replace(with_thresholds(seen, fit(seen, about), WANTED), targets=before.targets, about=about)
    PLACE.write_text(to_json(after), encoding="utf-8")
    print(render_calibration(seen, before, after))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
