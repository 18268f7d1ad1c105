"""How fast a report's page opens and redraws in Chromium.

    ./headroom predict fixtures/models/resnet50-i224.pt2 --batch 8 --steps 48 --report run.html
    python validation/page/redraws.py run.html [--repeat 5]

Opens the page in fresh browsers, redraws it in each, and prints medians. Needs chromium and chromedriver on the PATH.
README.md of this folder says what the rows mean.
"""
import argparse
import json
import shutil
import socket
import statistics
import subprocess
import time
import urllib.request
from pathlib import Path

FRAMES = 80

# Two actions, done in turn, each so many times, and the keys pressed before. An action is a key or a turn of the wheel.
GESTURES = {
    "nothing": ("", "", 1, ""),
    "zoom by key": ("+", "-", 8, "0p"),
    "zoom by wheel": ({"ctrlKey": True, "deltaY": -120}, {"ctrlKey": True, "deltaY": 120}, 10, "0"),
    "pan by wheel": ({"shiftKey": True, "deltaY": 120}, {"shiftKey": True, "deltaY": -120}, 20, "0+++"),
    "pan by key": ("PageDown", "PageUp", 40, "0+++"),
    "cursor": ("ArrowLeft", "ArrowRight", 20, "0p"),
}

# A frame lasts from its first callback until it is handed on; what an action computes at once counts, too.
SCRIPT = """
const [there, back, times, first, frames, done] = arguments;
const box = document.getElementById("timeline-chart");
const channel = new MessageChannel();
const wait = (ms) => new Promise((go) => setTimeout(go, ms));
const key = (name) => box.dispatchEvent(new KeyboardEvent("keydown", { key: name }));
const wheel = (turn) => {
    const { left, top, width } = box.getBoundingClientRect();
    const place = { clientX: left + width * 0.45, clientY: top + 150, bubbles: true, cancelable: true };
    box.querySelector("canvas:not(.overview)").dispatchEvent(new WheelEvent("wheel", { ...place, ...turn }));
};
const act = (action) => (typeof action === "string" ? key(action) : wheel(action));
const frame = (action) => new Promise((go) => requestAnimationFrame(() => {
    let begin = 0;
    requestAnimationFrame(() => (begin = performance.now()));
    const before = performance.now();
    act(action);
    const atOnce = performance.now() - before;
    requestAnimationFrame(() => {
        channel.port1.onmessage = () => go(atOnce + performance.now() - begin);
        channel.port2.postMessage(0);
    });
}));
(async () => {
    key("Home");
    for (const name of first) key(name);
    const all = [];
    for (let i = 0; i < frames; i++) {
        all.push(await frame(Math.floor(i / times) % 2 ? back : there));
        await wait(25);
    }
    done(all);
})();
"""


class Browser:
    """Chromium without a window, through its driver."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.process = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL)
        self.address = f"http://127.0.0.1:{port}/session"
        flags = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1280,900"]
        chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
        wanted = {"goog:chromeOptions": {"binary": chromium, "args": flags}, "timeouts": {"script": 300000}}
        for _ in range(100):
            try:
                self.address += "/" + self.post("", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
                return
            except OSError:  # The driver does not listen yet.
                time.sleep(0.1)
        raise SystemExit("chromedriver does not answer")

    def post(self, path, body):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode())
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)["value"]

    def script(self, text, *arguments, kind="sync"):
        return self.post(f"/execute/{kind}", {"script": text, "args": arguments})

    def busy(self):
        """Milliseconds of processor time of the page's main thread."""
        metrics = self.post("/goog/cdp/execute", {"cmd": "Performance.getMetrics", "params": {}})["metrics"]
        return 1000 * next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    def open(self, page):
        self.post("/goog/cdp/execute", {"cmd": "Performance.enable", "params": {"timeDomain": "threadTicks"}})
        self.post("/url", {"url": page.resolve().as_uri()})
        while not self.script("return document.documentElement.dataset.ready"):
            time.sleep(0.02)
        return self.script("return performance.getEntriesByType('navigation')[0].loadEventEnd"), self.busy()

    def close(self):
        urllib.request.urlopen(urllib.request.Request(self.address, method="DELETE")).close()
        self.process.terminate()
        self.process.wait()


def measured(page):
    """Of one browser: milliseconds until the page is open; by gesture those of a frame, and of the main thread."""
    browser = Browser()
    try:
        answers = {"opens": browser.open(page)}
        for name, gesture in GESTURES.items():
            browser.script(SCRIPT, *gesture, FRAMES // 2, kind="async")  # Warms up.
            before = browser.busy()
            frames = browser.script(SCRIPT, *gesture, FRAMES, kind="async")
            answers[name] = (statistics.median(frames), (browser.busy() - before) / FRAMES)
        return answers
    finally:
        browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path, help="written by predict --report")
    parser.add_argument("--repeat", type=int, default=5, help="browsers, of which the median counts")
    args = parser.parse_args()
    runs = [measured(args.page) for _ in range(args.repeat)]
    print(f"{'ms':16}{'wall':>8}{'CPU':>8}")
    for name in runs[0]:
        # The chart answers a wheel later, in a task of its own: only its processor time is known.
        wall, cpu = (f"{statistics.median(times):.1f}" for times in zip(*(run[name] for run in runs)))
        print(f"{name:16}{'' if 'wheel' in name else wall:>8}{cpu:>8}")


if __name__ == "__main__":
    main()
