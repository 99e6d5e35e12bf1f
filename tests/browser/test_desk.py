"""The desk as a reviewer meets it: a real browser, a real server, by keyboard."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from tests.conftest import Tiny

pytestmark = pytest.mark.browser

CHROMIUM = shutil.which("chromium") or "chromium"
DRIVER = shutil.which("chromedriver") or "chromedriver"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
CELL = "user_a/work/autonomy_level"
REASON = "She was not asked about the moorings, and says so at once."
Open = Callable[..., webdriver.Chrome]


@pytest.fixture(scope="module")
def queued(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """The specimen, built as far as its queue."""
    from tests.conftest import a_copy_of_the_specimen

    tiny = a_copy_of_the_specimen(tmp_path_factory.mktemp("queued") / "tiny")
    while "wait for review" not in tiny.run("build").err:
        assert tiny.answer()
    return tiny


@dataclass
class Server:
    """A desk that is served."""

    root: Path
    process: subprocess.Popen[str] | None = None
    links: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return next(iter(self.links.values())).split("/enter/")[0]

    def start(self, *who: str, blind: bool = False) -> None:
        command = [sys.executable, "-m", "mempabench.cli", "-C", str(self.root), "review", "serve", *who]
        self.process = subprocess.Popen(
            [*command, *(["--blind"] if blind else [])],
            stderr=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )
        assert self.process.stderr is not None
        self.links = {}
        for line in self.process.stderr:
            if found := re.match(r"(\w+): (http://\S+)", line):
                self.links[found[1]] = found[2]
            if line.startswith("Each link") or line.startswith("error"):
                break
        assert self.links, line

    def stop(self, how: int = signal.SIGKILL) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait()
            assert self.process.stderr is not None
            self.process.stderr.close()
            self.process = None

    def log(self) -> list[dict[str, Any]]:
        path = self.root / "review/records/decisions.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


@pytest.fixture
def server(queued: Tiny, tmp_path: Path) -> Iterator[Server]:
    root = tmp_path / "tiny"
    shutil.copytree(queued.root, root)
    running = Server(root)
    running.start("--as", "ada:human", "--as", "bea:human", "--adjudicator", "cyd:human")
    yield running
    running.stop()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Open]:
    """Opens browsers, each with a profile of its own."""
    opened: list[webdriver.Chrome] = []

    def open_one(*, width: int = 1360, scripts: bool = True) -> webdriver.Chrome:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in (
            *FLAGS,
            f"--window-size={width},1000",
            f"--user-data-dir={tmp_path / f'profile{len(opened)}'}",
        ):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        if not scripts:
            options.add_experimental_option(
                "prefs", {"profile.managed_default_content_settings.javascript": 2}
            )
        opened.append(webdriver.Chrome(options=options, service=Service(DRIVER)))
        return opened[-1]

    yield open_one
    for one in opened:
        one.quit()


def keys(driver: webdriver.Chrome, *pressed: str) -> None:
    for key in pressed:
        driver.switch_to.active_element.send_keys(key)


def find(driver: webdriver.Chrome, css: str) -> WebElement:
    return driver.find_element(By.CSS_SELECTOR, css)


def soon(driver: webdriver.Chrome, true: Callable[[webdriver.Chrome], Any]) -> Any:
    """Waits until it is true. A page that is just being replaced is not an answer."""
    waiting = WebDriverWait(
        driver, 10, ignored_exceptions=(NoSuchElementException, StaleElementReferenceException)
    )
    return waiting.until(true)


def test_a_cell_is_settled_by_keyboard_alone(server: Server, browser: Open) -> None:
    driver = browser()
    driver.get(server.links["ada"])
    keys(driver, "n")
    soon(driver, lambda d: "/cell/" in d.current_url)
    driver.get(f"{server.address}/cell/{CELL}")

    keys(driver, "1", Keys.TAB, Keys.SPACE, "e", "s", "r")
    find(driver, "[name=reason]").send_keys(REASON)
    driver.switch_to.active_element.send_keys(Keys.CONTROL, Keys.ENTER)
    soon(driver, lambda d: CELL not in d.current_url)

    (event,) = soon(driver, lambda d: server.log())
    assert (event["cell"], event["setting"], event["action"]) == (CELL, "reactive", "keep")
    assert event["reason"] == REASON
    assert event["evidence"][0]["stance"] == "supports"
    assert event["context_verdict"] == "warranted"


def test_single_keys_write_in_text_fields_and_enter_nothing(server: Server, browser: Open) -> None:
    driver = browser()
    driver.get(server.links["ada"])
    driver.get(f"{server.address}/cell/{CELL}")

    keys(driver, "r")
    driver.switch_to.active_element.send_keys("uzne?/1")
    written = find(driver, "[name=reason]").get_property("value")
    driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    for key in "1escioug":
        keys(driver, key)

    assert written == "uzne?/1"
    assert CELL in driver.current_url
    assert server.log() == []


def test_a_draft_survives_a_reload_and_a_killed_server(server: Server, browser: Open) -> None:
    driver = browser()
    driver.get(server.links["ada"])
    driver.get(f"{server.address}/cell/{CELL}")
    keys(driver, "2", "r")
    driver.switch_to.active_element.send_keys("Half a thought")
    soon(driver, lambda d: find(d, "#saved").text == "Draft kept.")
    driver.refresh()
    after_reload = find(driver, "[name=reason]").get_property("value")
    server.stop(signal.SIGKILL)
    driver.switch_to.active_element.send_keys("")
    find(driver, "[name=reason]").send_keys(" more")
    soon(driver, lambda d: "could not be kept" in find(d, "#saved").text)

    server.start("--as", "ada:human")
    again = browser()
    again.get(server.links["ada"])
    again.get(f"{server.address}/cell/{CELL}")

    assert after_reload == "Half a thought"
    assert find(again, "[name=reason]").get_property("value") == "Half a thought"
    assert find(again, "[data-digit='2']").is_selected()


def filled(driver: webdriver.Chrome, address: str, digit: str) -> None:
    driver.get(f"{address}/cell/{CELL}")
    keys(driver, digit, Keys.TAB, Keys.SPACE, "e", "s", "r")
    find(driver, "[name=reason]").send_keys(REASON)


def test_two_tabs_do_not_overwrite_each_other(server: Server, browser: Open) -> None:
    driver = browser()
    driver.get(server.links["ada"])
    filled(driver, server.address, "1")
    first = driver.current_window_handle
    driver.switch_to.new_window("tab")
    filled(driver, server.address, "3")
    driver.switch_to.active_element.send_keys(Keys.CONTROL, Keys.ENTER)
    soon(driver, lambda d: CELL not in d.current_url)
    driver.switch_to.window(first)

    driver.switch_to.active_element.send_keys(Keys.CONTROL, Keys.ENTER)
    told = soon(driver, lambda d: find(d, "#problem")).text

    assert "You have decided this cell in another window meanwhile" in told
    assert find(driver, "[name=reason]").get_property("value") == REASON
    assert [event["setting"] for event in server.log()] == ["autonomous"]


def test_a_second_reviewer_is_blind(server: Server, browser: Open) -> None:
    driver = browser()
    driver.get(server.links["ada"])
    filled(driver, server.address, "1")
    driver.switch_to.active_element.send_keys(Keys.CONTROL, Keys.ENTER)
    soon(driver, lambda d: CELL not in d.current_url)
    server.stop(signal.SIGINT)
    server.start("--as", "bea:human", blind=True)
    blind = browser()
    blind.get(server.links["bea"])
    filled(blind, server.address, "3")
    before = blind.page_source

    blind.switch_to.active_element.send_keys(Keys.CONTROL, Keys.ENTER)
    revealed = soon(blind, lambda d: find(d, ".proposal")).text

    assert "ada" not in before
    assert "Proposed:" not in before
    assert "Proposed: reactive" in revealed
    assert "You chose autonomous before you saw this" in revealed
    assert [(event["reviewer"], event["mode"]) for event in server.log()] == [
        ("ada", "assisted"),
        ("bea", "blind"),
    ]


def test_hostile_words_are_shown_and_do_nothing(server: Server, browser: Open) -> None:
    hostile = (
        "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\"> as it stands"
    )
    driver = browser()
    driver.get(server.links["ada"])
    driver.get(f"{server.address}/cell/{CELL}")
    keys(driver, "1", Keys.TAB, Keys.SPACE, "e", "s", "r")
    find(driver, "[name=reason]").send_keys(hostile)
    driver.switch_to.active_element.send_keys(Keys.CONTROL, Keys.ENTER)
    soon(driver, lambda d: CELL not in d.current_url)

    driver.get(f"{server.address}/log")

    assert hostile in find(driver, "main").text
    assert driver.title == "Log · review desk"
    assert driver.find_elements(By.CSS_SELECTOR, "main script, main img") == []


def test_nothing_is_asked_of_another_place(server: Server, browser: Open) -> None:
    driver = browser()
    driver.get(server.links["ada"])
    driver.get_log("performance")  # type: ignore[no-untyped-call]  # the browser's own first page
    for path in ("/queue", f"/cell/{CELL}", "/guide", "/agreement", "/log"):
        driver.get(server.address + path)
    keys(driver, "?")

    entries = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]  # type: ignore[no-untyped-call]
    sent = [entry["params"] for entry in entries if entry["method"] == "Network.requestWillBeSent"]
    asked = {one["request"]["url"] for one in sent if not one["request"]["url"].startswith("data:")}
    severe = [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]  # type: ignore[no-untyped-call]
    assert len(asked) > 5
    assert [url for url in asked if not url.startswith(f"{server.address}/")] == []
    assert severe == []


def test_everything_works_without_scripts(server: Server, browser: Open) -> None:
    driver = browser(scripts=False)
    driver.get(server.links["ada"])
    find(driver, "a.primary").click()
    soon(driver, lambda d: "/cell/" in d.current_url)
    driver.get(f"{server.address}/cell/{CELL}")
    for css in ("[data-digit='1']", "[name=context_verdict][value=warranted]", "[data-stance=supports]"):
        find(driver, css).click()
    find(driver, "[name=reason]").send_keys(REASON)
    find(driver, "button[value=save]").click()

    soon(driver, lambda d: server.log())
    assert [event["cell"] for event in server.log()] == [CELL]
    driver.get(f"{server.address}/cell/{CELL}")
    find(driver, "[data-key=undo]").click()
    soon(driver, lambda d: len(server.log()) == 2)
    assert [event["action"] for event in server.log()] == ["keep", "withdraw"]


PAGES = (
    "/queue",
    f"/cell/{CELL}",
    "/cell/user_a/work/tone_formality",
    "/disputes",
    "/agreement",
    "/log",
    "/freeze",
    "/guide",
    "/keys",
    "/settings",
    "/nowhere",
)


@pytest.mark.parametrize("width", [1360, 320])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(server: Server, browser: Open, width: int, theme: str) -> None:
    from axe_core_python.selenium import Axe  # type: ignore[import-untyped]

    driver = browser(width=width)
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False},
    )
    driver.get(server.links["cyd"])
    driver.get(f"{server.address}/settings")
    find(driver, f"[name=theme][value={theme}]").click()
    find(driver, "button.primary").click()
    soon(driver, lambda d: find(d, "html").get_attribute("data-theme") == theme)

    for path in PAGES:
        driver.get(server.address + path)
        found = Axe().run(driver)
        wide = driver.execute_script("return document.documentElement.scrollWidth")
        problems = [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found["violations"]]
        assert problems == [], path
        assert wide <= width, path
        assert find(driver, "html").get_attribute("data-theme") == theme


def test_the_desk_ends_at_once_and_loses_nothing(server: Server, browser: Open) -> None:
    driver = browser()
    driver.get(server.links["ada"])
    filled(driver, server.address, "1")
    driver.switch_to.active_element.send_keys(Keys.CONTROL, Keys.ENTER)
    soon(driver, lambda d: CELL not in d.current_url)
    before = time.monotonic()

    server.stop(signal.SIGINT)

    assert time.monotonic() - before < 30
    assert len(server.log()) == 1
