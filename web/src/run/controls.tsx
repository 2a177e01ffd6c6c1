// Controls of all charts: layout, range, tracks and marks.

import type { Range } from "../link.ts";
import { formatSecond, formatTenth } from "./format.ts";
import { markKinds, markLetter, markName, marksWithin, type SideMark } from "./mark.ts";
import type { Layout } from "./panel.ts";

interface BarProps {
  two: boolean;
  layout: Layout;
  range: Range;
  whole: Range;
  setLayout(layout: Layout): void;
  zoom(range: Range | null): void;
  readout: { current: HTMLOutputElement | null };
}

/** The bar that stays visible above the charts. */
export function Bar({ two, layout, range, whole, setLayout, zoom, readout }: BarProps) {
  const all = range[0] <= whole[0] && range[1] >= whole[1];
  const span = range[1] - range[0];
  const scaled = (factor: number): Range => {
    const middle = (range[0] + range[1]) / 2;
    return [middle - (span * factor) / 2, middle + (span * factor) / 2];
  };
  return (
    <div class="bar">
      {two && (
        <fieldset class="toggle">
          <legend>Two runs</legend>
          {(["over", "beside"] as const).map((kind) => (
            <button key={kind} type="button" aria-pressed={layout === kind} onClick={() => setLayout(kind)}>
              {kind === "over" ? "overlaid" : "side by side"}
            </button>
          ))}
        </fieldset>
      )}
      <fieldset class="toggle">
        <legend>Range</legend>
        <button type="button" aria-label="zoom in" disabled={span <= 2} onClick={() => zoom(scaled(0.5))}>
          +
        </button>
        <button type="button" aria-label="zoom out" disabled={all} onClick={() => zoom(scaled(2))}>
          −
        </button>
        <button type="button" disabled={all} onClick={() => zoom(null)}>
          whole run
        </button>
      </fieldset>
      <span class="range">
        {formatTenth(range[0], span)} to {formatTenth(range[1], span)}
      </span>
      <output class="readout" ref={readout} />
    </div>
  );
}

interface TracksProps {
  tracks: readonly { id: string; title: string }[];
  open: ReadonlySet<string>;
  set(id: string, open: boolean): void;
  all(): void;
  reset(): void; // to the default
}

/** Check boxes that show and hide tracks. */
export function TrackBoxes({ tracks, open, set, all, reset }: TracksProps) {
  return (
    <details class="boxes">
      <summary>
        Tracks ({open.size} of {tracks.length})
      </summary>
      {tracks.map(({ id, title }) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={open.has(id)}
            onChange={(event) => set(id, event.currentTarget.checked)}
          />{" "}
          {title}
        </label>
      ))}
      <p class="boxes-all">
        <button type="button" onClick={all}>
          all
        </button>{" "}
        <button type="button" onClick={reset}>
          default
        </button>
      </p>
    </details>
  );
}

interface MarksProps {
  marks: readonly SideMark[];
  hidden: ReadonlySet<string>;
  toggle(kind: string): void;
  names: readonly string[];
  range: Range; // shown in the charts
  whole: Range;
}

/** The meaning of the letters, check boxes that hide marks, and the list of visible marks. */
export function MarkBoxes({ marks, hidden, toggle, names, range, whole }: MarksProps) {
  const inside = marksWithin(marks, range);
  if (marks.length === 0) return null;
  return (
    <details class="boxes">
      <summary>
        Marks (
        {markKinds(marks)
          .map(([kind, count]) => `${markLetter(kind)} ${markName(kind)}: ${count}`)
          .join(", ")}
        )
      </summary>
      {markKinds(marks).map(([kind, count]) => (
        <label key={kind}>
          <input type="checkbox" checked={!hidden.has(kind)} onChange={() => toggle(kind)} />{" "}
          <b>{markLetter(kind)}</b> {markName(kind)} ({count})
        </label>
      ))}
      {inside.length < marks.length && (
        <p class="marks-inside">
          {inside.length} of {marks.length} are between {formatTenth(range[0], range[1] - range[0])} and{" "}
          {formatTenth(range[1], range[1] - range[0])}, which the charts show.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="scroll marks" tabIndex={0} aria-label="Marks">
        <table>
          <thead>
            <tr>
              <th class="n">Second</th>
              {names.length > 1 && <th>Run</th>}
              <th>Mark</th>
              <th>Description</th>
            </tr>
          </thead>
          <tbody>
            {inside.map((mark, i) => (
              <tr key={i}>
                <td class="n">{formatSecond(mark.second, whole[1] - whole[0])}</td>
                {names.length > 1 && <td>{names[mark.side]}</td>}
                <td>
                  <b>{markLetter(mark.kind)}</b> {markName(mark.kind)}
                </td>
                <td>{mark.text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
