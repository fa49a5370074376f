// Chromium over its own protocol (DevTools), by a pipe: no package is needed.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Longest wait for anything, in milliseconds: far more than is needed, for machines under load. */
const PATIENCE = 30_000;

export const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Waits until `check` gives something true, which is returned. */
export async function eventually(what, check) {
  const end = Date.now() + PATIENCE;
  let last;
  do {
    last = await check();
    if (last) return last;
    await sleep(25);
  } while (Date.now() < end);
  throw new Error("in vain: " + what);
}

export class Browser {
  #process; #profile; #last = 0; #rest = ""; #waiting = new Map(); #listeners = new Map();

  static async start(path) {
    const browser = new Browser();
    browser.#profile = mkdtempSync(join(tmpdir(), "firmament-page-"));
    const flags = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
      "--disable-dev-shm-usage", "--disable-background-networking", "--user-data-dir=" + browser.#profile];
    browser.#process = spawn(path, [...flags, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.#process.stdio[4].on("data", (bytes) => browser.#receive(bytes));
    browser.#process.on("exit", () => browser.#waiting.forEach(({ fail }) => fail(new Error("the browser ended"))));
    return browser;
  }

  #receive(bytes) {
    const messages = (this.#rest + bytes).split("\0");
    this.#rest = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) {
      const waiting = this.#waiting.get(message.id);
      if (!waiting) {
        this.#listeners.get(message.sessionId)?.(message);
        continue;
      }
      this.#waiting.delete(message.id);
      if (message.error) waiting.fail(new Error(waiting.method + ": " + message.error.message));
      else waiting.done(message.result);
    }
  }

  send(method, params = {}, sessionId) {
    const id = ++this.#last;
    this.#process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(method + ": no answer")), PATIENCE);
      const ended = (then) => (value) => { clearTimeout(timer); then(value); };
      this.#waiting.set(id, { method, done: ended(done), fail: ended(fail) });
    });
  }

  /** A tab of its own, with storage that nobody shares. */
  async tab() {
    const { browserContextId } = await this.send("Target.createBrowserContext");
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab((method, params) => this.send(method, params, sessionId));
    this.#listeners.set(sessionId, (message) => tab.notice(message));
    for (const domain of ["Page", "Runtime", "Network", "Log"]) await tab.send(domain + ".enable");
    return tab;
  }

  async close() {
    const ended = new Promise((done) => this.#process.on("exit", done));
    await this.send("Browser.close").catch(() => this.#process.kill());
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** One tab, what it asked for, and what it complained about. */
export class Tab {
  requests = [];
  complaints = [];

  constructor(send) {
    this.send = send;
  }

  notice({ method, params }) {
    if (method === "Network.requestWillBeSent") this.requests.push(params.request);
    if (method === "Runtime.exceptionThrown") this.complaints.push(params.exceptionDetails.exception?.description);
    // An answer that is an error is told of too.
    if (method === "Log.entryAdded" && params.entry.source !== "network") this.complaints.push(params.entry.text);
  }

  /** What an expression of the page comes to. */
  async value(expression) {
    const { result, exceptionDetails } =
      await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(expression + ": " + exceptionDetails.exception?.description);
    return result.value;
  }

  async open(url) {
    await this.send("Page.navigate", { url });
    await this.until("document.readyState === 'complete' && location.href !== 'about:blank'");
  }

  until(expression) {
    return eventually(expression, () => this.value(expression).catch(() => false));
  }

  /** Types as a person does, key by key. */
  async type(text) {
    for (const key of text) {
      await this.send("Input.dispatchKeyEvent", { type: "keyDown", text: key, key });
      await this.send("Input.dispatchKeyEvent", { type: "keyUp", key });
    }
  }

  async press(key) {
    const codes = { Enter: 13, Escape: 27, Tab: 9, ArrowDown: 40, ArrowUp: 38, Backspace: 8, Space: 32 };
    const text = { Enter: "\r", Space: " " }[key];
    const event = { key: key === "Space" ? " " : key, code: key, windowsVirtualKeyCode: codes[key] };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", text, ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  /** Clicks where the first element is that a selector, and a text if given, fit. */
  async click(selector, text = "") {
    const found = `[...document.querySelectorAll(${JSON.stringify(selector)})]
      .find((it) => it.textContent.includes(${JSON.stringify(text)}))`;
    // Where it is once the page has been drawn, if it is there to be hit.
    const { x, y } = await this.until(`(async () => {
      ${found}.scrollIntoView({ block: "center" });
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      const it = ${found};
      const box = it.getBoundingClientRect();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      return it.contains(document.elementFromPoint(x, y)) && { x, y };
    })()`);
    for (const type of ["mousePressed", "mouseReleased"]) {
      await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    }
  }

  async look(width, height, scheme = "light") {
    const mobile = width < 600;
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  }

  async picture(path) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    writeFileSync(path, Buffer.from(data, "base64"));
  }
}
