// What a person does with the page, and what must come of it. Arguments: Chromium, the folder of the programs,
// a folder for screenshots.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Browser, eventually } from "./browser.mjs";

const [chromium, programs, pictures] = process.argv.slice(2);

/** A server on a free port, and where it is. */
async function serve(...given) {
  const server = spawn(join(programs, "firmament"), [...given, "--listen", "127.0.0.1:0"],
    { stdio: ["ignore", "ignore", "pipe"] });
  let origin;
  createInterface(server.stderr).on("line", (line) => {
    const address = /listening on (\S+)/.exec(line)?.[1];
    if (address) origin = "http://" + address;
  });
  await eventually("the server listens", () => origin || (server.exitCode !== null && assert.fail("it ended")));
  return { origin, stop: () => server.kill() };
}

const total = "document.querySelector('#status strong')?.textContent";
const names = "[...document.querySelectorAll('.result .name')].map((it) => it.textContent)";
const notes = "document.querySelector('#notes').textContent";
const focused = "document.activeElement.id || document.activeElement.className";
const pressed = "[...document.querySelectorAll('[aria-pressed=true]')].map((it) => it.firstChild.textContent)";

const steps = {
  async "a search answers as one types, and the address holds what is asked"(tab, origin) {
    await tab.open(origin);
    await tab.until(`${total} === "410"`);
    await tab.type("nestl");
    await tab.until(`${names}[0] === "Nestlé S.A."`);
    assert.equal(await tab.value("location.search"), "?q=nestl");
    assert.match(await tab.value("document.querySelector('#status').textContent"), /search \d+\.\d+ ms/);
    await tab.press("Backspace");
    await tab.until("location.search === '?q=nest'");
    await tab.open(origin + "/?q=toyota&sort=name");
    await tab.until(`${names}[0] === "Toyota Motor Corporation"`);
    assert.equal(await tab.value("document.querySelector('#sort').value"), "name");
  },

  async "facets filter, count, and are taken back"(tab, origin) {
    await tab.open(origin);
    const count = await tab.until(`document.querySelector('[data-value="industry:Software"] span:last-child')?.textContent`);
    await tab.click("#facets .value", "Software");
    await tab.until(`${total} === ${JSON.stringify(count)}`);
    await tab.until(`${pressed}.join() === "Software"`);
    await tab.click("#facets .value", "United States");
    await tab.until(`${pressed}.join() === "Software,United States"`);
    await tab.click("#facets .value", "California");
    await tab.until(`${pressed}.join() === "Software,United States,California"`);
    const californian = await tab.value(total);
    const shown = await tab.value(`document.querySelector('[aria-pressed=true][data-value="state:California"] span:last-child').textContent`);
    assert.equal(californian, shown);
    await tab.click("#facets .value", "California");
    await tab.until(`${pressed}.join() === "Software,United States"`);
    assert.notEqual(await tab.value(total), californian);
    await tab.click("#chosen .value", "industry: Software");
    await tab.until(`${pressed}.join() === "United States"`);
    await tab.click("#facets .value", "10,001+");
    await tab.until("location.search.includes('min_employees=10001')");
    // Facets that are asked for with the filter replace those before, and what was opened there.
    await tab.until(`${pressed}.join().includes("10,001+")`);
    await tab.click(".more");
    await tab.until("document.querySelector('[data-facet=industry] ul').children.length > 9");
  },

  async "pages are walked forward and back"(tab, origin) {
    await tab.open(origin);
    await tab.until(`${names}.length === 20`);
    const first = await tab.value(names);
    assert.equal(await tab.value("document.querySelector('#previous').disabled"), true);
    await tab.click("#next");
    await tab.until(`${names}.length === 20 && ${names}[0] !== ${JSON.stringify(first[0])}`);
    assert.equal((await tab.value(names)).some((name) => first.includes(name)), false);
    await tab.click("#previous");
    await tab.until(`${names}[0] === ${JSON.stringify(first[0])}`);
    assert.deepEqual(await tab.value(names), first);
  },

  async "orders are chosen"(tab, origin) {
    await tab.open(origin);
    await tab.value("(() => { const it = document.querySelector('#sort'); it.value = 'founded_year'; it.dispatchEvent(new Event('change')); })()");
    await tab.value("(() => { const it = document.querySelector('#order'); it.value = 'asc'; it.dispatchEvent(new Event('change')); })()");
    await tab.until("location.search === '?sort=founded_year&order=asc'");
    const years = `[...document.querySelectorAll('.result .facts')].map((it) => Number(/founded (\\d+)/.exec(it.textContent)?.[1]))`;
    await tab.until(`((years) => years.length === 20 && years.every((year, at) => !at || years[at - 1] <= year))(${years})`);
  },

  async "what was corrected, relaxed or is unknown is told"(tab, origin) {
    await tab.open(origin + "/?q=mircosoft");
    await tab.until(`${notes}.includes("Searched for “microsoft”")`);
    await tab.open(origin + "/?q=software+zqzqzq");
    await tab.until(`${notes}.includes("any of them counts")`);
    await tab.open(origin + "/?industry=Sofware&location=Germny");
    await tab.until(`${notes}.includes("No industry is called “Sofware”")`);
    await tab.click("#notes button", "Software");
    await tab.until("location.search.includes('industry=Software')");
    await tab.click("#notes button", "Germany");
    await tab.until(`Number(${total}) > 0 && ${notes} === ""`);
    await tab.open(origin + "/?q=%22zq+zq%22");
    await tab.until(`${notes}.includes("Nothing matches")`);
  },

  async "errors are those of the API, and no earlier answer stays"(tab, origin) {
    await tab.open(origin + "/?q=toyota&limit=7");
    await tab.until(`${names}.length > 0`);
    await tab.value("(() => { const it = document.querySelector('#q'); it.value = 'a '.repeat(33); it.dispatchEvent(new Event('input')); })()");
    await tab.until(`${notes}.includes("(query_too_long)")`);
    assert.deepEqual(await tab.value(names), []);
    await tab.open(origin + "/?min_employees=x");
    await tab.until(`${notes}.includes("(invalid_parameter)")`);
    await tab.click("#chosen .value", "min employees: x");
    await tab.until(`${total} === "410"`);
  },

  async "the keyboard does"(tab, origin) {
    await tab.open(origin);
    await tab.until(`${names}.length === 20`);
    assert.equal(await tab.value(focused), "q");
    await tab.press("ArrowDown");
    await tab.press("ArrowDown");
    await tab.until("document.activeElement === document.querySelectorAll('.result')[1]");
    const name = (await tab.value(names))[1];
    await tab.press("Enter");
    await tab.until(`document.querySelector('#business').open && document.querySelector('#business-name').textContent === ${JSON.stringify(name)}`);
    await tab.press("Escape");
    await tab.until("!document.querySelector('#business').open");
    assert.equal(await tab.value(focused), "result");
    await tab.press("ArrowUp");
    await tab.press("ArrowUp");
    await tab.until(`${focused} === "q"`);
    await tab.press("ArrowDown");
    await tab.type("/");
    await tab.until(`${focused} === "q"`);
    assert.equal(await tab.value("document.querySelector('#q').value"), "");
    // A facet that is chosen by the keyboard keeps the focus.
    await tab.value(`document.querySelector('[data-value="industry:Banking"]').focus()`);
    await tab.press("Space");
    await tab.until(`${pressed}.join() === "Banking"`);
    await tab.until("document.activeElement.dataset.value === 'industry:Banking'");
    // Whatever can be reached can be seen to be.
    await tab.press("Tab");
    assert.notEqual(await tab.value("getComputedStyle(document.activeElement).outlineStyle"), "none");
  },

  async "the command line shown gives the answer shown"(tab, origin) {
    await tab.open(origin + "/?q=o%27reilly+%22auto+parts%22&industry=Retail");
    await tab.until(total);
    const command = await tab.value("document.querySelector('#curl').textContent");
    const [, header, url] = /^curl -H '(.*?)' '(.*)'$/.exec(command);
    const [name, key] = header.split(": ");
    const answer = await (await fetch(url.replaceAll("'\\''", "'"), { headers: { [name]: key } })).json();
    assert.equal(String(answer.pagination.total), await tab.value(total));
    assert.deepEqual(answer.results.map((it) => it.name), await tab.value(names));
  },

  async "light and dark, and nothing sticks out on a telephone"(tab, origin) {
    const paper = "getComputedStyle(document.body).backgroundColor";
    const seen = new Set();
    for (const scheme of ["light", "dark"]) {
      for (const [width, height] of [[1000, 640], [360, 740]]) {
        await tab.look(width, height, scheme);
        await tab.open(origin + "/?q=bank&location=Germany");
        await tab.until(`${names}.length > 0 && document.querySelectorAll('details').length === 6`);
        seen.add(await tab.value(paper));
        assert.ok(await tab.value("document.documentElement.scrollWidth <= innerWidth"), `${width} is not enough`);
        if (pictures) await tab.picture(join(pictures, `${scheme}-${width}.png`));
        await tab.click(".result");
        await tab.until("document.querySelector('#business').open");
        assert.ok(await tab.value("document.querySelector('#business').getBoundingClientRect().right <= innerWidth"));
        if (pictures) await tab.picture(join(pictures, `${scheme}-${width}-business.png`));
      }
    }
    assert.equal(seen.size, 2, "light and dark are two");
  },

  async "a browser at an unknown path is told, and there is an icon"(tab, origin) {
    await tab.open(origin + "/nowhere");
    await tab.until("document.body.textContent.includes('Nothing here')");
    const icon = await fetch(origin + "/favicon.ico");
    assert.deepEqual([icon.status, icon.headers.get("content-type")], [200, "image/svg+xml"]);
  },
};

