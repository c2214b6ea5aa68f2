"""What a reader's browser makes of a report."""

import re
import shutil
import subprocess

import pytest

REPORTS = [
    "training.html",
    "single.html",
    "proposed.html",
    "snapshot.html",
    "several.html",
    "unknowns.html",
    "hostile.html",
    "demo.html",
    "hostile-demo.html",
]
WITH_CHARTS = [name for name in REPORTS if name != "snapshot.html"]

# For every chart, the number of different colours on its largest canvas: one where nothing was drawn.
COLOURS = """() => [...document.querySelectorAll('figure .plot')].map((plot) => {
  let most = 0;
  for (const canvas of plot.querySelectorAll('canvas')) {
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] > 0) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    }
    most = Math.max(most, seen.size);
  }
  return most;
})"""


def luminance(css_colour):
    """Relative luminance as WCAG defines it."""
    channels = [int(c) / 255 for c in re.findall(r"\d+", css_colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", REPORTS)
def test_loads_quietly_and_asks_for_nothing(open_report, name):
    opened = open_report(name)
    opened.page.wait_for_timeout(100)
    assert opened.complaints == []
    assert [url for url in opened.requests if not url.startswith("data:")] == [opened.page.url]
    assert opened.dialogs == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", WITH_CHARTS)
def test_charts_are_drawn(open_report, name, scheme):
    opened = open_report(name, color_scheme=scheme)
    colours = opened.page.evaluate(COLOURS)
    assert colours, "the report has charts"
    assert all(n > 3 for n in colours), colours


def test_policy_forbids_the_network(open_report):
    opened = open_report("single.html")
    blocked = opened.page.evaluate(
        """() => new Promise((resolve) => {
          document.addEventListener('securitypolicyviolation', (e) => resolve(e.effectiveDirective));
          fetch('https://example.invalid/').catch(() => {});
        })"""
    )
    assert blocked == "connect-src"


@pytest.mark.parametrize("name", ["hostile.html", "hostile-demo.html"])
def test_hostile_names_are_inert(open_report, name):
    opened = open_report(name)
    page = opened.page
    page.wait_for_timeout(200)
    for select in page.query_selector_all("select.course"):
        for value in select.evaluate("s => [...s.options].map((o) => o.value)"):
            select.select_option(value)
    box = page.query_selector(".plot").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(100)
    assert opened.dialogs == []
    assert opened.complaints == []
    # The handles of the range selector are pictures within the page.
    assert page.locator("img:not([src^='data:']), [onerror], [onload], iframe, object").count() == 0
    assert "</script><img src=x onerror=alert(1)>" in page.inner_text("body")
    # Even a handler that slipped through would not run.
    page.evaluate(
        """() => { document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="alert(3)">'); }"""
    )
    page.wait_for_timeout(200)
    assert opened.dialogs == []


@pytest.mark.parametrize("name", REPORTS)
def test_a_phone_scrolls_only_down(open_report, name):
    page = open_report(name, width=360, height=740).page
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0
    for plot in page.query_selector_all(".plot"):
        assert plot.bounding_box()["width"] <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_stand_out(open_report, scheme):
    page = open_report("demo.html", color_scheme=scheme).page
    colours = page.evaluate(
        """() => {
          const probe = document.createElement('i');
          document.body.append(probe);
          const out = {};
          for (const name of ['bg', 'fg', 'muted', 'link', 's0', 's1', 's2', 's3', 's4', 's5', 'bad-bg', 'bad-fg',
                              'good-bg', 'good-fg', 'open-bg', 'open-fg', 'note-bg', 'note-fg', 'panel']) {
            probe.style.color = `var(--${name})`;
            out[name] = getComputedStyle(probe).color;
          }
          return out;
        }"""
    )
    background = colours["bg"]
    assert (luminance(background) < 0.1) == (scheme == "dark")
    for name in ("fg", "muted", "link"):
        assert contrast(colours[name], background) >= 4.5, name
        assert contrast(colours[name], colours["panel"]) >= 4.5, name
    for i in range(6):
        assert contrast(colours[f"s{i}"], background) >= 3, f"s{i}"
    for kind in ("bad", "good", "open", "note"):
        assert contrast(colours[f"{kind}-fg"], colours[f"{kind}-bg"]) >= 4.5, kind


def test_choosing_a_device_changes_chart_and_sentence(open_report):
    opened = open_report("training.html")
    page = opened.page
    caption = page.locator("#f0-power figcaption")
    assert "Power of the sum of all devices" in caption.inner_text()
    before = page.evaluate("document.querySelector('#f0-power canvas').toDataURL()")
    page.select_option("#f0-power-course", label="device 3")
    assert "Power of device 3" in caption.inner_text()
    assert page.evaluate("document.querySelector('#f0-power canvas').toDataURL()") != before
    assert "plateau" in page.inner_text("#f0-power .legend")
    assert opened.complaints == []


def test_keys_zoom_and_the_button_shows_all_again(open_report):
    page = open_report("single.html").page
    picture = "document.querySelector('#f0-power canvas').toDataURL()"
    whole = page.evaluate(picture)
    page.focus("#f0-power .plot")
    page.keyboard.press("+")
    near = page.evaluate(picture)
    assert near != whole
    page.keyboard.press("ArrowRight")
    assert page.evaluate(picture) != near
    page.click("#f0-power button.whole")
    assert page.evaluate(picture) == whole


def test_charts_of_a_demo_share_their_time(open_report):
    page = open_report("demo.html").page
    other = "document.querySelector('#demo-tokens canvas').toDataURL()"
    before = page.evaluate(other)
    page.focus("#arm0-power .plot")
    page.keyboard.press("+")
    assert page.evaluate(other) != before


def ink(pdf, folder):
    """How dark the printed pages are: the sum over all pixels of what is missing to white."""
    (folder / "report.pdf").write_bytes(pdf)
    subprocess.run(["pdftoppm", "-r", "30", "-gray", folder / "report.pdf", folder / "page"], check=True)
    total = 0
    for page in sorted(folder.glob("page*.pgm")):
        pixels = page.read_bytes().split(b"\n", 3)[3]
        total += sum(255 - p for p in pixels)
        page.unlink()
    return total


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["single.html", "demo.html"])
def test_prints_on_white_with_its_charts(open_report, tmp_path, name, scheme):
    page = open_report(name, color_scheme=scheme).page
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 3
    # Back to the screen's colours after it.
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (luminance(background) < 0.1) == (scheme == "dark")
    if shutil.which("pdftoppm") is None:
        pytest.skip("pdftoppm is missing (apt install poppler-utils): what is on the pages was not looked at")
    with_charts = ink(pdf, tmp_path)
    page.add_style_tag(content=".plot canvas { visibility: hidden !important; }")
    without = ink(page.pdf(format="A4"), tmp_path)
    charts = page.locator(".plot").count()
    assert with_charts - without > 50_000 * charts, "charts are on paper"


def test_reads_without_javascript(open_report):
    page = open_report("training.html", java_script_enabled=False).page
    text = page.inner_text("body")
    assert "JavaScript is off" in text
    assert "400 W, each device: VIOLATED" in text
    assert page.locator("svg.categories").first.is_visible()


@pytest.mark.parametrize("name", REPORTS)
def test_structure_is_there_for_a_screen_reader(open_report, name):
    page = open_report(name).page
    found = page.evaluate(
        """() => {
          const heading = [...document.querySelectorAll('h1,h2,h3,h4')].map((h) => Number(h.tagName[1]));
          const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
          return {
            h1: heading.filter((n) => n === 1).length,
            skipped: heading.filter((n, i) => i > 0 && n > heading[i - 1] + 1).length,
            captions: [...document.querySelectorAll('table')].filter((t) => !t.caption || !t.caption.textContent.trim()).length,
            scopes: document.querySelectorAll('th:not([scope])').length,
            figures: [...document.querySelectorAll('figure')].filter((f) => f.querySelector('figcaption').textContent.length < 20).length,
            labels: [...document.querySelectorAll('select')].filter((s) => s.labels.length === 0).length,
            doubled: ids.length - new Set(ids).size,
            lang: document.documentElement.lang,
          };
        }"""
    )
    assert found == {
        "h1": 1,
        "skipped": 0,
        "captions": 0,
        "scopes": 0,
        "figures": 0,
        "labels": 0,
        "doubled": 0,
        "lang": "en",
    }


@pytest.mark.parametrize("name", REPORTS)
def test_shows_no_number_that_is_none(open_report, name):
    text = open_report(name).page.inner_text("body")
    assert not re.search(r"\b(nan|NaN|inf|Infinity|undefined|null)\b", text)


TICKS = "() => [...document.querySelectorAll('.dygraph-axis-label-x')].map((e) => e.textContent).filter(Boolean)"


def test_a_log_with_a_clock_has_its_times_on_the_axis(open_report):
    # It begins at 00:22:27.858 of its clock; ticks are round times of that clock.
    ticks = open_report("single.html").page.evaluate(TICKS)
    assert ticks
    assert all(re.fullmatch(r"00:\d\d:(00|30)", t) for t in ticks), ticks
    assert ticks[0] >= "00:22:30"


def test_without_a_clock_times_are_marked_as_counted(open_report):
    ticks = open_report("demo.html").page.evaluate(TICKS)
    assert ticks
    assert all(re.fullmatch(r"\+\d\d:\d\d:\d\d(\.\d)?", t) for t in ticks), ticks
