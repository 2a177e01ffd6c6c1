// A panel as uPlot draws it: its options and its data.

import type uPlot from "uplot";
import type { Range } from "../link.ts";
import { formatSecond, formatTicks } from "./format.ts";
import { type Look, lookOf, type Subject } from "./look.ts";
import type { Palette } from "./palette.ts";
import type { Column, Panel } from "./panel.ts";
import { linearTicks, logTicks } from "./scale.ts";
import { accumulate } from "./stack.ts";
import { closeSteps, lonePoints, stepPaths } from "./step.ts";

/** All charts of the explorer share one cursor. */
export const cursorKey = "plinth-run";

/** A chart's callbacks: the reader's actions, and requests when it draws. */
export interface Hands {
  range(): Range; // of the time axis
  extent(): Range; // of the value axis
  zoom(range: Range | null): void;
  cursor(chart: uPlot): void; // it moved
  drawBelow(chart: uPlot): void;
  drawAbove(chart: uPlot): void;
}

/** One line of the data handed to uPlot, and how it is drawn. */
interface Drawn {
  values: Column;
  step: number; // s that a value covers
  look: Look;
  edge: boolean; // of the band between the least and the greatest second
}

/** Options and data of a panel. */
export function panelPlot(panel: Panel, of: readonly Subject[], palette: Palette, size: Size, hands: Hands) {
  const { lines, bands } = panel.stack ? layers(panel, of, palette) : curves(panel, of, palette);
  const options: uPlot.Options = {
    ...baseOptions(size, palette, hands, panel.log),
    series: [{}, ...lines.map(seriesOf)],
    bands,
  };
  const { times, columns } = closeSteps(panel.times, lines);
  return { options, data: [times, ...columns] as uPlot.AlignedData };
}

/** In CSS pixels. */
export interface Size {
  width: number;
  height: number;
}

function layers(panel: Panel, of: readonly Subject[], palette: Palette) {
  const sums = accumulate(panel.lines.map((line) => line.values));
  const lines = panel.lines.map((line, i) => ({
    values: sums[i] ?? [],
    step: line.step,
    look: lookOf(panel, line, of, palette),
    edge: false,
  }));
  const bands = lines.slice(1).map((_, i): uPlot.Band => ({ series: [i + 2, i + 1] }));
  return { lines, bands };
}

// If the run was downsampled, the edges of its band precede each curve.
function curves(panel: Panel, of: readonly Subject[], palette: Palette) {
  const lines: Drawn[] = [];
  const bands: uPlot.Band[] = [];
  for (const line of panel.lines) {
    const look = lookOf(panel, line, of, palette);
    const { step } = line;
    if (line.low && line.high) {
      const edge = { step, look: { ...look, width: 0.5, dash: [] }, edge: true };
      lines.push({ values: line.high, ...edge }, { values: line.low, ...edge });
      bands.push({ series: [lines.length - 1, lines.length], fill: translucent(look.stroke) });
    }
    lines.push({ values: line.values, step, look, edge: false });
  }
  return { lines, bands };
}

function seriesOf({ look, edge, step }: Drawn): uPlot.Series {
  return {
    paths: stepPaths(step),
    stroke: look.stroke,
    width: look.width,
    dash: look.dash,
    cap: look.cap,
    ...(look.fill ? { fill: look.fill } : {}),
    points: edge ? { show: false } : lonePoints(step, look.stroke),
  };
}

function translucent(colour: string): string {
  return /^#[0-9a-f]{6}$/i.test(colour) ? `${colour}38` : colour;
}

/** Returns the options of all charts: axes, cursor, zoom. */
export function baseOptions(
  size: Size,
  palette: Palette,
  hands: Hands,
  log: boolean,
): Omit<uPlot.Options, "series"> {
  return {
    ...size,
    legend: { show: false },
    padding: [above, 12, 0, 0],
    scales: {
      x: { time: false, range: () => [...hands.range()] },
      y: { range: () => [...hands.extent()], distr: log ? 3 : 1 },
    },
    axes: [timeAxis(palette, hands), valueAxis(palette, log)],
    cursor: {
      sync: { key: cursorKey, setSeries: false },
      drag: { x: true, y: false, setScale: false },
      bind: {
        dblclick: () => () => {
          hands.zoom(null);
          return null;
        },
      },
      points: { show: false }, // the legend has the values; a step has no point
      y: false,
    },
    hooks: {
      setCursor: [hands.cursor],
      setSelect: [(chart) => select(chart, hands)],
      drawClear: [hands.drawBelow],
      draw: [hands.drawAbove],
    },
  };
}

function select(chart: uPlot, hands: Hands): void {
  const { left, width } = chart.select;
  if (width < 4) return;
  const range: Range = [chart.posToVal(left, "x"), chart.posToVal(left + width, "x")];
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  hands.zoom(range);
}

// Room for the letters of marks above, and for the seconds below.
const [above, below] = [16, 26];

const font = "12px system-ui, sans-serif";

function timeAxis(palette: Palette, hands: Hands): uPlot.Axis {
  return {
    stroke: palette.muted,
    font,
    size: below,
    gap: 4,
    space: 70,
    incrs: [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400],
    grid: { stroke: palette.grid, width: 1 },
    ticks: { show: false },
    values: (_, ticks) => ticks.map((tick) => formatSecond(tick, hands.range()[1] - hands.range()[0])),
  };
}

// One width for all, so that the time axes of all charts are aligned.
function valueAxis(palette: Palette, log: boolean): uPlot.Axis {
  return {
    stroke: palette.muted,
    font,
    size: 64,
    gap: 6,
    grid: { stroke: palette.grid, width: 1 },
    ticks: { show: false },
    values: (_, ticks) => formatTicks(ticks),
    splits: (chart, _, from, to) => (log ? logTicks : linearTicks)(from, to, stepsOf(chart)),
    filter: (_, ticks) => ticks,
  };
}

// Returns how many steps between labels fit on a value axis.
function stepsOf(chart: uPlot): number {
  return (chart.height - above - below) / 24;
}
