// Which charts are open. Some are by default; the reader's choice overrides that, also for the
// next run. A track is one chart side by side, and may be one for each series overlaid: a
// choice for one applies to both.

import { opens } from "./opening.ts";
import type { Row } from "./panel.ts";

/** The reader's choices, by the id of a track ("latency") or of a series ("latency p99"). */
export type Asked = ReadonlyMap<string, boolean>;

/** Returns the ids of the open rows. */
export function openRows(rows: readonly Row[], asked: Asked): Set<string> {
  return new Set(rows.filter((row) => isOpen(row, rows, asked)).map((row) => row.id));
}

/** Returns asked with a row opened or closed. */
export function ask(asked: Asked, rows: readonly Row[], id: string, open: boolean): Asked {
  const after = new Map(asked);
  const row = rows.find((one) => one.id === id);
  if (row && row.series !== null) {
    // From now on the series' choices replace the track's.
    for (const one of siblings(row, rows)) after.set(one.id, isOpen(one, rows, asked));
    after.delete(row.track);
  }
  return after.set(id, open);
}

/** Returns asked with all rows open, in the other layout too. */
export function askAll(asked: Asked, rows: readonly Row[]): Asked {
  const ids = rows.flatMap((row) => {
    const lines = row.panels.flatMap((panel) => panel.lines);
    return [row.track, row.id, ...lines.map((line) => `${row.track} ${line.name}`)];
  });
  return new Map([...asked, ...ids.map((id) => [id, true] as const)]);
}

function isOpen(row: Row, rows: readonly Row[], asked: Asked): boolean {
  return row.series === null ? isTrackOpen(row, asked) : isSeriesOpen(row, rows, asked);
}

// One open series opens the track.
function isTrackOpen(row: Row, asked: Asked): boolean {
  const series = [...asked].filter(([id]) => id.startsWith(`${row.track} `)).map(([, open]) => open);
  return asked.get(row.track) ?? (series.length > 0 ? series.includes(true) : isOpenAtFirst(row));
}

// An opened track shows its open series, or all if none is open.
function isSeriesOpen(row: Row, rows: readonly Row[], asked: Asked): boolean {
  const track = asked.get(row.track);
  const own = (one: Row) => asked.get(one.id) ?? isOpenAtFirst(one);
  return track === undefined ? own(row) : track && (own(row) || !siblings(row, rows).some(own));
}

const siblings = ({ track }: Row, rows: readonly Row[]) => rows.filter((row) => row.track === track);

function isOpenAtFirst(row: Row): boolean {
  return opens({ ...row, title: titleOf(row) });
}

/** Returns the title of a row's check box. */
export function titleOf(row: Row): string {
  return row.panels[0]?.title ?? "Latency over time";
}
