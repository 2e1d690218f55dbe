"""Opens a report.html in headless Chromium: no error on the console, nothing asked of a network, every chart to be
seen, tables sort and filter, and a phone's width does not make the page scroll sideways. Leaves two pictures."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

report, pictures = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
pictures.mkdir(parents=True, exist_ok=True)
chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if chromium is None:
    sys.exit("error: no chromium here: apt-get install chromium")

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    assert asked == [report.as_uri()], f"asked for {asked}"

    charts = page.locator("figure svg")
    assert charts.count() >= 5, f"{charts.count()} charts"
    for i in range(charts.count()):
        box = charts.nth(i).bounding_box()
        assert box and box["width"] > 300 and box["height"] > 100, f"chart {i}: {box}"

    section = page.locator("section:has(table)").first
    def column(name):
        heads = section.locator("thead th").all_inner_texts()
        place = next(i for i, head in enumerate(heads) if head.split()[0] == name)
        return [cell.replace(",", "") for cell in section.locator(f"tbody tr td:nth-child({place + 1})").all_inner_texts()]
    before = sorted(map(int, column("rebalances")))
    section.get_by_role("button", name="rebalances", exact=True).click()
    assert list(map(int, column("rebalances"))) == before[::-1], "the first click puts the largest first"
    section.get_by_role("button", name="rebalances", exact=True).click()
    assert list(map(int, column("rebalances"))) == before, "the second the smallest"
    section.get_by_role("button", name="strategy", exact=True).click()
    names = column("strategy")
    assert names == sorted(names), names
    section.locator(".filter").fill(names[0])
    shown = section.locator("tbody tr:visible").count()
    assert 1 <= shown <= sum(names[0] in name for name in names), f"{shown} rows after the filter"
    section.locator(".filter").fill("")

    page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
    page.screenshot(path=pictures / "wide.png", full_page=True)
    page.set_viewport_size({"width": 390, "height": 844})
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0, f"the page is {over} pixels wider than a phone"
    page.evaluate("window.scrollTo(0, 0)")
    page.screenshot(path=pictures / "phone.png")
    assert said == [], said
    browser.close()
print(f"{report.name}: charts, sorting, filter and a phone's width hold; pictures in {pictures}")
