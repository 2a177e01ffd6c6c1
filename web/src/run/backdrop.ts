// What lies behind and over the lines of a chart: warm-up and marks.

import uPlot from "uplot";
import { markLetter, type SideMark } from "./mark.ts";
import { colourOf, dashOf, type Palette } from "./palette.ts";

/** Shades the seconds before the window. */
export function drawWarmup(chart: uPlot, palette: Palette): void {
  const { ctx, bbox } = chart;
  const end = Math.min(chart.valToPos(0, "x", true), bbox.left + bbox.width);
  if (end <= bbox.left) return;
  ctx.save();
  ctx.fillStyle = palette.band;
  ctx.fillRect(bbox.left, bbox.top, end - bbox.left, bbox.height);
  ctx.fillStyle = palette.muted;
  ctx.font = `${11 * uPlot.pxRatio}px system-ui, sans-serif`;
  ctx.textBaseline = "bottom";
  ctx.textAlign = "left";
  const word = "warm-up";
  const room = end - bbox.left - 8 * uPlot.pxRatio;
  if (ctx.measureText(word).width < room) {
    ctx.fillText(word, bbox.left + 4 * uPlot.pxRatio, bbox.top + bbox.height - 3 * uPlot.pxRatio);
  }
  ctx.restore();
}

/** Draws marks as upright lines, above them their letters where they don't touch each other. */
export function drawMarks(chart: uPlot, marks: readonly SideMark[], palette: Palette): void {
  const { ctx, bbox } = chart;
  const unit = uPlot.pxRatio;
  ctx.save();
  ctx.lineWidth = unit;
  ctx.font = `600 ${11 * unit}px system-ui, sans-serif`;
  ctx.textBaseline = "bottom";
  ctx.textAlign = "center";
  let free = bbox.left;
  for (const mark of marks) {
    const x = Math.round(chart.valToPos(mark.second, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    upright(chart, x, mark, palette);
    if (x < free) continue;
    ctx.fillStyle = palette.ink;
    ctx.fillText(markLetter(mark.kind), x, bbox.top - 2 * unit);
    free = x + 11 * unit;
  }
  ctx.restore();
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
