import { expect, test } from "vitest";
import { formatLink, formatRange, parseLink, parseRange } from "./link.ts";

test.each([
  ["", "", {}],
  ["#runs", "runs", {}],
  ["#run=disk/tpcb-like/c10-j1/r03", "", { run: "disk/tpcb-like/c10-j1/r03" }],
  ["#run=a/b&with=c/d&layout=over&t=-10-60", "", { run: "a/b", with: "c/d", layout: "over", t: "-10-60" }],
  ["#choice.metric=p99&cell=tpcb-like/c8-j1", "", { "choice.metric": "p99", cell: "tpcb-like/c8-j1" }],
  ["#run=a%26b%3Dc%20d", "", { run: "a&b=c d" }],
  ["#run=%E0%A4%A&with=x", "", { with: "x" }],
  ["#=x&&run", "", {}],
  ["#%E0%A4%A", "", {}],
])("parseLink(%s)", (hash, section, keys) => {
  const link = parseLink(hash);
  expect(link.section).toBe(section);
  expect(Object.fromEntries(link.keys)).toEqual(keys);
});

test.each(["a/b", "a&b", "a=b", "#", "50 %", "ünïcode", "<script>", '"', "\n", "a+b"])(
  "a path survives: %j",
  (path) => {
    const hash = formatLink(
      new Map([
        ["run", path],
        ["with", "other"],
      ]),
    );
    expect(parseLink(hash).keys.get("run")).toBe(path);
    expect(parseLink(hash).keys.get("with")).toBe("other");
  },
);

test.each([
  ["0-60", [0, 60]],
  ["-10-60", [-10, 60]],
  ["-10--2", [-10, -2]],
  ["1.5-2.5", [1.5, 2.5]],
  ["60-0", null],
  ["5-5", null],
  ["", null],
  ["a-b", null],
  ["1-2-3", null],
  ["1e9-2", null],
] as const)("parseRange(%s)", (text, range) => {
  expect(parseRange(text)).toEqual(range);
});

test("a range is written as it is read", () => {
  expect(parseRange(formatRange([-10.04, 60.26]))).toEqual([-10, 60.3]);
});
