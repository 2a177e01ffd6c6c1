import { expect, test } from "vitest";
import { makeDetail, makeTrack } from "./made.ts";
import { type Asked, ask, askAll, openRows } from "./opened.ts";
import { makeRows } from "./panel.ts";

const detail = makeDetail(0, [
  makeTrack("latency", { p50: [1], p95: [2], p99: [3] }),
  makeTrack("memory", { Cached: [1], Dirty: [2] }),
  makeTrack("wal", { WAL: [1] }),
]);
const over = makeRows([detail, detail], "over");
const beside = makeRows([detail, detail], "beside");
const none: Asked = new Map();
const open = (rows: typeof over, asked: Asked) => [...openRows(rows, asked)];
const first = ["latency p50", "latency p99", "wal"];

test("at first", () => {
  expect(open(over, none)).toEqual(first);
  expect(open(beside, none)).toEqual(["latency", "wal"]);
});

test("a series that is opened over each other opens its track side by side", () => {
  const asked = ask(none, over, "memory Dirty", true);
  expect(open(over, asked)).toEqual(["latency p50", "latency p99", "memory Dirty", "wal"]);
  expect(open(beside, asked)).toEqual(["latency", "memory", "wal"]);
});

test("a track is closed side by side when none of its series is open, and only then", () => {
  const one = ask(none, over, "latency p50", false);
  expect(open(over, one)).toEqual(["latency p99", "wal"]);
  expect(open(beside, one)).toEqual(["latency", "wal"]);
  const two = ask(one, over, "latency p99", false);
  expect(open(over, two)).toEqual(["wal"]);
  expect(open(beside, two)).toEqual(["wal"]);
});

test("a track that is opened side by side is there over each other", () => {
  const asked = ask(none, beside, "memory", true);
  expect(open(beside, asked)).toEqual(["latency", "memory", "wal"]);
  expect(open(over, asked)).toEqual(["latency p50", "latency p99", "memory Cached", "memory Dirty", "wal"]);
  const less = ask(asked, over, "memory Dirty", false);
  expect(open(over, less)).toEqual(["latency p50", "latency p99", "memory Cached", "wal"]);
  expect(open(beside, less)).toEqual(["latency", "memory", "wal"]);
});

test("a track that is closed side by side is gone over each other, and comes back as it was", () => {
  const picked = ask(none, over, "latency p95", true);
  const closed = ask(picked, beside, "latency", false);
  expect(open(beside, closed)).toEqual(["wal"]);
  expect(open(over, closed)).toEqual(["wal"]);
  const again = ask(closed, beside, "latency", true);
  expect(open(over, again)).toEqual(["latency p50", "latency p95", "latency p99", "wal"]);
  const other = ask(closed, over, "latency p95", true);
  expect(open(over, other)).toEqual(["latency p95", "wal"]);
});

test("a track of one series is one chart in both", () => {
  const asked = ask(none, over, "wal", false);
  expect(open(over, asked)).toEqual(["latency p50", "latency p99"]);
  expect(open(beside, asked)).toEqual(["latency"]);
});

test.each([
  ["over", over],
  ["beside", beside],
])("all are all in both, asked for %s", (_, rows) => {
  const closed = ask(ask(none, beside, "latency", false), over, "memory Dirty", false);
  const asked = askAll(closed, rows);
  expect(open(over, asked)).toEqual(over.map((row) => row.id));
  expect(open(beside, asked)).toEqual(beside.map((row) => row.id));
});
