// The background and overlay of a chart: warm-up and marks.

import uPlot from "uplot";
import { type Label, markLabels, type SideMark } from "./mark.ts";
import { colourOf, dashOf, type Palette } from "./palette.ts";

/** Shades the seconds before the window. */
export function drawWarmup(chart: uPlot, palette: Palette): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = palette.band;
  ctx.fillRect(bbox.left, bbox.top, warmupWidth(chart), bbox.height);
  ctx.restore();
}

function warmupWidth(chart: uPlot): number {
  const { left, width } = chart.bbox;
  return Math.max(0, Math.min(chart.valToPos(0, "x", true) - left, width));
}

// Above the lines, which would cross the text out; if letters of marks are there, below them on
// a paper background.
function drawWarmupName(chart: uPlot, palette: Palette, letters: readonly Label[]): void {
  const { ctx, bbox } = chart;
  const unit = uPlot.pxRatio;
  const word = "warm-up";
  ctx.save();
  ctx.font = `${11 * unit}px system-ui, sans-serif`;
  ctx.textBaseline = "bottom";
  ctx.textAlign = "left";
  const width = ctx.measureText(word).width + 8 * unit;
  if (width < warmupWidth(chart)) {
    const free = letters.every(({ x, text }) => x - (text.length * letter * unit) / 2 > bbox.left + width);
    if (!free) {
      ctx.fillStyle = palette.paper;
      ctx.fillRect(bbox.left, bbox.top, width, 15 * unit);
    }
    ctx.fillStyle = palette.muted;
    ctx.fillText(word, bbox.left + 4 * unit, bbox.top + (free ? -2 : 14) * unit);
  }
  ctx.restore();
}

// Width of a mark's letter, in CSS pixels.
const letter = 8.5;

/** Draws marks as vertical lines, their letters above them, and names the warm-up. */
export function drawMarks(chart: uPlot, marks: readonly SideMark[], palette: Palette): void {
  const { ctx, bbox } = chart;
  const unit = uPlot.pxRatio;
  const placed = marks
    .map((mark) => ({ ...mark, x: Math.round(chart.valToPos(mark.second, "x", true)) }))
    .filter(({ x }) => x >= bbox.left && x <= bbox.left + bbox.width);
  ctx.save();
  ctx.lineWidth = unit;
  for (const mark of placed) upright(chart, mark.x, mark, palette);
  ctx.font = `600 ${11 * unit}px system-ui, sans-serif`;
  ctx.textBaseline = "bottom";
  ctx.textAlign = "center";
  ctx.fillStyle = palette.ink;
  const labels = markLabels(placed, letter * unit);
  for (const { x, text } of labels) {
    const half = (text.length * letter * unit) / 2; // clear of the value axis' labels
    ctx.fillText(text, Math.max(x, bbox.left + half - 4 * unit), bbox.top - 2 * unit);
  }
  ctx.restore();
  drawWarmupName(chart, palette, labels);
}

function upright({ ctx, bbox }: uPlot, x: number, mark: SideMark, palette: Palette): void {
  ctx.strokeStyle = mark.side === 0 ? palette.muted : colourOf(palette.layers, 1);
  ctx.globalAlpha = 0.7;
  ctx.setLineDash(dashOf(mark.side + 1).map((length) => length * uPlot.pxRatio));
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.globalAlpha = 1;
}
