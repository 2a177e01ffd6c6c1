// Stacked layers.

import type { Column } from "./panel.ts";

/**
 * Adds each column to those before it. If all are gaps, the stack has one; a gap in only one
 * layer counts as 0, or the layers above would end there, too.
 */
export function accumulate(columns: readonly Column[]): Column[] {
  const length = Math.max(0, ...columns.map((column) => column.length));
  const sums: Column = new Array(length).fill(null);
  for (let i = 0; i < length; i++) {
    if (columns.some((column) => column[i] != null)) sums[i] = 0;
  }
  return columns.map((column) => {
    for (let i = 0; i < length; i++) {
      const sum = sums[i];
      if (sum != null) sums[i] = sum + (column[i] ?? 0);
    }
    return [...sums];
  });
}
