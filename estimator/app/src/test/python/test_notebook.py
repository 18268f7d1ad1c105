"""The example notebook, executed by Jupyter and opened in Chromium."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = sorted(Path.home().glob(".m2/repository/org/webjars/npm/axe-core/*/axe-core-*.jar"))
"""Maven fetches it for the tests of the other pages."""


def lacks() -> str:
    """What is missing for these tests, as a reason to skip them."""
    for package in ("nbconvert", "ipykernel", "selenium"):
        if importlib.util.find_spec(package) is None:
            return f"the notebook goes untested without {package}: pip install nbconvert ipykernel selenium"
    if CHROMIUM is None or shutil.which("chromedriver") is None:
        return "the notebook goes untested without a browser: apt-get install chromium chromium-driver"
    return ""


pytestmark = pytest.mark.skipif(bool(lacks()), reason=lacks())


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The notebook as HTML, in Jupyter's light and dark theme."""
    folder = tmp_path_factory.mktemp("notebook")
    notebook = folder / "executed.ipynb"
    convert = [sys.executable, "-m", "nbconvert", "--output-dir", folder]
    once = ["--to", "notebook", "--execute", "--output", notebook.name, ROOT / "docs/notebook.ipynb"]
    subprocess.run([*convert, *once], check=True, capture_output=True, timeout=300)
    for theme in ("light", "dark"):
        look = ["--to", "html", "--theme", theme, "--output", f"{theme}.html", notebook]
        subprocess.run([*convert, *look], check=True, capture_output=True, timeout=300)
    return {theme: folder / f"{theme}.html" for theme in ("light", "dark")}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The system's Chromium without a window, which reaches nothing but files."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for word in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu", "window-size=1000,1400"):
        options.add_argument(f"--{word}")
    options.add_argument("--host-resolver-rules=MAP * ~NOTFOUND")
    driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
    yield driver
    driver.quit()


def test_a_prediction_shows_its_timeline(pages: dict[str, Path], browser: Any) -> None:
    browser.get(pages["light"].as_uri())
    shown = browser.execute_script(
        "return [...document.querySelectorAll('.headroom')].map(shown => {"
        " const picture = shown.querySelector('svg').getBoundingClientRect();"
        " return {text: shown.innerText, width: picture.width, height: picture.height,"
        " areas: shown.querySelectorAll('polygon').length, wide: document.documentElement.scrollWidth}; })"
    )
    assert len(shown) == 2
    assert "Fits on NVIDIA GeForce RTX 4090" in shown[0]["text"]
    assert "Does not fit on NVIDIA GeForce RTX 4090" in shown[1]["text"]
    for one in shown:
        assert one["width"] > 500 and one["height"] > 150 and one["areas"] >= 5
        assert "saved activations" in one["text"]
        assert one["wide"] <= 1000
    assert "options: batch=" in browser.execute_script("return document.body.innerText")


@pytest.mark.skipif(not AXE, reason="axe-core is where Maven puts it, and is not there: mvn verify fetches it")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_read_it(theme: str, pages: dict[str, Path], browser: Any) -> None:
    with zipfile.ZipFile(AXE[-1]) as jar:
        axe = jar.read(next(name for name in jar.namelist() if name.endswith("/axe.min.js"))).decode()
    browser.get(pages[theme].as_uri())
    found = browser.execute_async_script(
        axe + "; axe.run('.headroom').then(r => arguments[0]("
        "r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' '))))"
    )
    assert found == []
