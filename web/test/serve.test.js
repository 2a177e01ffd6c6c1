// plinth serve: the list, a record, a comparison, and an experiment that goes on.

import assert from "node:assert/strict";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { assertAccessible } from "./axe.js";
import {
  end,
  layoutShift,
  liveRecord,
  open,
  plinth,
  run,
  scratch,
  serve,
  shared,
  storeOf,
  together,
} from "./harness.js";

// What a browser says by itself when a server went away or a record is gone.
const lost =
  /Failed to load resource|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE/;

after(end);

describe("plinth serve", together, () => {
  const entries = (page) => page.locator(".entries .entry");
  const hacked = (page) => page.evaluate(() => window.__hacked);

  async function list(t, query = "") {
    const { address, names } = await shared();
    const page = await open(t, `${address}/${query}`);
    await entries(page).first().waitFor();
    return { page, names };
  }

  test("the list has every record, damaged ones too, and runs nothing of theirs", async (t) => {
    const { page, names } = await list(t);
    assert.equal(await entries(page).count(), 7);
    assert.match(await page.locator(".entries").innerText(), /two-disks is better than one-disk/);
    assert.match(
      await entries(page).filter({ hasText: names.later }).innerText(),
      /newer[\s\S]*newer version of plinth/,
    );
    assert.equal(await hacked(page), undefined);
    await assertAccessible(page);
    assert.ok((await layoutShift(page)) < 0.02, `CLS is ${await layoutShift(page)}`);
  });

  test("without JavaScript the list is a table, and a form filters it", async (t) => {
    const { address } = await shared();
    const page = await open(t, address, { javaScriptEnabled: false });
    assert.equal(await page.locator("#store tbody tr").count(), 7);
    await page.locator('input[name="q"]').fill("three");
    await page.locator("#store form button").click();
    assert.equal(await page.locator("#store tbody tr").count(), 1);
  });

  test("a filter works as it is typed, stands in the address, and Back takes it back", async (t) => {
    const { page } = await list(t);
    await page.getByLabel("Search").fill("wal device");
    await page.waitForFunction(() => document.querySelectorAll(".entries .entry").length === 2);
    assert.match(page.url(), /\?q=wal/);
    await page.getByLabel("State").selectOption("interrupted");
    await page.waitForFunction(() => document.querySelectorAll(".entries .entry").length === 1);
    await page.reload();
    await page.waitForFunction(() => document.querySelectorAll(".entries .entry").length === 1);
    await page.goBack();
    await page.waitForFunction(() => document.querySelectorAll(".entries .entry").length === 2);
    await page.getByRole("button", { name: "Clear" }).first().click();
    await page.waitForFunction(() => document.querySelectorAll(".entries .entry").length === 7);
  });

  test("a record is opened from the list, and its seconds are fetched when they are wanted", async (t) => {
    const { page, names } = await list(t);
    await page.getByRole("link", { name: "Which of the three?" }).click();
    await page.waitForURL(new RegExp(names.three));
    assert.match(await page.locator("h1").innerText(), /Which of the three/);
    const asked = page.waitForRequest((request) =>
      request.url().includes(`/api/record/${names.three}/run?path=`),
    );
    await page.locator("#run-explorer").scrollIntoViewIfNeeded();
    await asked;
    await page.locator(".explorer .timeline .u-wrap").first().waitFor();
    assert.equal(await page.locator(".banner", { hasText: "but not of" }).count(), 0);
  });

  test("a record that is removed while its report is open: a run that is chosen says so", async (t) => {
    const place = await storeOf("removed", ["one"]);
    const [name] = await readdir(place);
    const { address } = await serve(t, place);
    const page = await open(t, `${address}/record/${name}#runs`, { allow: [lost] });
    await page.locator(".explorer .timeline .u-wrap").first().waitFor();
    await rm(join(place, name), { recursive: true, force: true });
    await page.locator("button.take").last().click();
    await page
      .locator(".explorer .banner", { hasText: /^This record was removed from the store\.$/ })
      .waitFor();
  });

  test("two records are chosen in the list and compared", async (t) => {
    const { page, names } = await list(t);
    await page.getByLabel(`Choose ${names.two} to compare`).check();
    await page.getByLabel(`Choose ${names.interrupted} to compare`).check();
    assert.ok(await page.getByLabel(`Choose ${names.three} to compare`).isDisabled(), "two are enough");
    await page.getByRole("link", { name: "Compare", exact: true }).click();
    await page.waitForURL(/\/compare\?a=.*&b=/);
    const text = await page.locator("main").innerText();
    assert.ok(text.includes(names.two) && text.includes(names.interrupted), text.slice(0, 200));
    assert.ok((await page.locator("main table tbody tr").count()) > 0);
  });

  test("a hostile record is served as it is read from a file: as text", async (t) => {
    const { address, names } = await shared();
    const page = await open(t, `${address}/record/${names.hostile}#runs`);
    await page.locator(".explorer .timeline .u-wrap").first().waitFor();
    assert.equal(await hacked(page), undefined);
    assert.equal(await page.locator("main img, main iframe, main script, main [onerror]").count(), 0);
  });

  test("what is not there is said, in a page", async (t) => {
    const { address } = await shared();
    const page = await open(t, `${address}/record/nothing-20260101T000000Z`, { allow: [lost] });
    assert.match(await page.locator("body").innerText(), /no such record/);
  });

  async function live(t) {
    const place = join(await scratch(), `live-${Math.random().toString(36).slice(2)}`);
    const record = await liveRecord(t, place);
    const server = await serve(t, place);
    const page = await open(t, `${server.address}/record/${record.name}`, { allow: [lost] });
    await page.locator("#live .live-state", { hasText: "running" }).waitFor();
    await page.locator("#live .live-span legend", { hasText: "/" }).waitFor(); // the first event came: it names the run
    return { record, server, page, place };
  }

  // Waits until the report on the page has so many runs.
  function runsShown(page, n) {
    const shows = (wanted) =>
      JSON.parse(document.getElementById("plinth-data").textContent).runs.length === wanted;
    return page.waitForFunction(shows, n);
  }

  // Where the links in the page's head lead, and what they say.
  function sectionLinks(page) {
    return page.locator("#top nav a").evaluateAll((all) => all.map((link) => [link.hash, link.textContent]));
  }

  test("an experiment is followed to its end without a reload", async (t) => {
    const { record, page } = await live(t);
    await page.locator("#live .live-line b", { hasText: "run 2 of 12" }).waitFor();
    assert.match(await page.locator("#live .live-facts").innerText(), /1 valid, 0 invalid/);
    assert.match(
      await page.locator("#live .live-facts").innerText(),
      /look/,
      "how the sequential test stands",
    );
    await page.evaluate(() => {
      window.__same = true;
    });
    assert.ok(!(await sectionLinks(page)).some(([id]) => id === "#latency"), "there is no latency yet");
    for (let i = 0; i < 3; i++) await record.tell("point");
    await page.locator("#live .live-charts", { hasText: /1,6[1-3]0/ }).waitFor(); // TPS of the newest second
    await page.evaluate(() => {
      document.querySelector("#runs > details").open = true;
      document.querySelector("#runs").scrollIntoView();
    });
    const top = await page.evaluate(() => document.querySelector("#runs").getBoundingClientRect().top);
    await record.tell("next");
    await runsShown(page, 2);
    assert.ok(
      await page.evaluate(() => document.querySelector("#runs > details").open),
      "what was open stays open",
    );
    const moved =
      (await page.evaluate(() => document.querySelector("#runs").getBoundingClientRect().top)) - top;
    assert.ok(Math.abs(moved) < 3, `the reader was moved by ${moved} px`);
    await record.tell("finish");
    await runsShown(page, 12);
    await page.evaluate(() => scrollTo(0, 0));
    await page.locator("#live .live-state", { hasText: "ended: complete" }).waitFor();
    assert.match(await page.locator("#answer .answer").innerText(), /memory is better/);
    const links = await sectionLinks(page);
    await page.locator("#top nav").getByRole("link", { name: "Latency" }).click();
    await page.locator("#top nav a[href='#latency'][aria-current]").waitFor();
    assert.ok(await page.evaluate(() => window.__same), "it was never loaded anew");
    await page.goto(page.url().split("#")[0]);
    assert.deepEqual(links, await sectionLinks(page), "the sections are linked as plinth links them");
    assert.ok(links.some(([id]) => id === "#latency"));
  });

  // The width of what is drawn in a colour of the page, as shares of each live chart.
  function widths(page, variable) {
    return page.locator("#live canvas").evaluateAll((all, name) => {
      const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      const wanted = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
      return all.map((canvas) => {
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d"); // or Chromium warns
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
        const columns = new Set();
        for (let i = 0; i < data.length; i += 4)
          if (data[i + 3] > 200 && wanted.every((value, c) => Math.abs(data[i + c] - value) < 8))
            columns.add((i / 4) % canvas.width);
        return columns.size / canvas.width;
      });
    }, variable);
  }

  test("the first second of a run is seen, as wide as a second is", async (t) => {
    const { record, page } = await live(t);
    const environment = await page.locator("#live .live-span legend").innerText();
    const names = await page.evaluate(() =>
      JSON.parse(document.getElementById("plinth-data").textContent).environments.map(({ name }) => name),
    );
    const colour = `--series-${names.indexOf(environment.split("/")[0])}`;
    assert.deepEqual(await widths(page, colour), [0, 0]);
    await record.tell("point");
    await page.locator("#live .live-charts", { hasText: "1,610" }).waitFor();
    const one = await widths(page, colour);
    for (const width of one) assert.ok(width > 0.05 && width < 0.1, `a second of ten is ${width} of a chart`);
    await record.tell("point");
    await page.locator("#live .live-charts", { hasText: "1,620" }).waitFor();
    const two = await widths(page, colour);
    two.forEach((width, i) => {
      assert.ok(Math.abs(width / one[i] - 2) < 0.1, `two seconds are ${width} of a chart`);
    });
  });

  test("an experiment that is interrupted says so", async (t) => {
    const { record, page } = await live(t);
    await record.tell("stop");
    await page.locator("#live .live-state", { hasText: "ended: interrupted" }).waitFor();
  });

  test("a record that is deleted while it is shown stays readable, and the page says so", async (t) => {
    const { record, page } = await live(t);
    await rm(record.path, { recursive: true, force: true });
    await page.locator("#live .live-state", { hasText: "deleted" }).waitFor();
    assert.ok(await page.locator("#answer h1").isVisible());
  });

  test("a server that is started again is found by an open page", async (t) => {
    const { record, server, page, place } = await live(t);
    const { port } = new URL(server.address);
    await server.stop();
    await page.locator("#live .live-state", { hasText: "does not answer" }).waitFor();
    await record.tell("next");
    await serve(t, place, port);
    await page.locator("#live .live-state", { hasText: /^running$/ }).waitFor();
    await runsShown(page, 2);
  });

  test("a real run, as its report and as plinth serve shows it", async (t) => {
    const place = join(await scratch(), "real");
    const sets = ["duration=1s", "warmup=0s", "repeats=1", "dataset.scale=1", "clients=[2]"];
    // On a busy machine no block may be valid (exit code 1): that is an answer, too, which
    // has no numbers to show.
    const numbers = await run(plinth, [
      "run",
      "quickstart",
      "--quiet",
      "--store",
      place,
      ...sets.flatMap((set) => ["--set", set]),
    ]).then(
      () => true,
      (error) => {
        if (error.code !== 1 || !error.stderr.includes("no block with a valid run")) throw error;
        return false;
      },
    );
    const { address } = await serve(t, place);
    const page = await open(t, address);
    await page.getByRole("link", { name: /What does a commit cost on this disk/ }).click();
    const parts = ["answer", "runs", "environments", "method"];
    for (const id of numbers ? [...parts, "verdicts", "throughput", "latency"] : parts) {
      assert.ok((await page.locator(`#${id}`).innerText()).length > 40, `#${id} has content`);
    }
    if (numbers) {
      await page.locator("#run-explorer").scrollIntoViewIfNeeded();
      await page.locator(".explorer .timeline .u-wrap").first().waitFor();
    }
    assert.match(
      await page.locator("#environments").innerText(),
      /emulated gp3|tmpfs/,
      "what was really under test",
    );
  });
});
