// The run explorer: runs second by second, and addresses that show the same again.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { end, open, report, together } from "./harness.js";

after(end);

describe("run explorer", together, () => {
  const a = "one-disk/tpcb-like/c8-j1/r02";
  const b = "two-disks/tpcb-like/c8-j1/r02";

  const shown = (page, name) => page.locator(".slot", { has: page.locator(".tag", { hasText: name }) });
  const hash = (page) => page.evaluate(() => location.hash); // page.url() may lag behind

  // The seconds that the charts show, as the bar says them.
  async function range(page) {
    const text = await page.locator(".timeline .bar .range").innerText();
    return text.match(/-?\d+(\.\d+)?/g).map(Number);
  }

  async function explorer(t, fragment, name = "two") {
    const page = await open(t, `${await report(name)}${fragment}`);
    await page.locator(".explorer .timeline .u-wrap").first().waitFor();
    return page;
  }

  // Something is drawn on a canvas: more than one colour in its middle.
  function drawn(page) {
    return page.locator(".timeline canvas").evaluateAll((all) =>
      all
        .filter((canvas) => canvas.width > 0 && canvas.clientHeight > 60)
        .map((canvas) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          const colours = new Set();
          for (let i = 0; i < data.length; i += 4)
            if (data[i + 3] > 128) colours.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2]);
          return colours.size;
        }),
    );
  }

  test("the first block is shown: TPS, latency and what the machine did, on one time axis", async (t) => {
    const page = await explorer(t, "#runs");
    const titles = await page.locator(".timeline .track h4").allInnerTexts();
    for (const wanted of [/TPS|Throughput/i, /Latency/i, /Dirty/i, /WAL/i, /active sessions/i, /CPU/i]) {
      assert.ok(
        titles.some((title) => wanted.test(title)),
        `${wanted} is among ${titles}`,
      );
    }
    for (const colours of await drawn(page)) assert.ok(colours > 1, "a chart is empty");
    assert.match(
      await page
        .locator(".boxes")
        .allInnerTexts()
        .then((texts) => texts.join()),
      /checkpoint/i,
    );
    assert.equal(await page.locator(".slot").count(), 2, "a run and its counterpart in the same block");
  });

  test("a run is picked, another beside it, and a copied address shows both", async (t) => {
    const page = await explorer(t, `#run=${a}`);
    assert.match(await shown(page, "A").innerText(), /one-disk[\s\S]*tpcb-like/);
    assert.equal(await page.locator(".slot").count(), 1);
    await page.getByRole("button", { name: /^with two-disks of the same block/ }).click();
    assert.match(await shown(page, "B").innerText(), /two-disks/);
    await page.getByRole("button", { name: "side by side" }).click();
    assert.match(await hash(page), new RegExp(`run=${a}&with=${b}&layout=beside`));
    assert.equal(await page.locator(".row-2").first().locator(".track").count(), 2);
    await page.getByRole("button", { name: "overlaid" }).click();
    assert.equal(
      await page.locator(".row-2 .track h4", { hasText: /TPS|Throughput/i }).count(),
      0,
      "one chart for both",
    );
    const again = await explorer(t, await hash(page));
    assert.match(await shown(again, "B").innerText(), /two-disks/);
    assert.equal(await again.getByRole("button", { name: "overlaid" }).getAttribute("aria-pressed"), "true");
  });

  test("a part of the time can be looked at, by button, by keyboard, by dragging, and linked", async (t) => {
    const page = await explorer(t, `#run=${a}&t=4-12`);
    assert.deepEqual(await range(page), [4, 12]);
    await page.getByRole("button", { name: "whole run" }).click();
    const [from, to] = await range(page);
    assert.ok(from <= 0 && to >= 19, `${from} to ${to}`);
    assert.doesNotMatch(await hash(page), /t=/);
    await page.getByRole("button", { name: "zoom in" }).click();
    const closer = await range(page);
    assert.ok(closer[1] - closer[0] < to - from);
    await page.locator(".timeline").focus();
    await page.keyboard.press("Escape");
    assert.deepEqual(await range(page), [from, to]);
    const box = await page.locator(".timeline .u-over").first().boundingBox();
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await page.waitForFunction(() => location.hash.includes("t="));
    const dragged = await range(page);
    assert.ok(dragged[1] - dragged[0] < 0.4 * (to - from), `${dragged}`);
    await page.reload();
    await page.locator(".explorer .timeline .u-wrap").first().waitFor();
    assert.deepEqual(await range(page), dragged, "a reload keeps it");
  });

  test("one cursor goes through all charts, and says what they show", async (t) => {
    const page = await explorer(t, `#run=${a}`);
    const box = await page.locator(".timeline .u-over").first().boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForFunction(() => document.querySelector(".timeline .readout")?.textContent);
    const values = await page.locator(".timeline .track .legend output[data-line]").allInnerTexts();
    const said = values.filter((value) => /\d/.test(value)).length;
    assert.ok(said > values.length / 2, `${said} of ${values.length} lines have a value at the cursor`);
  });

  test("a second is what lies between its start and the next", async (t) => {
    const page = await explorer(t, `#run=${a}&t=2-12`);
    await page.locator(".timeline").focus();
    const box = await page.locator(".timeline .u-over").first().boundingBox();
    const said = async (second) => {
      await page.mouse.move(box.x + (box.width * (second - 2)) / 10, box.y + box.height / 2);
      await page.waitForFunction(
        (s) => document.querySelector(".timeline .readout")?.textContent === `at ${s} s`,
        Math.floor(second),
      );
      const value = await page.locator(".timeline .track .legend output[data-line]").first().innerText();
      return [await page.locator(".timeline .readout").innerText(), value];
    };
    const [text, value] = await said(5.1);
    assert.equal(text, "at 5 s");
    assert.deepEqual(await said(5.9), [text, value]);
    assert.equal((await said(6.1))[0], "at 6 s");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await page.locator(".timeline .readout").innerText(), "at 5 s", "an arrow key is a second");
  });

  test("some charts are there at first, and all for one click", async (t) => {
    const page = await explorer(t, `#run=${a}`);
    const titles = () => page.locator(".timeline .track h4").allInnerTexts();
    const first = await titles();
    assert.ok(!first.some((title) => /Memory/.test(title)), `${first}`);
    const summary = page.locator(".boxes summary", { hasText: "Tracks" });
    const [shown, of] = (await summary.innerText()).match(/\d+/g).map(Number);
    assert.ok(shown === first.length && shown < of, await summary.innerText());
    await summary.click();
    await page.getByLabel("Memory").check();
    assert.equal((await titles()).length, shown + 1);
    await page.getByRole("button", { name: "all", exact: true }).click();
    assert.equal((await titles()).length, of);
    await page.getByRole("button", { name: "default" }).click();
    assert.deepEqual(await titles(), first);
  });

  test("a chart that was asked for stays, side by side and over each other", async (t) => {
    const page = await explorer(t, `#run=${a}&with=${b}&layout=over`);
    const titles = (all) => all.map((h4) => h4.firstChild.textContent); // without the unit
    const shows = async (title) =>
      (await page.locator(".timeline .track h4").evaluateAll(titles)).includes(title);
    const layout = (name) => page.getByRole("button", { name }).click();
    const track = (name) => page.getByLabel(name, { exact: true });
    await page.locator(".boxes summary", { hasText: "Tracks" }).click();
    await track("WAL: writes and syncs: syncs").check();
    assert.ok(await shows("WAL: writes and syncs: syncs"));
    await layout("side by side");
    assert.ok(await shows("WAL: writes and syncs"), "its track is there");
    await track("Latency").uncheck();
    await track("Pressure: time with some task waiting").check();
    await layout("overlaid");
    assert.ok(await shows("WAL: writes and syncs: syncs"));
    assert.ok(!(await shows("WAL: writes and syncs: writes")), "what nobody asked for is not there");
    assert.ok(!(await shows("Latency: p99")));
    for (const series of ["CPU", "I/O"])
      assert.ok(await shows(`Pressure: time with some task waiting: ${series}`), series);
  });

  test("runs are found and stepped through", async (t) => {
    const page = await explorer(t, `#run=${a}`);
    await page.getByRole("searchbox").fill("select-only");
    assert.match(await page.locator(".run-filter").innerText(), /36 of 72 runs/);
    await page.locator("button.take").first().click();
    assert.match(await shown(page, "A").innerText(), /select-only/);
    const before = await hash(page);
    await page.getByRole("button", { name: "next" }).first().click();
    assert.notEqual(await hash(page), before);
  });

  test("a link in a figure shows the run", async (t) => {
    const page = await explorer(t, "#runs");
    const link = page.locator("#runs figure a:visible").nth(7);
    const wanted = await link.evaluate(
      (element) => element.getAttribute("href") ?? element.getAttribute("xlink:href"),
    );
    await link.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction((href) => location.hash === href, wanted);
    const run = decodeURIComponent(wanted.replace("#run=", ""));
    assert.match(await shown(page, "A").innerText(), new RegExp(run.split("/")[0]));
  });

  test("an hour is thinned, and no second that stood out is lost", async (t) => {
    const page = await explorer(t, "#runs", "long");
    const detail = await page.evaluate(
      () => JSON.parse(document.getElementById("plinth-data").textContent).details[0],
    );
    const series = detail.tracks.find((track) => track.id === "tps").series[0];
    assert.ok(detail.step_s > 1 && series.low && series.high, `${detail.step_s} s in a value`);
    const bucket = (second) => Math.floor((second - detail.start_s) / detail.step_s);
    for (const second of [611, 1777, 3599]) assert.ok(series.low[bucket(second)] < 50, `second ${second}`);
    assert.ok(series.high[bucket(2500)] > 5 * series.values[bucket(2000)]);
    for (const colours of await drawn(page)) assert.ok(colours > 1, "a chart is empty");
  });

  test("a run that is not valid says why, before its charts", async (t) => {
    const page = await explorer(t, "#run=memory/tpcb-like/c4-j1/r02", "mixed");
    const banner = page.locator(".banner-bad").first();
    assert.match(await banner.innerText(), /invalid[\s\S]*load generator used 97 %/);
    const failed = await open(t, `${await report("mixed")}#run=disk/tpcb-like/c4-j1/r05`);
    assert.match(
      await failed.locator(".explorer .banner-bad").first().innerText(),
      /failed[\s\S]*connection refused/,
    );
  });

  test("charts take the colours of the theme", async (t) => {
    const page = await explorer(t, `#run=${a}`);
    const picture = () =>
      page
        .locator(".timeline canvas")
        .first()
        .evaluate((canvas) => canvas.toDataURL());
    const before = await picture();
    await page.locator("#theme").click(); // light, as it is
    await page.locator("#theme").click(); // dark
    await page.waitForFunction(
      (old) => document.querySelector(".timeline canvas")?.toDataURL() !== old,
      before,
    );
  });

  test("a link to a run or to seconds that are not here says so", async (t) => {
    const page = await explorer(t, "#run=plain/x/nope/r9");
    const said = page.locator(".explorer > .banner").first();
    assert.match(await said.innerText(), /refers to a run that is not in this record: plain\/x\/nope\/r9/);
    await page.locator("button.take").first().click();
    await said.waitFor({ state: "detached" });
    await page.evaluate((run) => {
      location.hash = `#run=${run}&t=500-600`;
    }, a);
    const outside = page.locator(".timeline > .banner");
    assert.match(
      await outside.innerText(),
      /^500 s to 600 s are outside of this run\. The charts show .* to 20 s\.$/,
    );
    await page.evaluate(() => {
      location.hash = "#run=gone";
    });
    await said.waitFor();
    assert.match(await shown(page, "A").innerText(), /one-disk/, "what was shown stays");
  });

  test("the list of runs is one stop of the Tab key, the marks of the figure none", async (t) => {
    const page = await explorer(t, `#run=${a}`);
    const stops = page.locator(".groups button:not([tabindex='-1'])");
    const label = () => stops.evaluate((button) => button.title + button.textContent);
    assert.equal(await stops.count(), 1);
    assert.equal(await page.locator(".figure svg a[href^='#run=']:not([tabindex='-1'])").count(), 0);
    assert.equal(await stops.getAttribute("aria-pressed"), "true", "the run that is shown");
    const before = await label();
    await page.getByRole("searchbox").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowRight");
    assert.equal(await stops.count(), 1);
    assert.notEqual(await label(), before, "it goes along");
    await page.keyboard.press("b");
    assert.equal(await page.locator(".slot").count(), 2, "the run with the focus is the second");
    await page.keyboard.press("Tab");
    assert.equal(await page.locator(".groups :focus").count(), 0, "one Tab leaves the list");
    await page.getByRole("searchbox").fill("select-only");
    assert.equal(await stops.count(), 1, "also where the run that is shown is filtered away");
  });

  test("a second run is found by eye and by key", async (t) => {
    const page = await explorer(t, `#run=${a}`);
    assert.match(await page.locator(".keys").innerText(), /zoom.*next\/previous run.*second run/s);
    const second = page.locator(".second").nth(5);
    assert.ok(await second.evaluate((button) => getComputedStyle(button).opacity === "1"));
    await page.locator(".timeline").focus();
    await page.keyboard.press("b");
    assert.match(await shown(page, "B").innerText(), /two-disks/);
    await page.keyboard.press("b");
    assert.equal(await page.locator(".slot").count(), 1);
  });

  test("Back goes to the runs before, and not through every zoom", async (t) => {
    const page = await explorer(t, "#runs");
    const slots = () => page.locator(".slot .slot-name").allInnerTexts();
    const first = await slots();
    const top = () => page.evaluate(() => scrollY);
    await page.locator(".groups").scrollIntoViewIfNeeded();
    await page.locator("button.take").nth(3).click();
    const [chosen, at] = [await slots(), await top()];
    assert.notDeepEqual(chosen, first);
    const back = async (wanted) => {
      await page.goBack();
      await page.waitForFunction(
        (text) => [...document.querySelectorAll(".slot .slot-name")].map((p) => p.innerText).join() === text,
        wanted.join(),
      );
    };
    await page.getByRole("button", { name: "zoom in" }).click();
    await page.getByRole("button", { name: "zoom in" }).click();
    const zoomed = await range(page);
    await page.locator("button.take").nth(4).click();
    await back(chosen);
    assert.deepEqual(await range(page), zoomed);
    await back(first);
    assert.equal(await hash(page), "#runs");
    assert.ok(Math.abs((await top()) - at) < 50, "Back leaves the page where it is");
    await page.goForward();
    await page.waitForFunction(() => location.hash.includes("run="));
    assert.deepEqual(await slots(), chosen);
  });

  test("marks are listed of the seconds that the charts show", async (t) => {
    const page = await explorer(t, `#run=${a}&t=4.6-9`);
    assert.deepEqual(await range(page), [4.6, 9], "to the tenth");
    await page.locator(".boxes summary", { hasText: "Marks" }).click();
    const rows = page.locator(".marks tbody tr");
    const inside = await rows.count();
    for (const text of await rows.locator("td:first-child").allInnerTexts()) {
      const second = Number.parseFloat(text);
      assert.ok(second >= 4.6 && second <= 9, text);
    }
    assert.match(
      await page.locator(".marks-inside").innerText(),
      new RegExp(`^${inside} of \\d+ .* 4\\.6 s and 9 s`),
    );
    await page.getByRole("button", { name: "whole run" }).click();
    assert.ok((await rows.count()) > inside && inside > 0, `${inside} marks`);
  });

  test("a copied address shows the same charts, and says nothing of those that are there at first", async (t) => {
    const page = await explorer(t, `#run=${a}`);
    const titles = (of) => of.locator(".timeline .track h4").allInnerTexts();
    const first = await titles(page);
    await page.locator(".boxes summary", { hasText: "Tracks" }).click();
    await page.getByLabel("Memory").check();
    assert.match(await hash(page), /&tracks=[^&]+/);
    const chosen = await titles(page);
    assert.equal(chosen.length, first.length + 1);
    const again = await explorer(t, await hash(page));
    assert.deepEqual(await titles(again), chosen);
    await page.evaluate((run) => {
      location.hash = `#run=${run}`;
    }, b);
    await page.waitForFunction(() => /tracks=/.test(location.hash));
    assert.deepEqual(await titles(page), chosen, "what was asked for stays with another run");
    await page.getByRole("button", { name: "default" }).click();
    assert.doesNotMatch(await hash(page), /tracks=/);
    assert.deepEqual(await titles(page), first);
  });
});
