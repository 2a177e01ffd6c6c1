// The heat map: how many transactions had which latency, second by second.

import { useCallback, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type uPlot from "uplot";
import type { Range } from "../link.ts";
import type { Heat } from "../record.ts";
import { drawMarks, drawWarmup } from "./backdrop.ts";
import { Canvas } from "./canvas.tsx";
import { drawHeat, heatPlot, heatText, paintHeat } from "./heat.ts";
import type { Palette } from "./palette.ts";
import type { Size } from "./plot.ts";
import { countPlace, rampColour } from "./ramp.ts";
import type { View } from "./view.ts";

interface Props {
  heat: Heat;
  side: number;
  name: string; // of the run, if there are two
  most: number; // the greatest count, of both runs if there are two
  unit: string; // of the counts: "transaction"
  extent: Range; // of latencies, ns
  view: View;
}

/** A heat map on the time axis of the charts. */
export function HeatMap({ heat, side, name, most, unit, extent, view }: Props) {
  const said = useRef<HTMLOutputElement>(null);
  const now = useRef({ view, extent });
  now.current = { view, extent };
  const { palette } = view;
  const painted = useMemo(() => paintHeat(heat, most, palette), [heat, most, palette]);

  const make = useCallback(
    (size: Size) =>
      heatPlot(heat, palette, size, {
        range: () => now.current.view.range,
        extent: () => now.current.extent,
        zoom: (range) => now.current.view.zoom(range),
        cursor: (chart) => {
          const text = cursorText(chart, heat);
          if (said.current) said.current.textContent = text;
        },
        drawBelow: (chart) => drawWarmup(chart, palette),
        drawAbove: (chart) => {
          drawHeat(chart, heat, painted);
          const marks = now.current.view.marks.filter((mark) => mark.side === side);
          drawMarks(chart, marks, palette);
        },
      }),
    [heat, palette, painted, side],
  );
  return (
    <div class="track">
      <div class="track-head">
        <h4>
          Latency over time <span class="unit">{name}</span>
        </h4>
        <div class="legend">
          <Ramp most={most} unit={unit} step={heat.step_s} palette={palette} />
          <output ref={said} />
        </div>
      </div>
      <Canvas
        make={make}
        range={view.range}
        extent={extent}
        redraw={view.marks}
        height={200}
        label="Heat map of latency over time; the run's tables below have the percentiles"
      />
    </div>
  );
}

function cursorText(chart: uPlot, heat: Heat): string {
  const { left = -1, top = -1 } = chart.cursor;
  return left < 0 || top < 0 ? "" : heatText(heat, chart.posToVal(left, "x"), chart.posToVal(top, "y"));
}

// The legend of the colours: from one operation to the most.
interface RampProps extends Pick<Props, "most" | "unit"> {
  step: number;
  palette: Palette;
}

function Ramp({ most, unit, step, palette }: RampProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const context = canvas.current?.getContext("2d");
    for (let x = 0; context && x < 96; x++) {
      const count = Math.max(1, most) ** (x / 95);
      context.fillStyle = `rgb(${rampColour(countPlace(count, most), palette.dark ? "dark" : "light")})`;
      context.fillRect(x, 0, 1, 12);
    }
  }, [most, palette]);
  return (
    <span class="ramp">
      1 <canvas class="swatch" width={96} height={12} ref={canvas} /> {most.toLocaleString("en")} {unit}s in{" "}
      {step === 1 ? "a second" : `${step} s`}
    </span>
  );
}
