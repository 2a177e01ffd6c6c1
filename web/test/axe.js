// Accessibility, as far as a program can tell: axe-core.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const source = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Fails where axe finds something serious or critical, and says where it is; rules are all unless said. */
export async function assertAccessible(page, rules) {
  await page.evaluate(source);
  const { violations } = await page.evaluate((only) => {
    const runOnly = only && { type: "rule", values: only };
    return window.axe.run(document, { resultTypes: ["violations"], ...(runOnly && { runOnly }) });
  }, rules);
  const bad = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes
          .slice(0, 3)
          .map((node) => node.html.slice(0, 160))
          .join(" | ")}`,
    );
  assert.deepEqual(bad, []);
}
