import { expect, test } from "vitest";
import { makeDetail, makeTrack } from "./made.ts";
import { ask, askAll, openRows } from "./opened.ts";
import { makeRows } from "./panel.ts";
import { formatAsked, parseAsked } from "./trackkey.ts";

const ids = ["tps", "latency", "memory", "odd, 5 %", "-odd"];
const rows = makeRows(
  [
    makeDetail(
      0,
      ids.map((id) => makeTrack(id, { a: [1] })),
    ),
  ],
  "over",
);

test("what is there at first is not in the address, also after a change was taken back", () => {
  expect(formatAsked(new Map(), rows)).toBeNull();
  const there = ask(new Map(), rows, "memory", true);
  expect(formatAsked(ask(there, rows, "memory", false), rows)).toBeNull();
});

test("what was opened and closed is read as it was written", () => {
  let asked = ask(new Map(), rows, "memory", true);
  asked = ask(asked, rows, "tps", false);
  expect(formatAsked(asked, rows)).toBe("memory,-tps");
  for (const id of ids.slice(3)) asked = ask(asked, rows, id, true);
  expect(parseAsked(formatAsked(asked, rows) ?? "", rows)).toEqual(asked);
});

test("all is a word", () => {
  expect(formatAsked(askAll(new Map(), rows), rows)).toBe("all");
  expect(openRows(rows, parseAsked("all", rows)).size).toBe(rows.length);
});

test.each([undefined, "", ",", "%E0%A4", "-"])("nothing is asked for by %j", (value) => {
  expect(parseAsked(value, rows).size).toBe(0);
});
