// What the tests in a browser share: made records, plinth, Chromium, and a page that
// is watched for whatever it must never do.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { access, mkdtemp, rm } from "node:fs/promises";
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

/** How long to wait for what a page does; CI's machines are slow, not wrong. */
export const patience = 20_000;

let browser;
let directory;

/** A directory of this test file's own, removed at its end. */
export async function scratch() {
  directory ??= await mkdtemp(join(process.env.PLINTH_TEST_PAGES ?? tmpdir(), "file-"));
  return directory;
}

/** Ends what the tests of a file share: for after(). */
export async function end() {
  await browser?.close();
  if (directory) await rm(directory, { recursive: true, force: true });
}

async function launch() {
  browser ??= await chromium.launch({
    executablePath: process.env.PLINTH_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
  return browser;
}

async function exists(path) {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

/** The program that makes records; built once for all test files. */
export async function maker() {
  const path = join(process.env.PLINTH_TEST_PAGES ?? (await scratch()), "make-records");
  if (!(await exists(path)))
    await run("go", ["build", "-o", path, "./internal/page/pagetest/cmd"], { cwd: root });
  return path;
}

/** Makes the named record in store, and answers its directory. */
export async function makeRecord(store, name) {
  const { stdout } = await run(await maker(), [store, name]);
  return stdout.trim().slice(name.length + 1);
}

/** Writes the report of a record, and answers its address. */
export async function writeReport(record) {
  const file = join(await scratch(), `${basename(record)}.html`);
  await run(plinth, ["report", record, "-o", file]);
  return pathToFileURL(file).href;
}

const reports = new Map();

/** The address of the report of a made record; each is made once for a test file. */
export async function report(name) {
  if (!reports.has(name)) {
    reports.set(
      name,
      scratch()
        .then((place) => makeRecord(join(place, "store"), name))
        .then(writeReport),
    );
  }
  return reports.get(name);
}

/**
 * Opens an address in a browser of its own. When the test ends, nothing may have
 * gone wrong on the page: no error, no dialog, no request to elsewhere, nothing that
 * the Content-Security-Policy had to stop. `allow` are patterns of console messages that the
 * test brings about itself.
 */
export async function open(t, address, { allow = [], ...options } = {}) {
  const context = await (await launch()).newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(patience);
  await context.addInitScript(watch);
  const page = await context.newPage();
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
  await context.route(
    (url) => !isHome(url, home),
    (route) => {
      note(`request: ${route.request().url()}`);
      return route.abort();
    },
  );
  t.after(async () => {
    if (options.javaScriptEnabled !== false) {
      const seen = await page.evaluate(() => window.__seen).catch(() => undefined);
      for (const text of seen?.violations ?? []) note(text);
    }
    await context.close();
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
