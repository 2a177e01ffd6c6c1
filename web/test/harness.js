// What the tests in a browser share: made records, plinth, Chromium, and a page that
// is watched for whatever it must never do.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

/** Runs a program to its end; one that fails is an error. */
export const run = promisify(execFile);
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The program under test; make build builds it. */
export const plinth = join(root, "bin", "plinth");

/** How long to wait for what a page does: it ends a hang, and decides nothing else. */
const patience = 60_000;

/**
 * Options of a group of tests: a few run side by side, since most of them wait for the
 * browser or for plinth.
 */
export const together = { concurrency: 3, timeout: 10 * patience };

// once makes something when it is first asked for, and answers it from then on.
function once(make) {
  let made;
  return () => {
    made ??= make();
    return made;
  };
}

/** A directory of this process, removed at its end. */
export const scratch = once(() => mkdtemp(join(process.env.PLINTH_TEST_PAGES ?? tmpdir(), "plinth-page-")));

/** Chromium, started when it is first asked for. */
export const browser = once(() =>
  chromium.launch({
    executablePath: process.env.PLINTH_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  }),
);

const ends = [];

/** Ends what all tests share: for after(). */
export async function end() {
  for (const stop of ends.splice(0)) await stop();
  await (await browser()).close();
  await rm(await scratch(), { recursive: true, force: true });
}

/** The program that makes records; built once. */
const maker = once(async () => {
  const path = join(await scratch(), "make-records");
  await run("go", ["build", "-o", path, "./internal/page/pagetest/cmd"], { cwd: root });
  return path;
});

const records = new Map();

/** The directory of the named record, which is made once; a test that changes it takes a copy. */
export function record(name) {
  if (!records.has(name)) records.set(name, makeRecord(name));
  return records.get(name);
}

async function makeRecord(name) {
  const { stdout } = await run(await maker(), [join(await scratch(), "made"), name]);
  return stdout.trim().slice(name.length + 1);
}

/** A store of that name with copies of the named records; answers its directory. */
export async function storeOf(name, records) {
  const store = join(await scratch(), name);
  for (const path of await Promise.all(records.map(record)))
    await cp(path, join(store, basename(path)), { recursive: true });
  return store;
}

const reports = new Map();

/** The address of the report of the named record, which is written once. */
export function report(name) {
  if (!reports.has(name)) reports.set(name, record(name).then(writeReport));
  return reports.get(name);
}

async function writeReport(path) {
  const file = join(await scratch(), `${basename(path)}.html`);
  await run(plinth, ["report", path, "-o", file]);
  return pathToFileURL(file).href;
}

// A browser's window costs more than most pages in it: one that a test has left serves the next
// test that asks for the same options.
const left = new Map();

async function takeWindow(options, fresh) {
  const page = !fresh && left.get(JSON.stringify(options))?.pop();
  if (page) return page;
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(patience);
  await context.addInitScript(watch);
  return context.newPage();
}

// What a test did to the window must not reach the next one; what it stored is cleared before.
async function leave(page, options) {
  page.removeAllListeners();
  await page.context().unrouteAll();
  await page.emulateMedia({ media: null });
  await page.mouse.move(0, 0);
  await page.goto("about:blank");
  const key = JSON.stringify(options);
  left.set(key, [...(left.get(key) ?? []), page]);
}

// What was seen on the page, whose storage it clears; undefined where the page is not there any more.
function lastSeen(page) {
  const look = () => {
    localStorage.clear();
    sessionStorage.clear();
    return window.__seen;
  };
  return page.evaluate(look).catch(() => undefined);
}

/**
 * Opens an address in a window of its own. When the test ends, nothing may have
 * gone wrong on the page: no error, no dialog, no request to elsewhere, nothing that
 * the Content-Security-Policy had to stop. `allow` are patterns of console messages that the
 * test brings about itself; `fresh` is a window that no other test has had or gets.
 */
export async function open(t, address, { allow = [], fresh = false, ...options } = {}) {
  const page = await takeWindow(options, fresh);
  const wrong = [];
  const note = (text) => allow.some((pattern) => pattern.test(text)) || wrong.push(text);
  page.on("pageerror", (error) => note(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") note(`console: ${message.text()}`);
  });
  page.on("dialog", (dialog) => {
    note(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  const home = new URL(address);
  await page.context().route(
    (url) => !isHome(url, home),
    (route) => {
      note(`request: ${route.request().url()}`);
      return route.abort();
    },
  );
  t.after(async () => {
    const seen = options.javaScriptEnabled === false ? { violations: [] } : await lastSeen(page);
    for (const text of seen?.violations ?? []) note(text);
    await (fresh || !seen ? page.context().close() : leave(page, options));
    assert.deepEqual(wrong, []);
  });
  await page.goto(address);
  return page;
}

// A file may fetch nothing at all; a served page only from its server.
function isHome(url, home) {
  if (home.protocol === "file:") return url.href.split("#")[0] === home.href.split("#")[0];
  return url.origin === home.origin;
}

// Runs in the page before anything of its own.
function watch() {
  window.__seen = { violations: [], shift: 0 };
  document.addEventListener("securitypolicyviolation", (event) => {
    window.__seen.violations.push(
      `violation: ${event.violatedDirective} by ${event.blockedURI} ${event.sample}`,
    );
  });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.__seen.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}

/** Opens all that is folded away. */
export function unfold(page) {
  return page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
}

/** How far things jumped while the page loaded, as Chromium counts it (CLS). */
export function layoutShift(page) {
  return page.evaluate(() => window.__seen.shift);
}

/** The server of the store that several tests read: its address, and the names of the records in it. */
export const shared = once(async () => {
  const recipes = ["two", "three", "one", "interrupted", "hostile", "mysql", "later"];
  const store = await storeOf("shared", recipes);
  const paths = await Promise.all(recipes.map(record));
  const { address } = await serve({ after: (stop) => ends.push(stop) }, store);
  return { address, names: Object.fromEntries(recipes.map((name, i) => [name, basename(paths[i])])) };
});

/** Starts plinth serve over store, on a port; answers its address and a way to stop it. */
export async function serve(t, store, port = 0) {
  const child = spawn(plinth, ["serve", "--store", store, "--listen", `127.0.0.1:${port}`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    child.kill("SIGINT");
    await ended;
  };
  t.after(stop);
  let said = "";
  for await (const line of createInterface({ input: child.stderr })) {
    said += `${line}\n`;
    const found = / at (http:\S+?)\/?$/.exec(line);
    if (found) {
      child.stderr.resume();
      return { address: found[1], stop };
    }
  }
  throw new Error(`plinth serve did not begin: ${said}`);
}

/** A record that is being written, by a program that does each step when it is told. */
export async function liveRecord(t, store) {
  const child = spawn(await maker(), ["-live", store], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value;
  const path = await next();
  t.after(() => child.kill());
  return {
    path,
    name: basename(path),
    async tell(word) {
      child.stdin.write(`${word}\n`);
      assert.equal(await next(), "done");
    },
  };
}
