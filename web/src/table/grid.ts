// A table of the page as rows of cells, from which copies are made.

/** A cell of a table: its text, and whether that is a number. */
export interface Cell {
  text: string;
  number: boolean;
}

/** A table with one row of headings. */
export interface Grid {
  head: Cell[];
  rows: Cell[][];
}

/** Reads a table as displayed: without rows that a choice hides. */
export function readTable(table: HTMLTableElement): Grid {
  const head = spread(shown(table.tHead ? [...table.tHead.rows] : []));
  const body = [...table.tBodies].flatMap((part) => (part.hidden ? [] : [...part.rows]));
  const rows = spread(shown(body));
  return { head: joinHead(head), rows: rows.length || !table.tHead ? rows : [] };
}

/** Joins several rows of headings: "p99" below "memory" becomes "memory p99". */
export function joinHead(rows: Cell[][]): Cell[] {
  const width = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: width }, (_, column) => {
    const texts = rows.map((row) => row[column]?.text ?? "");
    const text = texts.filter((t, i) => t !== "" && t !== texts[i - 1]).join(" ");
    return { text, number: false };
  });
}

function shown(rows: HTMLTableRowElement[]): HTMLTableRowElement[] {
  return rows.filter((row) => !row.hidden);
}

// Repeats a cell that spans rows or columns in each, as CSV has no spans.
function spread(rows: HTMLTableRowElement[]): Cell[][] {
  const grid: Cell[][] = rows.map(() => []);
  rows.forEach((row, y) => {
    let x = 0;
    for (const element of row.cells) {
      if (element.hidden) continue;
      while (grid[y]?.[x]) x++;
      fill(grid, y, x, element);
      x += element.colSpan;
    }
  });
  return grid.map((row) => Array.from(row, (cell) => cell ?? { text: "", number: false }));
}

function fill(grid: Cell[][], y: number, x: number, element: HTMLTableCellElement): void {
  const cell = read(element);
  for (let row = y; row < Math.min(grid.length, y + element.rowSpan); row++) {
    for (let column = x; column < x + element.colSpan; column++) {
      const line = grid[row];
      if (line) line[column] = cell;
    }
  }
}

function read(element: HTMLTableCellElement): Cell {
  const text = (element.textContent ?? "").replace(/\s+/g, " ").trim();
  return { text, number: element.classList.contains("n") };
}
