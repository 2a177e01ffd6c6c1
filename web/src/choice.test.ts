import { expect, test } from "vitest";
import { holds } from "./choice.ts";

const chosen = new Map([
  ["threads", "4"],
  ["metric", "tps"],
]);

test.each([
  ["threads=4", true],
  ["threads=8", false],
  ["threads=4 metric=tps", true],
  ["threads=4 metric=p99", false],
  ["cell=a/b", true], // the page has no choice of cells, so it hides nothing
  ["", true],
])("holds(%s)", (when, shown) => {
  expect(holds(when, chosen)).toBe(shown);
});

test("a value may hold an equals sign", () => {
  expect(holds("q=a=b", new Map([["q", "a=b"]]))).toBe(true);
});
