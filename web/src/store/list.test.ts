import { describe, expect, test } from "vitest";
import type { Entry, Records } from "../record.ts";
import { everything } from "./filter.ts";
import { append, keepSame, listOf, refresh } from "./list.ts";

const entry = (name: string, over: Partial<Entry> = {}): Entry => ({
  name,
  question: `Is ${name} faster?`,
  engine: "postgres",
  state: "complete",
  created: "2026-01-01T00:00:00Z",
  planned_runs: 4,
  counts: { valid: 4, invalid: 0, failed: 0 },
  answer: "",
  words: [],
  ...over,
});

const answer = (records: Entry[], total = records.length): Records => ({
  schema: "plinth/records/v1",
  store: "/store",
  total,
  matching: total,
  engines: ["postgres"],
  records,
});

const going = (name: string, valid: number) =>
  entry(name, { state: "running", counts: { valid, invalid: 0, failed: 0 } });

test("an empty store is an empty list", () => expect(listOf(everything, answer([])).entries).toEqual([]));

test("more records go behind, none twice", () => {
  const list = append(
    listOf(everything, answer([entry("c"), entry("b")], 4)),
    answer([entry("b"), entry("a")], 4),
  );
  expect(list.entries.map((e) => e.name)).toEqual(["c", "b", "a"]);
});

test("what did not change stays the same object", () => {
  const before = [entry("a"), going("b", 1)];
  const after = keepSame(before, [entry("a"), going("b", 2)]);
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
});

describe("what runs", () => {
  const list = listOf(everything, answer([going("b", 1), entry("a")]));

  test("is put in its place", () => {
    const next = refresh(list, answer([going("b", 2)], 2));
    expect(next?.entries.map((e) => e.counts.valid)).toEqual([2, 4]);
    expect(next?.entries[1]).toBe(list.entries[1]);
  });
  test("has ended: ask again", () => expect(refresh(list, answer([], 2))).toBeUndefined());
  test("has begun: ask again", () => expect(refresh(list, answer([going("b", 1)], 3))).toBeUndefined());
  test("was resumed: ask again", () =>
    expect(refresh(list, answer([going("b", 1), going("a", 1)], 2))).toBeUndefined());
});
