import { expect, test } from "vitest";
import { type Chosen, comparison, isFull, nextChoice, toggle } from "./choose.ts";

test.each<[string, Chosen, string, Chosen]>([
  ["the first", [], "a", ["a"]],
  ["the second", ["a"], "b", ["a", "b"]],
  ["a third is refused", ["a", "b"], "c", ["a", "b"]],
  ["one is taken out", ["a", "b"], "a", ["b"]],
  ["and the baseline is then the other", ["b"], "a", ["b", "a"]],
])("%s", (_, before, name, after) => expect(toggle(before, name)).toEqual(after));

test("the address names both, in order, whatever they are called", () => {
  expect(comparison(["one & two", "b"])).toBe("/compare?a=one+%26+two&b=b");
  expect(comparison(["a"])).toBeUndefined();
});

test("says what is still to be done", () => {
  expect(nextChoice([])).toMatch(/two/);
  expect(nextChoice(["a"])).toMatch(/one more/);
  expect(nextChoice(["a", "b"])).toBe("");
  expect(isFull(["a", "b"])).toBe(true);
});
