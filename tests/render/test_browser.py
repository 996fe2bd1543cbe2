"""The pages in a real browser: they load nothing, fit a phone and a desk, and their drawings show all they hold."""

import json
import os
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest

from lrc.render.qualitypage import page as quality_page
from lrc.render.speedpage import page as speed_page
from tests.render.test_quality import CALIBRATION, CASES, JUDGED
from tests.render.test_speed import SPEED

NAMED = os.environ.get("LRC_BROWSER")
"""Read before the environment is isolated."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PAGES = {
    "quality": quality_page(JUDGED, CASES, CALIBRATION),
    "speed": speed_page(SPEED),
    "statistics": (Path(__file__).parent / "golden" / "stats.html").read_text("utf-8"),
}
LOOK = """
<script>
const cut = [...document.querySelectorAll("svg")].flatMap(svg => {
  const view = svg.viewBox.baseVal;
  return [...svg.querySelectorAll("text, rect, circle")].filter(shape => {
    const box = shape.getBBox();
    return box.x < -1 || box.y < -1 || box.x + box.width > view.width + 1 || box.y + box.height > view.height + 1;
  }).map(shape => shape.textContent || shape.outerHTML);
});
const seen = {
  loaded: performance.getEntriesByType("resource").length,
  heading: document.querySelector("h1").getBoundingClientRect().height,
  drawings: document.querySelectorAll("svg").length,
  cut: cut,
  wide: document.documentElement.scrollWidth - window.innerWidth,
};
document.title = JSON.stringify(seen);
</script>
"""


def browser() -> str:
    """The browser of this machine, or the one named by LRC_BROWSER; none fails, for then nothing was seen."""
    found = NAMED or next(filter(None, map(shutil.which, NAMES)), None)
    return found or pytest.fail("no browser to look at the pages with: install Chromium, or name one with LRC_BROWSER")


@pytest.mark.proof
@pytest.mark.parametrize("width", [1280, 600])
@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_is_whole(name: str, width: int, tmp_path: Path) -> None:
    """Nothing is loaded, nothing drawn is cut off; at a desk's width nothing has to be scrolled sideways."""
    (tmp_path / "page.html").write_text(PAGES[name].replace("</body>", LOOK + "</body>"), "utf-8")
    quiet = ("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync")
    done = subprocess.run(
        [
            browser(), "--headless", "--no-sandbox", *quiet, "--disable-component-update",
            f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},900", "--dump-dom",
            (tmp_path / "page.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )  # fmt: skip
    told = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert told is not None
    seen = json.loads(unescape(told[1]))
    assert seen["loaded"] == 0
    assert seen["heading"] > 0
    assert seen["drawings"] >= 1
    assert seen["cut"] == []
    if width == 1280:
        assert seen["wide"] <= 0
