// A table as CSV (RFC 4180).

import type { Cell, Grid } from "./grid.ts";

/** Formats a table as CSV: as displayed, numbers without separators, each row complete. */
export function toCSV({ head, rows }: Grid): string {
  return [head, ...whole(rows)].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

// A continued row (the milliseconds below a percentage) begins with empty cells.
function whole(rows: readonly Cell[][]): Cell[][] {
  const all: Cell[][] = [];
  for (const row of rows) all.push(withKeys(row, all.at(-1) ?? []));
  return all;
}

// The keys are the cells up to the last that is no number; values are not repeated.
function withKeys(row: Cell[], above: readonly Cell[]): Cell[] {
  const empty = row.findIndex((cell) => cell.text !== "");
  const keys = row.slice(0, Math.max(0, empty)).findLastIndex((cell) => !cell.number) + 1;
  return row.map((cell, i) => (i < keys ? (above[i] ?? cell) : cell));
}

function field(cell: Cell): string {
  const value = isGrouped(cell.text) ? cell.text.replaceAll(",", "") : cell.text;
  const guarded = isDangerous(value, cell.number) ? `'${value}` : value;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

// "14,791", which a program would read as text.
function isGrouped(text: string): boolean {
  return /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text);
}

// A spreadsheet executes text that begins like a formula, and names in a record are untrusted:
// a leading quote makes it text. Numbers stay numbers, and so do "-5 %" and "-0.5 to 1.8 %" in
// a column of numbers.
function isDangerous(text: string, number: boolean): boolean {
  if (!/^[=+\-@\t\r]/.test(text) || text === "-") return false;
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return false;
  return !(number && /^[+-]\d[\d.,]*( [^=+*/()!|@&]*)?$/.test(text));
}
