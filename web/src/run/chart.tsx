// One panel: its title, its legend with the values at the cursor, its chart.

import { useCallback, useMemo, useRef } from "preact/hooks";
import type { Range } from "../link.ts";
import { drawMarks, drawWarmup } from "./backdrop.ts";
import { Canvas } from "./canvas.tsx";
import { formatNumber } from "./format.ts";
import { lookOf } from "./look.ts";
import type { Line, Panel } from "./panel.ts";
import { panelPlot, type Size } from "./plot.ts";
import { placeAt, valueAt } from "./step.ts";
import { Swatch } from "./swatch.tsx";
import type { View } from "./view.ts";

const heights = { plain: 120, tall: 170 };

interface Props {
  panel: Panel;
  extent: Range;
  view: View;
  sides: number; // panels beside each other
}

/** A panel of the time axis. */
export function Chart({ panel, extent, view, sides }: Props) {
  const values = useRef<HTMLUListElement>(null);
  const now = useRef({ extent, view });
  now.current = { extent, view };
  const { palette, subjects } = view;

  const make = useCallback(
    (size: Size) =>
      panelPlot(panel, subjects, palette, size, {
        range: () => now.current.view.range,
        extent: () => now.current.extent,
        zoom: (range) => now.current.view.zoom(range),
        cursor: (chart) => {
          const { left = -1 } = chart.cursor;
          const second = left < 0 ? null : chart.posToVal(left, "x");
          if (values.current) writeValues(values.current, panel, second);
          now.current.view.point(
            second === null ? null : (panel.times[placeAt(panel.times, second)] ?? null),
          );
        },
        drawBelow: (chart) => drawWarmup(chart, palette),
        drawAbove: (chart) => drawMarks(chart, marksOf(now.current.view, panel, sides), palette),
      }),
    [panel, subjects, palette, sides],
  );
  const height = panel.stack || panel.lines.length > 2 ? heights.tall : heights.plain;
  return (
    <div class="track">
      <div class="track-head">
        <h4>
          {panel.title} <span class="unit">{panel.unit}</span>
        </h4>
        <Legend panel={panel} view={view} list={values} sides={sides} />
      </div>
      {panel.lines.length === 0 ? (
        <p class="nothing">This run has no values for this chart.</p>
      ) : (
        <Canvas
          make={make}
          range={view.range}
          extent={extent}
          redraw={view.marks}
          height={height}
          label={`${panel.title} in ${panel.unit} over time`}
        />
      )}
    </div>
  );
}

// In a panel of one run, the marks of the other would mislead.
function marksOf(view: View, panel: Panel, sides: number) {
  if (sides === 1) return view.marks;
  const side = panel.lines[0]?.side;
  return view.marks.filter((mark) => mark.side === side);
}

interface LegendProps {
  panel: Panel;
  view: View;
  sides: number;
  list: { current: HTMLUListElement | null };
}

// Layers are listed from top to bottom.
function Legend({ panel, view, list, sides }: LegendProps) {
  const looks = useMemo(
    () => panel.lines.map((line) => lookOf(panel, line, view.subjects, view.palette)),
    [panel, view.subjects, view.palette],
  );
  const order = panel.lines.map((_, i) => i);
  if (panel.stack) order.reverse();
  const two = sides === 1 && view.names.length > 1;
  return (
    <ul class="legend" ref={list}>
      {order.map((i) => {
        const [line, look] = [panel.lines[i], looks[i]];
        if (!line || !look) return null;
        return (
          <li key={i}>
            <Swatch look={look} />
            <span>{two ? view.names[line.side] : line.name}</span>
            <output data-line={i} />
          </li>
        );
      })}
    </ul>
  );
}

// Bypasses Preact: it runs for each movement of the pointer, in every chart.
function writeValues(list: HTMLUListElement, panel: Panel, second: number | null): void {
  for (const output of list.querySelectorAll<HTMLElement>("output")) {
    const line = panel.lines[Number(output.dataset.line)];
    output.textContent = line && second !== null ? valueText(line, valueAt(panel.times, line, second)) : "";
  }
}

function valueText(line: Line, at: number): string {
  const [value, low, high] = [line.values[at], line.low?.[at], line.high?.[at]];
  const range =
    low != null && high != null && low !== high ? `${formatNumber(low)} to ${formatNumber(high)}` : "";
  if (value == null) return range || "–";
  return range ? `${formatNumber(value)} (${range})` : formatNumber(value);
}
