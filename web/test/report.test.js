// The report as a file: what stands in it, and what its program adds.

import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { assertAccessible } from "./axe.js";
import { end, layoutShift, open, report, together, unfold } from "./harness.js";

after(end);

describe("report", together, () => {
  const sections = [
    "answer",
    "verdicts",
    "time",
    "throughput",
    "latency",
    "breakdown",
    "runs",
    "environments",
    "method",
  ];

  test("every section has its content, and the answer comes first", async (t) => {
    const page = await open(t, await report("two"));
    assert.equal(
      await page.locator("h1").innerText(),
      "Does a WAL device of its own raise write throughput?",
    );
    assert.match(await page.locator("#answer .answer").innerText(), /two-disks is better .*tpcb-like.*\+\d/);
    assert.match(await page.locator("#answer .notes").innerText(), /governor is powersave/);
    assert.deepEqual(
      await page.locator("main#report > section").evaluateAll((all) => all.map((section) => section.id)),
      sections,
    );
    for (const id of ["verdicts", "time", "throughput", "latency", "runs"]) {
      const figure = page.locator(`#${id} figure svg:visible`).first();
      assert.ok((await figure.boundingBox()).height > 50, `#${id} has a figure`);
    }
    for (const id of ["verdicts", "throughput", "environments"]) {
      assert.ok((await page.locator(`#${id} table:visible tbody tr`).count()) > 0, `#${id} has a table`);
    }
    assert.match(await page.locator("#environments").innerText(), /wal_sync_method/);
    assert.match(await page.locator("#method").innerText(), /seed 7/);
    assert.match(await page.locator("#method").innerText(), /[0-9a-f]{12}/); // the fingerprint
  });

  test("the time of a transaction is drawn in milliseconds or in shares, and leads to a run", async (t) => {
    const page = await open(t, await report("two"));
    const bars = page.locator("#time figure:visible");
    assert.equal(await bars.count(), 1);
    assert.match(await bars.locator("svg:visible").textContent(), /WAL flush 1\.\d+ ms[\s\S]*not explained/);
    await page.locator('#time select[data-choice="scale"]').selectOption("share");
    assert.equal(await bars.count(), 1);
    assert.match(await bars.locator("svg:visible").textContent(), /WAL flush \d+ %/);
    await page.locator("#time select[data-choice=cell]").selectOption("c1-j1");
    assert.match(await bars.locator("svg:visible").textContent(), /1 client, 1 thread/);
    await page.locator("#time summary:visible").click();
    assert.match(await page.locator("#time table:visible").last().innerText(), /error of a share/);
    await bars.locator("svg:visible a").first().click();
    assert.match(await page.locator(".spent").innerText(), /Primary: [\s\S]*To try/);
    await page.locator(".spent summary").click();
    assert.match(await page.locator(".spent").innerText(), /Considered: not the cause[\s\S]*Not examined/);
  });

  test("without JavaScript all tables can be read, and nothing promises more", async (t) => {
    const page = await open(t, await report("two"), { javaScriptEnabled: false });
    assert.ok(await page.locator("#verdicts table").first().isVisible());
    assert.match(await page.locator("#verdicts table").first().innerText(), /tpcb-like[\s\S]*better/);
    assert.ok((await page.locator("#verdicts svg").first().boundingBox()).height > 50);
    for (const dead of [".tools button", ".choices select", "#theme"]) {
      assert.equal(await page.locator(`${dead}:visible`).count(), 0, `${dead} can't work`);
    }
    await page.locator("#runs details summary").first().click();
    assert.equal(await page.locator("#runs details tbody tr:visible").count(), 72);
  });

  test("a table is copied as Markdown and as CSV, a command as it is", async (t) => {
    const page = await open(t, await report("two"), {
      permissions: ["clipboard-read", "clipboard-write"],
      fresh: true, // its clock is not the machine's
    });
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const copied = async (button) => {
      await button.click();
      const said = page.locator(".announce", { hasText: "Copied" });
      await said.waitFor({ state: "attached" });
      const text = await page.evaluate(() => navigator.clipboard.readText());
      await page.clock.runFor(2000); // as long as it is said
      await said.waitFor({ state: "detached" });
      return text;
    };
    const table = page.locator("#verdicts .table").first();
    const markdown = await copied(table.locator('[data-copy="markdown"]'));
    assert.match(markdown, /^\| Workload \|.*\|\n\| *:?-+/m);
    assert.match(markdown, /\| tpcb-like \|.*better/);
    const csv = await copied(table.locator('[data-copy="csv"]'));
    const lines = csv.trim().split(/\r?\n/);
    assert.match(lines[0], /^Workload,/);
    assert.match(csv, /\r\ntpcb-like,p99 latency,,,-[\d.]+ ms,/, "each row stands by itself");
    const columns = lines.map((line) => line.replaceAll(/"[^"]*"/g, "q").split(",").length);
    assert.equal(new Set(columns).size, 1, `each line has as many fields: ${columns}`);
    assert.equal(
      (await copied(page.locator('#method [data-copy="text"]:visible').first())).trim(),
      "plinth run experiment.yaml",
    );
  });

  test("a choice shows what was chosen, everywhere and in the address", async (t) => {
    const address = await report("two");
    const page = await open(t, address);
    const select = page.locator('select[data-choice="threads"]').first();
    await select.selectOption("2");
    assert.ok(await page.locator('figure[data-figure="throughput"][data-when*="threads=2"]').isVisible());
    assert.ok(await page.locator('figure[data-figure="throughput"][data-when*="threads=all"]').isHidden());
    assert.match(new URL(page.url()).hash, /choice\.threads=2/);
    await page.reload();
    assert.equal(await select.inputValue(), "2");
    assert.ok(await page.locator('figure[data-figure="throughput"][data-when*="threads=2"]').isVisible());
  });

  test("a link to a cell chooses it", async (t) => {
    const page = await open(t, `${await report("two")}#cell=tpcb-like/c1-j1`);
    const select = page.locator('select[data-choice="cell"]').first();
    assert.equal(await select.inputValue(), "c1-j1");
    await select.scrollIntoViewIfNeeded();
    assert.ok(await page.locator('[data-when*="cell=c1-j1"]').first().isVisible());
  });

  test("a mark of a figure says what it is, at once and by keyboard", async (t) => {
    const page = await open(t, await report("two"));
    const mark = page.locator("#runs figure a:visible").first();
    await mark.scrollIntoViewIfNeeded();
    await mark.focus();
    const tip = page.locator("#tip");
    await tip.waitFor({ state: "visible" });
    assert.match(await tip.innerText(), /TPS|\d/);
    await page.keyboard.press("Escape");
    assert.ok(await tip.isHidden());
  });

  test("the theme follows the system, then the button, and is kept", async (t) => {
    const page = await open(t, await report("two"), { colorScheme: "dark" });
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = (colour) =>
      colour
        .match(/\d+/g)
        .slice(0, 3)
        .reduce((sum, part) => sum + Number(part), 0) >
      3 * 128;
    assert.ok(!light(await paper()), "dark, as the system says");
    await page.locator("#theme").click();
    assert.equal(await page.locator("#theme").innerText(), "Theme: light");
    assert.ok(light(await paper()));
    // The browser keeps it a little later, in another process: a page that is loaded at once may not see it yet.
    let kept = false;
    for (let times = 0; times < 10 && !kept; times++) {
      await page.reload();
      const shown = page.getByText("Theme: light").waitFor({ timeout: 5000 }); // the page's program has read what was kept
      kept = await shown.then(
        () => true,
        () => false,
      );
    }
    assert.ok(kept, "the choice is kept");
    assert.ok(light(await paper()), "still light");
  });

  for (const [colorScheme, rules] of [["light"], ["dark", ["color-contrast"]]]) {
    test(`axe finds nothing serious, ${colorScheme}`, async (t) => {
      const page = await open(t, `${await report("two")}#runs`, { colorScheme });
      await page.locator(".explorer").waitFor();
      await unfold(page);
      await assertAccessible(page, rules);
    });
  }

  test("on a phone only tables and figures scroll sideways, not the page", async (t) => {
    const page = await open(t, `${await report("two")}#runs`, {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    await page.locator(".explorer").waitFor();
    const over = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      window: window.innerWidth,
      wide: [...document.querySelectorAll("main *")]
        .filter(
          (element) =>
            element.getBoundingClientRect().right > 361 &&
            !element.closest(".scroll, svg, .u-wrap, .groups, pre"),
        )
        .slice(0, 5)
        .map((element) => element.outerHTML.slice(0, 100)),
    }));
    assert.ok(over.width <= 360, `${over.width} px wide: ${over.wide.join("\n")}`);
    assert.equal(over.window, 360, "nobody has to zoom out");
    for (const part of ["#top nav a", "#theme", "#verdicts .narrow > svg"]) {
      const rights = await page
        .locator(`${part}:visible`)
        .evaluateAll((all) => all.map((element) => element.getBoundingClientRect().right));
      assert.ok(rights.length > 0 && Math.max(...rights) <= 360, `${part} ends at ${rights}`);
    }
  });

  test("printed it has its tables and figures, on white", async (t) => {
    const page = await open(t, await report("two"), { colorScheme: "dark" });
    const pdf = await page.pdf({ format: "A4" });
    assert.ok(pdf.length > 50_000, `${pdf.length} bytes`);
    const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.ok(pages >= 3 && pages < 60, `${pages} pages`);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".tools button:visible").count(), 0);
    assert.match(
      await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
      /255, 255, 255|rgba\(0, 0, 0, 0\)/,
    );
  });

  test("paper has what is folded away on the screen, and the charts of runs that were chosen", async (t) => {
    const page = await open(t, await report("two"));
    const folded = page.locator(".weakens details, #method details");
    const states = () => folded.evaluateAll((all) => all.map((details) => details.open));
    const before = await states();
    assert.ok(before.includes(false), "something is folded away");
    await folded.nth(before.length - 1).evaluate((details) => {
      details.open = true;
    });
    const left = await states();
    await page.evaluate(() =>
      window.addEventListener("beforeprint", () => {
        window.__printed = [...document.querySelectorAll(".weakens details, #method details")].map(
          (d) => d.open,
        );
      }),
    );
    await page.pdf();
    assert.deepEqual(
      await page.evaluate(() => window.__printed),
      left.map(() => true),
    );
    assert.deepEqual(await states(), left, "as the reader had it");

    await page.locator("#run-explorer").scrollIntoViewIfNeeded();
    await page.locator(".explorer .timeline .u-wrap").first().waitFor();
    const onPaper = async () => {
      await page.emulateMedia({ media: "print" });
      const seen = await page.locator(".explorer").isVisible();
      await page.emulateMedia({ media: "screen" });
      return seen;
    };
    assert.equal(await onPaper(), false, "nobody chose a run");
    await page.locator("button.take").nth(1).click();
    assert.equal(await onPaper(), true);
  });

  for (const name of ["two", "no-telemetry"]) {
    test(`nothing jumps while ${name} loads`, async (t) => {
      const page = await open(t, await report(name));
      await page.locator("#run-explorer").scrollIntoViewIfNeeded();
      await page.locator(".explorer .u-wrap").first().waitFor();
      const shift = await layoutShift(page);
      assert.ok(shift < 0.02, `CLS is ${shift}`);
    });
  }

  test("540 runs fit into 5 MB, and each can be chosen", async (t) => {
    const address = await report("large");
    const { size } = await stat(fileURLToPath(address));
    assert.ok(size < 5e6, `${size} bytes`);
    const page = await open(t, `${address}#runs`);
    await page.locator(".explorer").waitFor();
    assert.equal(await page.locator(".explorer button.take").count(), 540);
  });
});