/** With `serve --page` the key is asked for, and never leaves the tab. */
async function keyIsAskedFor(browser) {
  const folder = mkdtempSync(join(tmpdir(), "firmament-page-"));
  const [snapshot, keys] = ["sample.firmament", "keys.json"].map((name) => join(folder, name));
  const tools = (...given) => execFileSync(join(programs, "firmament-tools"), given, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  tools("build", "data/businesses.jsonl", "--output", snapshot);
  const key = /fmt_\w+/.exec(tools("keys", "new", "page", "--keys", keys))[0];
  const server = await serve("serve", snapshot, "--keys", keys, "--page", "--admin", "off");
  const tab = await browser.tab();
  await tab.open(server.origin + "/?q=nestl");
  await tab.until("document.querySelector('#ask').open");
  await tab.type("wrong");
  await tab.press("Enter");
  await tab.until(`${notes}.includes("(invalid_api_key)") && document.querySelector('#ask').open`);
  await tab.type(key);
  await tab.press("Enter");
  await tab.until(`${names}[0] === "Nestlé S.A." && !document.querySelector('#ask').open`);
  assert.equal((await tab.value("document.documentElement.outerHTML + location.href")).includes(key), false);
  assert.ok((await tab.value("document.querySelector('#curl').textContent")).includes("$FIRMAMENT_KEY"));
  const stored = await tab.value("JSON.stringify([document.cookie, { ...localStorage }])");
  assert.equal(stored, '["",{}]');
  // Reloading the tab keeps it, another tab has none.
  await tab.open(server.origin + "/?q=toyota");
  await tab.until(`${names}.length > 0`);
  const other = await browser.tab();
  await other.open(server.origin);
  await other.until("document.querySelector('#ask').open");
  const urls = tab.requests.map((request) => request.url);
  assert.ok(urls.every((url) => url.startsWith(server.origin) && !url.includes(key)), urls.join(" "));
  server.stop();
  rmSync(folder, { recursive: true });
}

if (pictures) mkdirSync(pictures, { recursive: true });
const browser = await Browser.start(chromium);
const demo = await serve("demo");
let failed = 0;
const run = async (what, step) => {
  try {
    await step();
    console.log("ok   " + what);
  } catch (error) {
    failed += 1;
    console.log("FAIL " + what + "\n" + error.stack);
  }
};
for (const [what, step] of Object.entries(steps)) {
  await run(what, async () => {
    const tab = await browser.tab();
    await tab.look(1000, 800);
    await step(tab, demo.origin);
    assert.deepEqual(tab.complaints, [], "the page complains");
    const elsewhere = tab.requests.map(({ url }) => url).filter((url) => !url.startsWith(demo.origin));
    assert.deepEqual(elsewhere.filter((url) => url !== "about:blank"), [], "it asks nobody else");
  });
}
await run("a key is asked for where none is public, and stays in the tab", () => keyIsAskedFor(browser));
await browser.close();
demo.stop();
console.log(`${Object.keys(steps).length + 1 - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
