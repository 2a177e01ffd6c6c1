// TPS over the whole run, as small as a word.

import type { Overview } from "../record.ts";

const [width, height] = [72, 18];

/** Draws the least and greatest TPS of each part of a run; top is the upper end of the scale. */
export function Spark({
  overview,
  top,
  index,
}: {
  overview: Overview | undefined;
  top: number;
  index: number;
}) {
  return (
    <svg
      class={`spark tint-${index % 8}`}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      aria-hidden="true"
    >
      {overview && <path d={sparkPath(overview, top)} />}
    </svg>
  );
}

/**
 * Returns the outline of a sparkline: along the highs, back along the lows, divided by gaps. It
 * extends to the ends of its seconds, so that a run of one second is visible.
 */
export function sparkPath(overview: Overview, top: number): string {
  const x = (i: number) => ((i + 0.5) * width) / overview.high.length;
  const y = (value: number) => height - 1 - (value / (top || 1)) * (height - 2);
  const at = (i: number, value: number) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`;
  return stretches(overview)
    .map((part) => {
      const [first = 0, last = 0] = [part[0], part.at(-1)];
      const along = (column: Overview["high"]) => [
        at(first - 0.5, column[first] ?? 0),
        ...part.map((i) => at(i, column[i] ?? 0)),
        at(last + 0.5, column[last] ?? 0),
      ];
      return `M${[...along(overview.high), ...along(overview.low).reverse()].join("L")}Z`;
    })
    .join("");
}

function stretches({ low, high }: Overview): number[][] {
  const parts: number[][] = [[]];
  high.forEach((value, i) => {
    if (value === null || low[i] == null) parts.push([]);
    else parts.at(-1)?.push(i);
  });
  return parts.filter((part) => part.length > 0);
}
