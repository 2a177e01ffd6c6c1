// A uPlot chart as a component: recreated when its content changes, only redrawn when the range
// does.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Range } from "../link.ts";
import type { Size } from "./plot.ts";

/** Makes options and data for a size. */
export type MakePlot = (size: Size) => { options: uPlot.Options; data: uPlot.AlignedData };

interface Props {
  make: MakePlot; // a new function creates a new chart
  range: Range;
  extent: Range;
  redraw: unknown; // anything else that is drawn: a change redraws
  height: number;
  label: string; // for screen readers
}

/** A chart as wide as its container. */
export function Canvas({ make, range, extent, redraw, height, label }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);

  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const size = () => ({ width: Math.max(200, element.clientWidth), height });
    const { options, data } = make(size());
    const made = new uPlot(options, data, element);
    chart.current = made;
    const observer = new ResizeObserver(() => {
      if (size().width !== made.width) made.setSize(size());
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [make, height]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the chart asks for range, extent and the rest itself
  useEffect(() => {
    const made = chart.current;
    made?.batch(() => {
      made.setScale("x", { min: range[0], max: range[1] });
      made.setScale("y", { min: extent[0], max: extent[1] });
    });
    made?.redraw(false);
  }, [range[0], range[1], extent[0], extent[1], redraw]);

  return <div class="canvas" ref={place} style={{ height: `${height}px` }} role="img" aria-label={label} />;
}
