// What watches the pages must see what goes wrong on them.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { end, layoutShift, open, scratch, together } from "./harness.js";

after(end);

describe("harness", together, () => {
  // A test that ends, and what its end has to say.
  let files = 0;
  async function seen(html) {
    files++;
    const name = `wrong-${files}.html`;
    const file = join(await scratch(), name);
    await writeFile(file, html);
    const ends = [];
    const page = await open({ after: (f) => ends.push(f) }, pathToFileURL(file).href);
    await page.locator("#end").waitFor({ state: "attached" });
    const shift = await layoutShift(page);
    const error = await ends[0]().then(
      () => null,
      (reason) => reason,
    );
    return { wrong: error?.actual ?? [], shift };
  }

  const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'; img-src http:; style-src 'none'">`;

  test("a page on which nothing is wrong passes", async () => {
    assert.deepEqual(await seen("<p>fine</p><i id=end></i>"), { wrong: [], shift: 0 });
  });

  for (const [what, html, pattern] of [
    ["an error", "<script>nothing()</script>", /error: nothing is not defined/],
    ["a message", "<script>console.error('oh')</script>", /console: oh/],
    ["a dialog", "<script>setTimeout(() => { alert(1); document.body.append(end) })</script>", /dialog: 1/],
    [
      "a request to elsewhere",
      "<img src=http://elsewhere.invalid/x>",
      /request: http:\/\/elsewhere\.invalid/,
    ],
    ["a violation of the policy", "<p style='color:red'>red</p>", /violation: style-src/],
  ]) {
    test(`${what} is seen`, async () => {
      const { wrong } = await seen(`${policy}<body>${html}<i id=end></i>`);
      assert.ok(
        wrong.some((text) => pattern.test(text)),
        wrong.join("\n"),
      );
    });
  }

  test("what jumps is seen", async () => {
    const { shift } = await seen(`<p id=p>moves<p>and this</p><script>
    requestAnimationFrame(() => requestAnimationFrame(() => {
      p.style.marginTop = "400px";
      requestAnimationFrame(() => requestAnimationFrame(() => { document.body.insertAdjacentHTML("beforeend", "<i id=end>") }));
    }))</script>`);
    assert.ok(shift > 0.02, `CLS is ${shift}`);
  });
});
