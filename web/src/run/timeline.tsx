// The charts of one run or two below each other on one time axis.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Range } from "../link.ts";
import type { Data, Detail, Run } from "../record.ts";
import { onTheme } from "../theme.ts";
import { Chart } from "./chart.tsx";
import { Bar, MarkBoxes, TrackBoxes } from "./controls.tsx";
import { clampRange, isOutside, valueExtent, wholeRange } from "./extent.ts";
import { formatSecond } from "./format.ts";
import { greatestCount, latencyExtent } from "./heat.ts";
import { HeatMap } from "./heatmap.tsx";
import { steer } from "./keys.ts";
import { subjects } from "./look.ts";
import { collectMarks, drawnAtFirst, markKinds } from "./mark.ts";
import { cellName, repeatName } from "./names.ts";
import { ask, askAll, openRows, titleOf } from "./opened.ts";
import { heatID } from "./opening.ts";
import { readPalette } from "./palette.ts";
import { type Layout, makeRows, type Row } from "./panel.ts";
import { useAsked } from "./useasked.ts";
import type { View } from "./view.ts";

interface Props {
  data: Data;
  runs: readonly Run[];
  details: readonly Detail[]; // of the runs
  layout: Layout;
  range: Range | null;
  setLayout(layout: Layout): void;
  setRange(range: Range | null): void;
  step(step: -1 | 1): void;
  second(): void;
}

/** Charts, heat map, marks. */
export function Timeline({ data, runs, details, layout, range, setLayout, setRange, step, second }: Props) {
  const whole = useMemo(() => wholeRange(details), [details]);
  const shown = (range && clampRange(range, whole)) ?? whole;
  const readout = useRef<HTMLOutputElement>(null);
  const [quiet, toggleMark] = useMarkToggles(details);
  const palette = usePalette();
  const rows = useMemo(() => withHeat(makeRows(details, layout), details), [details, layout]);
  const [asked, setAsked] = useAsked(runs, layout, rows);
  const open = useMemo(() => openRows(rows, asked), [rows, asked]);
  const all = useMemo(() => collectMarks(details), [details]);
  const marks = useMemo(() => all.filter((mark) => !quiet.has(mark.kind)), [all, quiet]);
  const of = useStable(subjects(data, runs));
  const names = useStable(shortNames(runs));
  const zoom = useCallback(
    (next: Range | null) => setRange(next && clampRange(next, whole)),
    [setRange, whole],
  );
  const point = useCallback((second: number | null) => {
    if (readout.current) readout.current.textContent = second === null ? "" : `at ${formatSecond(second, 0)}`;
  }, []);
  const view: View = { range: shown, palette, subjects: of, marks, names, zoom, point };
  const span = whole[1] - whole[0];
  return (
    <section
      class="timeline"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the cursor of the charts
      tabIndex={0}
      aria-label="Charts over time. Left and right move the cursor, plus and minus zoom, Escape shows the whole run, n and p go to the next and previous run, b shows or hides a second run."
      onKeyDown={(event) => steer(event, { range: shown, zoom, step, second })}
    >
      {range && rows.length > 0 && isOutside(range, whole) && (
        <p class="banner" role="status">
          {formatSecond(range[0], span)} to {formatSecond(range[1], span)} are outside of this run. The charts
          show {formatSecond(whole[0], span)} to {formatSecond(whole[1], span)}.
        </p>
      )}
      <Bar
        two={details.length > 1}
        layout={layout}
        range={shown}
        whole={whole}
        setLayout={setLayout}
        zoom={zoom}
        readout={readout}
      />
      <div class="settings">
        <TrackBoxes
          tracks={rows.map((row) => ({ id: row.id, title: titleOf(row) }))}
          open={open}
          set={(id, wanted) => setAsked(ask(asked, rows, id, wanted))}
          all={() => setAsked(askAll(asked, rows))}
          reset={() => setAsked(new Map())}
        />
        <MarkBoxes marks={all} hidden={quiet} toggle={toggleMark} names={names} range={shown} whole={whole} />
      </div>
      {rows
        .filter((row) => open.has(row.id))
        .map((row) =>
          row.id === heatID ? (
            <HeatRow key={heatID} details={details} unit={data.words.unit} view={view} />
          ) : (
            <ChartRow key={row.panels[0]?.key} row={row} view={view} />
          ),
        )}
    </section>
  );
}

function ChartRow({ row, view }: { row: Row; view: View }) {
  const [from, to] = view.range;
  const extent = useMemo(() => valueExtent(row.panels, [from, to]), [row, from, to]);
  return (
    <div class={`row row-${row.panels.length}`}>
      {row.panels.map((panel) => (
        <Chart key={panel.key} panel={panel} extent={extent} view={view} sides={row.panels.length} />
      ))}
    </div>
  );
}

function HeatRow({ details, unit, view }: { details: readonly Detail[]; unit: string; view: View }) {
  const heats = useMemo(() => details.map((detail) => detail.heat), [details]);
  const known = useMemo(() => heats.filter((heat) => heat !== undefined), [heats]);
  const extent = useMemo(() => latencyExtent(known), [known]);
  const most = useMemo(() => greatestCount(known), [known]);
  if (known.length === 0) return null;
  return (
    <div class={`row row-${known.length}`}>
      {heats.map(
        (heat, side) =>
          heat && (
            <HeatMap
              key={view.names[side]}
              heat={heat}
              side={side}
              name={details.length > 1 ? (view.names[side] ?? "") : ""}
              most={most}
              unit={unit}
              extent={extent}
              view={view}
            />
          ),
      )}
    </div>
  );
}

// The heat map is below the percentiles; it has no panels, being drawn differently.
function withHeat(rows: readonly Row[], details: readonly Detail[]): Row[] {
  if (!details.some((detail) => detail.heat)) return [...rows];
  const heat: Row = { id: heatID, track: heatID, series: null, panels: [] };
  const after = rows.findLastIndex((row) => row.track === "latency");
  return after < 0 ? [...rows, heat] : rows.toSpliced(after + 1, 0, heat);
}

// Names that distinguish two runs: the environment, the repeat or the cell.
function shortNames(runs: readonly Run[]): string[] {
  if (runs.length < 2) return runs.map(repeatName);
  const names = [(run: Run) => run.environment, repeatName, cellName];
  const distinguishes = (name: (run: Run) => string) => new Set(runs.map(name)).size === runs.length;
  return runs.map(names.find(distinguishes) ?? ((run) => run.path));
}

function useToggles(): [ReadonlySet<string>, (id: string) => void] {
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((id: string) => {
    setOff((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  }, []);
  return [off, toggle];
}

// Kinds with very many marks are hidden by default; a reader's toggle inverts that.
function useMarkToggles(details: readonly Detail[]): [ReadonlySet<string>, (kind: string) => void] {
  const [turned, toggle] = useToggles();
  const off = useMemo(() => {
    const kinds = markKinds(collectMarks(details));
    return new Set(
      kinds.filter(([kind, n]) => turned.has(kind) === drawnAtFirst(kind, n)).map(([kind]) => kind),
    );
  }, [details, turned]);
  return [off, toggle];
}

// Keeps the object while its content is equal: newer data of a running experiment must not
// recreate all charts.
function useStable<T>(value: T): T {
  const last = useRef(value);
  if (JSON.stringify(last.current) !== JSON.stringify(value)) last.current = value;
  return last.current;
}

function usePalette() {
  const [palette, setPalette] = useState(readPalette);
  useEffect(() => onTheme(() => setPalette(readPalette())), []);
  return palette;
}
