// The chart of one quantity of the run in progress, second by second.

import { useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { closeSteps, lonePoints, stepPaths } from "../run/step.ts";
import { onTheme } from "../theme.ts";

interface ChartProps {
  title: string;
  unit: string;
  /** The current value as text, also for screen readers. */
  value: string;
  seconds: number[]; // start times
  values: (number | null)[];
  /** The index of the environment, which determines the colour. */
  series: number;
}

const height = 150;

/** Seconds from one point to the next. */
const step = 1;

/** Minimum range of a chart, in seconds: labels of a shorter one would be fractions. */
const shortest = 10;

/** Steps over the seconds since the load began. */
export function Chart(props: ChartProps) {
  const { title, unit, value, seconds, values, series } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<Drawn | null>(null);

  // Layout effects, because an effect after the paint would cost a second frame.
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const drawn = new Drawn(box.current, series);
    plot.current = drawn;
    return () => drawn.release();
  }, [series]);

  // After each rendering of the panel, which happens only when there is news.
  useLayoutEffect(() => plot.current?.show(seconds, values));

  return (
    <figure class="live-chart">
      <figcaption>
        {title} <b class="live-value">{value}</b> <span class="live-unit">{unit}</span>
      </figcaption>
      <div class="live-plot" ref={box} aria-hidden="true" />
    </figure>
  );
}

/** A plot in an element that follows its width and the theme. */
class Drawn {
  #element: HTMLElement;
  #series: number;
  #plot: uPlot;
  #seconds: number[] = [];
  #data: uPlot.AlignedData = [[], []];
  #watch = new ResizeObserver(() => this.#plot.setSize({ width: this.#element.clientWidth, height }));
  #forget = onTheme(() => this.#redraw());

  constructor(element: HTMLElement, series: number) {
    this.#element = element;
    this.#series = series;
    this.#plot = new uPlot(options(element, series), this.#data, element);
    this.#watch.observe(element);
  }

  show(seconds: number[], values: (number | null)[]): void {
    if (seconds === this.#seconds) return;
    this.#seconds = seconds;
    const { times, columns } = closeSteps(seconds, [{ values, step }]);
    this.#data = [times, ...columns];
    this.#plot.setData(this.#data);
  }

  release(): void {
    this.#watch.disconnect();
    this.#forget();
    this.#plot.destroy();
  }

  #redraw(): void {
    this.#plot.destroy();
    this.#plot = new uPlot(options(this.#element, this.#series), this.#data, this.#element);
  }
}

function options(element: HTMLElement, series: number): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const stroke = colour(`--series-${series % 8}`);
  const font = `12px ${style.fontFamily}`;
  const axis = {
    stroke: colour("--muted"),
    grid: { stroke: colour("--grid"), width: 1 },
    ticks: { show: false },
    font,
  };
  return {
    width: element.clientWidth,
    height,
    cursor: { show: false },
    legend: { show: false },
    scales: {
      x: { time: false, range: (_, min, max) => [min, Math.max(max, min + shortest)] },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    axes: [
      { ...axis, size: 28, values: (_, ticks) => ticks.map((tick) => `${tick} s`) },
      { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => tick.toLocaleString("en")) },
    ],
    series: [{}, { stroke, width: 1.5, paths: stepPaths(step), points: lonePoints(step, stroke) }],
  };
}
