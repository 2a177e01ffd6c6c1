// Keyboard control of charts.

import uPlot from "uplot";
import type { Range } from "../link.ts";
import { cursorKey } from "./plot.ts";
import { placeAt } from "./step.ts";

/** The actions of keys. */
export interface Wheel {
  range: Range;
  zoom(range: Range | null): void;
  step(step: -1 | 1): void;
  second(): void; // adds or removes the second run
}

/** Executes the action of a key if the charts have the focus. */
export function steer(event: KeyboardEvent, wheel: Wheel): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
  const far = event.shiftKey ? 10 : 1;
  const acts: Record<string, () => void> = {
    ArrowLeft: () => moveCursor(-far),
    ArrowRight: () => moveCursor(far),
    "+": () => wheel.zoom(around(wheel.range, 0.5)),
    "-": () => wheel.zoom(around(wheel.range, 2)),
    Escape: () => wheel.zoom(null),
    n: () => wheel.step(1),
    p: () => wheel.step(-1),
    b: () => wheel.second(),
  };
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

// Moves all cursors to the middle of a second of the first chart.
function moveCursor(steps: number): void {
  const { plots } = uPlot.sync(cursorKey);
  const chart = plots[0];
  const times = chart && Array.from(chart.data[0]);
  if (!chart || !times?.length) return;
  const [from, to] = [chart.scales.x?.min ?? 0, chart.scales.x?.max ?? 0];
  const [first, last] = [placeAfter(times, from), times.findLastIndex((time) => time < to)];
  const now = cursorTime();
  const at = now === null ? first - 1 : placeAt(times, now);
  const inside = Math.min(Math.max(at + steps, first), last);
  const time = ((times[inside] ?? from) + (times[inside + 1] ?? to)) / 2;
  for (const plot of plots)
    plot.setCursor({ left: plot.valToPos(time, "x"), top: plot.over.clientHeight / 2 }, true);
}

function around(range: Range, factor: number): Range {
  const middle = cursorTime() ?? (range[0] + range[1]) / 2;
  const half = Math.max(1, ((range[1] - range[0]) * factor) / 2); // as the button's shortest range
  return [middle - half, middle + half];
}

function placeAfter(times: readonly number[], time: number): number {
  return Math.max(
    0,
    times.findIndex((start) => start >= time),
  );
}

function cursorTime(): number | null {
  const chart = uPlot.sync(cursorKey).plots[0];
  const { left = -1 } = chart?.cursor ?? {};
  return chart && left >= 0 ? chart.posToVal(left, "x") : null;
}
