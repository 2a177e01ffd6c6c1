// Records that are not as they should be: the page shows what there is, says what is
// missing, and runs nothing that a record holds.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { assertAccessible } from "./axe.js";
import { end, open, plinth, record, report, run, together, unfold } from "./harness.js";

after(end);

describe("odd records", together, () => {
  // Where null stands for something that the types in record.ts do not let be null: a
  // gap among numbers is all that may be.
  function nulls(value, path = "data") {
    if (Array.isArray(value))
      return value.flatMap((item, i) => (item === null ? [] : nulls(item, `${path}[${i}]`)));
    if (value === null) return [path];
    if (typeof value !== "object") return [];
    return Object.entries(value).flatMap(([key, item]) => nulls(item, `${path}.${key}`));
  }

  // The sentence that only such a record has: a word of it may be the record's name.
  const odd = {
    empty: { says: /No answer yet: 0 of 12 planned runs\./, runs: 0 },
    interrupted: { says: /This experiment was interrupted: 21 of 72 planned runs so far/, runs: 21 },
    invalid: {
      says: /memory cannot be compared with disk for tpcb-like \(6 of 6 blocks are left out/,
      runs: 12,
    },
    mixed: { says: /\(2 of 12 runs not valid\): not included in any number/, runs: 12 },
    one: { says: /Nothing is compared here\./, runs: 6 },
    three: { says: /replicated is worse than disk for tpcb-like/, runs: 72 },
    rate: { says: /latency counts from when a transaction was due \(open loop\)/, runs: 24 },
    "no-telemetry": { says: /this run was not observed: only the data of the load/, runs: 12 },
    mysql: {
      says: /the verdicts are those stored in the record, because its experiment cannot be read: .*unknown value "mysql"/,
      runs: 12,
    },
  };

  for (const [name, { says, runs }] of Object.entries(odd)) {
    test(`${name}: what there is, and what is missing`, async (t) => {
      const page = await open(t, await report(name));
      if (runs > 0) {
        await page.locator("#run-explorer").scrollIntoViewIfNeeded();
        await page.locator(".explorer").waitFor();
      }
      await unfold(page);
      const text = await page.locator("main").innerText();
      assert.match(text, says);
      for (const other of Object.keys(odd))
        if (other !== name) assert.doesNotMatch(text, odd[other].says, `${name} is not ${other}`);
      assert.ok(
        (await page.locator("#answer .answer").innerText()).length > 10,
        "there is an answer, or why there is none",
      );
      const data = await page.evaluate(() => JSON.parse(document.getElementById("plinth-data").textContent));
      assert.equal(data.runs.length, runs);
      assert.deepEqual(nulls(data), []);
      assert.equal(await page.locator(".explorer button.take").count(), runs);
      if (name === "empty" || name === "mixed") await assertAccessible(page);
    });
  }

  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const whole = (value) => Math.round(value).toLocaleString("en");

  test("a run that is not valid, and its block, are in no number", async (t) => {
    const { environments } = JSON.parse(
      (await run(plinth, ["show", "--json", await record("mixed")])).stdout,
    );
    const page = await open(t, await report("mixed"));
    const { runs } = await page.evaluate(() =>
      JSON.parse(document.getElementById("plinth-data").textContent),
    );
    const broken = new Set(runs.filter(({ status }) => status !== "valid").map(({ repeat }) => repeat));
    assert.equal(broken.size, 2);
    const averages = page.locator("#throughput table", { hasText: "Averages over all cells" }).first();
    assert.deepEqual(
      environments.map(({ name }) => name),
      ["disk", "memory"],
    );
    for (const { name, averages: stored } of environments) {
      const valid = runs.filter(({ environment, status }) => environment === name && status === "valid");
      const right = mean(valid.filter(({ repeat }) => !broken.has(repeat)).map(({ tps }) => tps));
      assert.notEqual(whole(right), whole(mean(valid.map(({ tps }) => tps))), "the runs left out would tell");
      assert.equal(whole(stored[0].tps), whole(right));
      const cells = await averages.locator("tbody tr", { hasText: name }).locator("td.n").allInnerTexts();
      assert.equal(cells[0], whole(right));
    }
  });

  test("where no run is valid there is no number", async (t) => {
    const page = await open(t, await report("invalid"));
    assert.match(await page.locator("#answer .answer").innerText(), /cannot be compared/);
    assert.match(await page.locator("#throughput").innerText(), /No answer: there is no block in which/);
    assert.equal(
      await page.locator("#answer table, #verdicts table, #throughput table, #latency").count(),
      0,
    );
    assert.equal(await page.locator("#runs tbody tr", { hasText: "invalid" }).count(), 12);
  });

  test("a later schema is refused with what to do", async () => {
    await assert.rejects(run(plinth, ["report", await record("later"), "-o", "-"]), (error) => {
      assert.equal(error.code, 2);
      assert.match(
        error.stderr,
        /written by a newer version of plinth[\s\S]*hint: install the newest version of plinth/,
      );
      return true;
    });
  });

  for (const javaScriptEnabled of [true, false]) {
    test(`a hostile record runs nothing, JavaScript ${javaScriptEnabled ? "on" : "off"}`, async (t) => {
      const page = await open(t, `${await report("hostile")}#runs`, { javaScriptEnabled });
      if (!javaScriptEnabled) {
        assert.equal(
          await page.locator("main#report > section").count(),
          9,
          "nothing broke out of its place",
        );
        return;
      }
      await page.locator(".explorer .timeline .u-wrap").first().waitFor();
      await unfold(page);
      for (const take of (await page.locator(".explorer button.take").all()).slice(0, 6)) await take.click();
      for (const tip of (await page.locator("figure a:visible").all()).slice(0, 6)) await tip.hover();
      await page.mouse.move(300, 300);
      assert.equal(await page.evaluate(() => window.__hacked), undefined);
      assert.equal(await page.locator("main#report > section").count(), 9, "nothing broke out of its place");
      assert.equal(
        await page.locator("main img, main iframe, main script, main [onmouseover], main [onerror]").count(),
        0,
      );
      assert.match(
        await page.locator("main").innerText(),
        /<script>window\.__hacked=1/,
        "it is there to be read",
      );
      assert.doesNotMatch(await page.locator("html").innerText(), /\u202E/, "nothing turns the text");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `ten thousand characters make the page ${wide} px too wide`);
    });
  }
});
