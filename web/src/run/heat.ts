// Latency over time as an image: one pixel for each second and interval, which the chart scales
// to its axes.

import type uPlot from "uplot";
import type { Range } from "../link.ts";
import type { Heat } from "../record.ts";
import { formatLatency, formatLatencyTick } from "./format.ts";
import type { Palette } from "./palette.ts";
import { baseOptions, type Hands, type Size } from "./plot.ts";
import { countPlace, rampColour } from "./ramp.ts";
import { logExtent } from "./scale.ts";

/** Returns the greatest count of heat maps: the end of their common colour scale. */
export function greatestCount(heats: readonly Heat[]): number {
  let most = 0;
  for (const heat of heats)
    for (const row of heat.counts) for (const count of row) if (count > most) most = count;
  return most;
}

/** Returns the ends of a common latency axis of heat maps, in ns; both are positive. */
export function latencyExtent(heats: readonly Heat[]): Range {
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const heat of heats) {
    const used = heat.edges_ns.map((_, i) => heat.counts.some((row) => (row[i] ?? 0) > 0));
    const [first, last] = [used.indexOf(true), used.lastIndexOf(true)];
    if (first < 0) continue;
    low = Math.min(low, positive(heat.edges_ns, first));
    high = Math.max(high, heat.edges_ns[last + 1] ?? 0);
  }
  return low < high ? logExtent(low, high) : [1e5, 1e7];
}

// A logarithmic axis has no zero; half of the next edge replaces it.
function positive(edges: readonly number[], at: number): number {
  const edge = edges[at] ?? 0;
  return edge > 0 ? edge : (edges[at + 1] ?? 2) / 2;
}

/** Describes a point of the map: "340 between 1.2 ms and 1.4 ms"; "" outside. */
export function heatText(heat: Heat, second: number, latency: number): string {
  const row = heat.counts[Math.floor((second - heat.start_s) / heat.step_s)];
  const at = heat.edges_ns.findIndex((edge, i) => edge <= latency && latency < (heat.edges_ns[i + 1] ?? 0));
  if (!row || at < 0) return "";
  const [low, high] = [heat.edges_ns[at] ?? 0, heat.edges_ns[at + 1] ?? 0];
  const count = (row[at] ?? 0).toLocaleString("en");
  if (at === 0) return `${count} up to ${formatLatency(high)}`; // it has all that are faster, too
  return `${count} between ${formatLatency(low)} and ${formatLatency(high)}`;
}

/** Paints the map with one pixel for each second (across) and interval (upwards). */
export function paintHeat(heat: Heat, most: number, palette: Palette): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, heat.counts.length);
  canvas.height = Math.max(1, heat.edges_ns.length - 1);
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  const image = context.createImageData(canvas.width, canvas.height);
  heat.counts.forEach((row, x) => {
    row.forEach((count, y) => {
      if (count <= 0) return;
      const at = ((canvas.height - 1 - y) * canvas.width + x) * 4;
      const colour = rampColour(countPlace(count, most), palette.dark ? "dark" : "light");
      image.data.set([...colour, 255], at);
    });
  });
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Draws the painted map at the scale of the axes, interval by interval. */
export function drawHeat(chart: uPlot, heat: Heat, painted: HTMLCanvasElement): void {
  const { ctx, bbox } = chart;
  const left = chart.valToPos(heat.start_s, "x", true);
  const right = chart.valToPos(heat.start_s + heat.counts.length * heat.step_s, "x", true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.imageSmoothingEnabled = false;
  for (let y = 0; y < painted.height; y++) {
    const bottom = Math.round(chart.valToPos(positive(heat.edges_ns, y), "y", true));
    const top = Math.round(chart.valToPos(heat.edges_ns[y + 1] ?? 1, "y", true));
    const row = painted.height - 1 - y;
    ctx.drawImage(painted, 0, row, painted.width, 1, left, top, right - left, Math.max(1, bottom - top));
  }
  ctx.restore();
}

/** Options and data of a heat map, which has axes and no lines. */
export function heatPlot(heat: Heat, palette: Palette, size: Size, hands: Hands) {
  const base = baseOptions(size, palette, hands, true);
  const [time, latency] = base.axes ?? [];
  const options: uPlot.Options = {
    ...base,
    axes: [time ?? {}, { ...latency, values: (_, ticks) => ticks.map(formatLatencyTick) }],
    series: [{}, { points: { show: false } }],
  };
  const times = heat.counts.map((_, i) => heat.start_s + i * heat.step_s);
  const data: uPlot.AlignedData = [times, times.map(() => null)];
  return { options, data };
}
