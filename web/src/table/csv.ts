// A table as CSV, as RFC 4180 has it.

import type { Cell, Grid } from "./grid.ts";

/** Writes a table as CSV: what it shows, numbers without separators, each row by itself. */
export function toCSV({ head, rows }: Grid): string {
  return [head, ...whole(rows)].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

// A row that goes on (the milliseconds below a percentage) begins with empty cells.
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

// "14,791", which a program would take for text.
function isGrouped(text: string): boolean {
  return /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text);
}

// A spreadsheet runs text that begins like a formula, and names in a record can be
// anybody's: a quote before it makes it text. A number stays one, and so do "-5 %"
// and "-0.5 to 1.8 %" in a column of numbers.
function isDangerous(text: string, number: boolean): boolean {
  if (!/^[=+\-@\t\r]/.test(text) || text === "-") return false;
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return false;
  return !(number && /^[+-]\d[\d.,]*( [^=+*/()!|@&]*)?$/.test(text));
}
