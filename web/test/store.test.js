// The list of the store: search and filters at once, in the address, and two records
// to compare.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { assertAccessible } from "./axe.js";
import { end, layoutShift, open, scratch, serve, shared, together } from "./harness.js";

after(end);

describe("list of the store", together, () => {
  /** The list of the store at a query, or that of another server. */
  async function list(t, query = "", options = {}, server = shared()) {
    const { address } = await server;
    const page = await open(t, `${address}/${query}`, options);
    if (options.javaScriptEnabled !== false) await page.waitForSelector(".store-count");
    return page;
  }

  const names = (page) => page.locator(".entry-name").allTextContents();

  const counted = (page, text) => page.locator(".store-count", { hasText: text }).waitFor();

  test("shows all records, the damaged one with its damage", async (t) => {
    const page = await list(t);
    await counted(page, /^7 records$/);
    assert.match(await page.locator(".entry-damage").innerText(), /newer.*newer version of plinth/s);
    assert.match(await page.locator(".entry:has(.status-interrupted)").innerText(), /21 of 72 runs/);
    assert.ok((await layoutShift(page)) < 0.02);
  });

  test("search and filters work at once, and stand in the address", async (t) => {
    const page = await list(t);
    const search = page.getByLabel("Search");
    await search.pressSequentially("mysql");
    await counted(page, /^1 of 7 records$/);
    assert.match((await names(page)).join(), /^mysql-/);
    await search.fill("");
    await page.getByLabel("State").selectOption("interrupted");
    await page.locator(".entry-name", { hasText: "interrupted-" }).waitFor();
    await counted(page, /^1 of 7 records$/);
    assert.equal(new URL(page.url()).search, "?state=interrupted");
    await page.reload();
    await counted(page, /^1 of 7 records$/);
    assert.equal(await page.getByLabel("State").inputValue(), "interrupted");
  });

  test("says that nothing matches, and takes the filters back", async (t) => {
    const page = await list(t, "?q=nothing+like+it");
    await page.getByText("No record matches").waitFor();
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await counted(page, /^7 records$/);
  });

  test("an empty store says how to begin", async (t) => {
    const page = await list(t, "", {}, serve(t, join(await scratch(), "empty")));
    assert.match(await page.locator(".store-none").innerText(), /plinth run/);
  });

  test("two records are chosen by the keyboard and compared", async (t) => {
    const page = await list(t);
    const box = (name) => page.getByRole("checkbox", { name: new RegExp(`Choose ${name}`) });
    for (const name of ["one", "mysql"]) {
      await box(name).focus();
      await page.keyboard.press("Space");
    }
    assert.ok(await box("interrupted").isDisabled(), "a third can be chosen");
    assert.ok(await box("later").isDisabled(), "a damaged one can be chosen");
    const address = await page.getByRole("link", { name: "Compare", exact: true }).getAttribute("href");
    const query = new URL(address, page.url()).searchParams;
    assert.match(`${query.get("a")} ${query.get("b")}`, /^one-\S+ mysql-\S+$/);
    await page.getByRole("button", { name: /Remove one-/ }).click();
    assert.ok(await box("interrupted").isEnabled());
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`is accessible, ${colorScheme}`, async (t) => {
      const page = await list(t, "", { colorScheme });
      await assertAccessible(page);
    });
  }

  test("fits a phone, whatever a record is called", async (t) => {
    const page = await list(t, "", { viewport: { width: 360, height: 740 } });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    assert.equal(await page.evaluate(() => window.__hacked), undefined);
  });
});
