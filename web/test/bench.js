// How soon the report of 540 runs can be used, and what plinth serve takes for a list
// of 5,000 records: make bench-page. Prints medians; compare them on one machine only.

import { cp, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { end, open, plinth, record, report, run, scratch, serve, storeOf } from "./harness.js";

const times = 7;
const ends = [];
const t = { after: (f) => ends.push(f) };
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const say = (what, value, unit) =>
  process.stdout.write(`${what.padEnd(58)} ${value.toFixed(value < 10 ? 2 : 0).padStart(7)} ${unit}\n`);

async function timed(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

async function several(work) {
  const all = [];
  for (let i = 0; i < times; i++) all.push(await work());
  return median(all);
}

// Interactive: the page's program has run, and the browser has time for people.
async function interactive(address) {
  const page = await open(t, address, { fresh: true });
  const result = await page.evaluate(async () => {
    const long = [];
    new PerformanceObserver((list) => long.push(...list.getEntries())).observe({
      type: "longtask",
      buffered: true,
    });
    await new Promise((resolve) => requestIdleCallback(resolve));
    const [navigation] = performance.getEntriesByType("navigation");
    const busy = Math.max(
      navigation.domContentLoadedEventEnd,
      ...long.map((task) => task.startTime + task.duration),
    );
    return { busy, paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0 };
  });
  await ends.pop()();
  return result;
}

async function explorer(address) {
  const page = await open(t, address, { fresh: true });
  const milliseconds = await timed(async () => {
    await page.locator("#run-explorer").scrollIntoViewIfNeeded();
    await page.locator(".explorer .timeline .u-wrap").first().waitFor();
  });
  await ends.pop()();
  return milliseconds;
}

const large = await record("large");
const written = join(await scratch(), "written.html");
say(
  "plinth report, 540 runs of 60 s and 230 columns",
  await several(() => timed(() => run(plinth, ["report", large, "-o", written]))),
  "ms",
);
const address = await report("large");
say("its file", (await stat(fileURLToPath(address))).size / 1e6, "MB");
const opened = [];
for (let i = 0; i < times; i++) opened.push(await interactive(address));
say("it opens: first paint", median(opened.map(({ paint }) => paint)), "ms");
say("it opens: interactive", median(opened.map(({ busy }) => busy)), "ms");
say("the run explorer is drawn when it is scrolled to", await several(() => explorer(address)), "ms");

const many = await storeOf("many", ["empty"]);
const one = await record("empty");
const files = await readdir(one);
for (let i = 1; i < 5000; i++) {
  const copy = join(many, `${basename(one)}-${i}`);
  for (const file of files) await cp(join(one, file), join(copy, file), { recursive: true });
}
const { address: served } = await serve(t, many);
const list = async () => (await fetch(`${served}/api/records?limit=100`)).arrayBuffer();
say("plinth serve lists 5,000 records, the first time", await timed(list), "ms");
say("plinth serve lists 5,000 records", await several(() => timed(list)), "ms");
for (const stop of ends) await stop();
await end();
