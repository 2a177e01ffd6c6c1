// A table as CSV, as RFC 4180 has it.

import type { Cell, Grid } from "./grid.ts";

/** Writes a table as CSV, numbers exact where the page has them. */
export function toCSV({ head, rows }: Grid): string {
  return [head, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

function field(cell: Cell): string {
  const value = isGrouped(cell.value) ? cell.value.replaceAll(",", "") : cell.value;
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
