"""Opens the sample reports in Debian's Chromium. Playwright brings no browser of its own here."""

import os
import pathlib
import subprocess

import pytest
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHROMIUM = os.environ.get("WATTREIN_CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    """The folder that report_samples has filled: WATTREIN_REPORT_SAMPLES names the program, else the newest built."""
    given = os.environ.get("WATTREIN_REPORT_SAMPLES")
    found = [pathlib.Path(given)] if given else list(ROOT.glob("build/*/src/report/report_samples"))
    if not found:
        pytest.fail("report_samples is not built: cmake --preset dev && cmake --build --preset dev")
    folder = tmp_path_factory.mktemp("reports")
    subprocess.run([max(found, key=lambda p: p.stat().st_mtime), folder], check=True, timeout=120)
    return folder


@pytest.fixture(scope="session")
def browser():
    if not pathlib.Path(CHROMIUM).exists():
        pytest.fail(f"{CHROMIUM} is missing: apt install chromium, or set WATTREIN_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Opened:
    """A page and what went on while it was open."""

    def __init__(self, page):
        self.page = page
        self.complaints = []
        self.requests = []
        self.dialogs = []
        page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: self.complaints.append(str(e)))
        page.on("request", lambda r: self.requests.append(r.url))
        page.on("dialog", self._dialog)

    def _dialog(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()


@pytest.fixture
def open_report(browser, reports):
    contexts = []

    def open_it(name, width=1200, height=900, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        opened = Opened(context.new_page())
        opened.page.goto((reports / name).as_uri())
        return opened

    yield open_it
    for context in contexts:
        context.close()
