import { expect, test } from "vitest";
import { toCSV } from "./csv.ts";
import { type Cell, joinHead } from "./grid.ts";
import { toMarkdown } from "./markdown.ts";

const text = (t: string): Cell => ({ text: t, number: false });
const number = (t: string): Cell => ({ text: t, number: true });

test("Markdown has numbers to the right, and names neither end a cell nor are markup", () => {
  const grid = {
    head: [text("Workload"), text("TPS")],
    rows: [
      [text("a|b"), number("1,234")],
      [text("*x* <script>"), number("9")],
    ],
  };
  expect(toMarkdown(grid)).toBe(
    "| Workload | TPS |\n| --- | --: |\n| a\\|b | 1,234 |\n| \\*x\\* \\<script\\> | 9 |\n",
  );
});

test("Markdown fills short rows", () => {
  expect(toMarkdown({ head: [text("A"), text("B")], rows: [[text("x")]] })).toBe(
    "| A | B |\n| --- | --: |\n| x |  |\n",
  );
});

test("CSV has what is shown, quotes and CRLF", () => {
  const rows = [
    [text('say "hi", now'), number("1,234.5")],
    [text("two\nlines"), number("0.33 ms")],
  ];
  expect(toCSV({ head: [text("Name"), text("Value")], rows })).toBe(
    'Name,Value\r\n"say ""hi"", now",1234.5\r\n"two\nlines",0.33 ms\r\n',
  );
});

test("a CSV row that goes on has the keys of the row above, and not its values", () => {
  const [none, gap] = [text(""), number("")];
  const rows = [
    [text("tpcb-like"), number("8"), text("p99 latency"), number("9.29 ms"), number("-21 %"), text("better")],
    [none, gap, none, gap, number("-1.95 ms"), none],
    [none, gap, none, gap, number("-1.90 ms"), none],
    [text("select-only"), number("8"), none, gap, number("+64 %"), none],
    [none, gap, none, gap, gap, none],
  ];
  expect(toCSV({ head: [], rows }).trim().split("\r\n")).toEqual([
    "tpcb-like,8,p99 latency,9.29 ms,-21 %,better",
    "tpcb-like,8,p99 latency,,-1.95 ms,",
    "tpcb-like,8,p99 latency,,-1.90 ms,",
    "select-only,8,,,+64 %,",
    ",,,,,",
  ]);
});

test.each([
  ["=1+1", "'=1+1"],
  ["+cmd|'/c calc'!A0", "'+cmd|'/c calc'!A0"],
  ["-2+3", "'-2+3"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\tx", "'\tx"],
  ["-2.5", "-2.5"],
  ["+7", "+7"],
  ["-1e-3", "-1e-3"],
  ["plain", "plain"],
])("a spreadsheet runs nothing: %j", (value, field) => {
  expect(toCSV({ head: [], rows: [[text(value)]] })).toBe(`\r\n${field}\r\n`);
});

test.each([
  ["14,791", "14791"],
  ["-1,234.5", "-1234.5"],
  ["-5 %", "-5 %"],
  ["+64 %", "+64 %"],
  ["1,000/s", '"1,000/s"'],
  ["-0.5 to -1.8 %", "-0.5 to -1.8 %"],
  ["-", "-"],
  ["-2+3", "'-2+3"],
  ["-1 =cmd", "'-1 =cmd"],
])("numbers stay numbers: %s", (value, field) => {
  expect(toCSV({ head: [], rows: [[number(value)]] })).toBe(`\r\n${field}\r\n`);
});

test("several rows of headings become one", () => {
  const head = [
    [text("Workload"), text("memory"), text("memory")],
    [text("Workload"), text("TPS"), text("p99")],
  ];
  expect(joinHead(head).map((cell) => cell.text)).toEqual(["Workload", "memory TPS", "memory p99"]);
});
