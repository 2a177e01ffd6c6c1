// Records that are not as they should be: the page shows what there is, says what is
// missing, and runs nothing that a record holds.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { assertAccessible } from "./axe.js";
import { end, makeRecord, open, plinth, report, scratch, unfold } from "./harness.js";

after(end);

// Where null stands for something that the types in record.ts do not let be null: a
// gap among numbers is all that may be.
function nulls(value, path = "data") {
  if (Array.isArray(value))
    return value.flatMap((item, i) => (item === null ? [] : nulls(item, `${path}[${i}]`)));
  if (value === null) return [path];
  if (typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, item]) => nulls(item, `${path}.${key}`));
}

const odd = {
  empty: { says: /no run|nothing/i, runs: 0 },
  interrupted: { says: /interrupted/, runs: 21 },
  invalid: { says: /invalid/, runs: 12 },
  mixed: { says: /no verdict yet|too few/, runs: 12 },
  one: { says: /one environment|disk/, runs: 6 },
  three: { says: /replicated/, runs: 72 },
  rate: { says: /1,?000\/s/, runs: 24 },
  "no-telemetry": { says: /telemetry/i, runs: 12 },
  redis: { says: /redis/, runs: 12 },
};

for (const [name, { says, runs }] of Object.entries(odd)) {
  test(`${name}: what there is, and what is missing`, async (t) => {
    const page = await open(t, await report(name));
    if (runs > 0) {
      await page.locator("#run-explorer").scrollIntoViewIfNeeded();
      await page.locator(".explorer").waitFor();
    }
    await unfold(page);
    assert.match(await page.locator("main").innerText(), says);
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

test("an invalid run is never part of a number", async (t) => {
  const page = await open(t, await report("invalid"));
  assert.match(await page.locator("#answer .answer").innerText(), /invalid|no valid/);
  assert.equal(
    await page
      .locator("#throughput td.n")
      .filter({ hasText: /\d,\d{3}/ })
      .count(),
    0,
  );
});

test("a later schema is refused with what to do", async () => {
  const record = await makeRecord(await scratch(), "later");
  await assert.rejects(promisify(execFile)(plinth, ["report", record, "-o", "-"]), (error) => {
    assert.equal(error.code, 2);
    assert.match(error.stderr, /made by a later plinth[\s\S]*hint: install the newest plinth/);
    return true;
  });
});

for (const javaScriptEnabled of [true, false]) {
  test(`a hostile record runs nothing, JavaScript ${javaScriptEnabled ? "on" : "off"}`, async (t) => {
    const page = await open(t, `${await report("hostile")}#runs`, { javaScriptEnabled });
    if (!javaScriptEnabled) {
      assert.equal(await page.locator("main#report > section").count(), 7, "nothing broke out of its place");
      return;
    }
    await page.locator(".explorer .timeline .u-wrap").first().waitFor();
    await unfold(page);
    for (const take of (await page.locator(".explorer button.take").all()).slice(0, 6)) await take.click();
    for (const tip of (await page.locator("figure a:visible").all()).slice(0, 6)) await tip.hover();
    await page.mouse.move(300, 300);
    assert.equal(await page.evaluate(() => window.__hacked), undefined);
    assert.equal(await page.locator("main#report > section").count(), 7, "nothing broke out of its place");
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
