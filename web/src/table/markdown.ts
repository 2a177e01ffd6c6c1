// A table as GitHub's Markdown.

import type { Cell, Grid } from "./grid.ts";

/** Formats a table as Markdown, numbers aligned right. */
export function toMarkdown({ head, rows }: Grid): string {
  const right = head.map((_, column) => rows.length > 0 && rows.every((row) => isNumber(row[column])));
  const rule = right.map((r) => (r ? "--:" : "---"));
  const lines = [head.map(text), rule, ...rows.map((row) => head.map((_, column) => text(row[column])))];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

function isNumber(cell: Cell | undefined): boolean {
  return cell === undefined || cell.number || cell.text === "";
}

// A name must neither end the cell nor become markup.
function text(cell: Cell | undefined): string {
  return (cell?.text ?? "").replace(/[\\`*_[\]<>|]/g, "\\$&").replace(/\s+/g, " ");
}
