import { expect, test } from "vitest";
import { parseLink } from "../link.ts";
import {
  chosenBy,
  firstChoice,
  isStep,
  problemsOf,
  renewChoice,
  stepChoice,
  toggleSecond,
} from "./chosen.ts";
import { makeData, makeDetail, makeRun } from "./made.ts";
import { counterparts, filterRuns, groupRuns, neighbour } from "./names.ts";

const runs = [1, 2, 3].flatMap((repeat) => [makeRun("disk", repeat), makeRun("memory", repeat)]);
const at = (path: string) => runs.find((run) => run.path.startsWith(path)) ?? null;
const [disk1, disk2, memory1, memory2] = [
  at("disk/tpcb-like/c8-j1/r01"),
  at("disk/tpcb-like/c8-j1/r02"),
  at("memory/tpcb-like/c8-j1/r01"),
  at("memory/tpcb-like/c8-j1/r02"),
];

test("an address chooses runs, layout and range", () => {
  const link = parseLink(`#run=${disk1?.path}&with=${memory1?.path}&layout=over&t=-5-10`);
  expect(chosenBy(link, runs)).toEqual({ a: disk1, b: memory1, layout: "over", range: [-5, 10] });
});

test("an address of a run that is not there chooses nothing", () => {
  expect(chosenBy(parseLink("#run=gone"), runs)).toBeNull();
});

test.each([
  ["#runs", []],
  [`#run=${disk1?.path}&with=${memory1?.path}&t=-5-10`, []],
  ["#run=plain/x/nope/r9", [/refers to a run that is not in this record: plain\/x\/nope\/r9\./]],
  [`#run=${disk1?.path}&with=gone`, [/refers to a second run that is not in this record: gone\./]],
  ["#run=gone&t=9-4", [/a run that is not in this record/, /invalid range of seconds: 9-4\./]],
])("what %s asks for and is not here is said", (hash, wanted) => {
  const problems = problemsOf(parseLink(hash), runs);
  expect(problems).toEqual(wanted.map((pattern) => expect.stringMatching(pattern)));
});

test("a run is not compared with itself", () => {
  expect(chosenBy(parseLink(`#run=${disk1?.path}&with=${disk1?.path}`), runs)?.b).toBeNull();
});

test("at first the baseline's first counted run at hand is there, with its block", () => {
  const details = [
    makeDetail(0, [], { path: disk2?.path ?? "" }),
    makeDetail(0, [], { path: memory2?.path ?? "" }),
  ];
  expect(firstChoice(makeData(runs, { details }))).toMatchObject({ a: disk2, b: memory2 });
  expect(firstChoice(makeData([])).a).toBeNull();
});

test("at first the most telling block is there, where it is at hand", () => {
  const telling = [disk2?.path ?? "", memory2?.path ?? ""];
  expect(firstChoice(makeData(runs, { telling, served: true }))).toMatchObject({ a: disk2, b: memory2 });
  const details = [makeDetail(0, [], { path: disk1?.path ?? "" })];
  expect(firstChoice(makeData(runs, { telling, details })).a).toBe(disk1);
});

test("the second run of a block goes along to the next", () => {
  const start = { a: disk1, b: memory1, layout: "over" as const, range: null };
  expect(stepChoice(start, runs, 1)).toMatchObject({ a: disk2, b: memory2 });
  expect(stepChoice(start, runs, -1)).toBe(start);
  expect(stepChoice({ ...start, b: null }, runs, 1)).toMatchObject({ a: disk2, b: null });
});

test("a second run of the same block comes and goes", () => {
  const two = toggleSecond({ a: disk1, b: null, layout: "over", range: null }, runs);
  expect(two.b).toBe(memory1);
  expect(toggleSecond(two, runs).b).toBeNull();
});

test("Back leads to other runs and layouts, not to other seconds", () => {
  const one = { a: disk1, b: null, layout: "over" as const, range: null };
  const two = { ...one, b: memory1 };
  expect(isStep(one, { ...one, a: disk2 })).toBe(true);
  expect(isStep(one, two)).toBe(true);
  expect(isStep(two, { ...two, layout: "beside" })).toBe(true);
  expect(isStep(one, { ...one, layout: "beside" })).toBe(false);
  expect(isStep(two, { ...two, range: [1, 2] })).toBe(false);
});

test("newer data keeps what is chosen", () => {
  const newer = runs.map((run) => ({ ...run }));
  const kept = renewChoice({ a: disk1, b: memory1, layout: "over", range: null }, newer);
  expect(kept.a).toBe(newer.find((run) => run.path === disk1?.path));
  expect(kept.a).not.toBe(disk1);
});

test("neighbours are of the same cell, counterparts of the same block", () => {
  const other = makeRun("disk", 1, { clients: 1, path: "disk/tpcb-like/c1-j1/r01" });
  const again = makeRun("memory", 1, { attempt: 2, path: "memory/tpcb-like/c8-j1/r01.2" });
  const all = [other, ...runs, again];
  expect(disk2 && neighbour(all, disk2, -1)).toBe(disk1);
  expect(neighbour(all, other, 1)).toBeNull();
  expect(disk1 && counterparts(all, disk1)).toEqual([memory1]);
});

test("runs are listed by cell, and by environments as the experiment has them", () => {
  const ten = makeRun("disk", 1, { clients: 10, path: "ten" });
  const groups = groupRuns(makeData([]), [ten, ...runs]);
  expect(groups.map((group) => `${group.cell}: ${group.environment}`)).toEqual([
    "tpcb-like, 8 clients, 1 thread: disk",
    "tpcb-like, 8 clients, 1 thread: memory",
    "tpcb-like, 10 clients, 1 thread: disk",
  ]);
});

test.each([
  ["", 6],
  ["r02", 2],
  ["MEMORY repeat 2", 1],
  ["invalid", 0],
])("the filter %j leaves %d", (filter, left) => {
  expect(filterRuns(runs, filter)).toHaveLength(left);
});
