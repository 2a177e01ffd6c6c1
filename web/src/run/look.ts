// The look of lines and layers, in charts and legends.

import type { Data, Run } from "../record.ts";
import { environmentIndex } from "./names.ts";
import { brokenDash, colourOf, dashOf, layerFill, type Palette, unmeasuredDash } from "./palette.ts";
import type { Line, Panel } from "./panel.ts";

/** How a line is drawn. */
export interface Look {
  stroke: string;
  fill: CanvasPattern | string | null; // of layers
  dash: number[];
  width: number;
  cap: CanvasLineCap;
}

/** The properties of a run for charts. */
export interface Subject {
  environment: number; // its index in the experiment
  broken: boolean; // invalid or failed
  measured: boolean; // not emulated or predicted
  again: boolean; // the second run of the same environment, with a different look
}

const nobody: Subject = { environment: 0, broken: false, measured: true, again: false };

/** Returns the properties of the shown runs. */
export function subjects(data: Data, runs: readonly Run[]): Subject[] {
  return runs.map((run, i) => ({
    environment: environmentIndex(data, run),
    broken: run.status !== "valid",
    measured: data.environments[environmentIndex(data, run)]?.basis === "measured",
    again: i > 0 && run.environment === runs[0]?.environment,
  }));
}

/** Returns the look of a panel's line. */
export function lookOf(panel: Panel, line: Line, of: readonly Subject[], palette: Palette): Look {
  const subject = of[line.side] ?? nobody;
  if (panel.stack) {
    const stroke = colourOf(palette.layers, line.layer);
    return { stroke, fill: layerFill(palette, line.layer), dash: [], width: 1, cap: "butt" };
  }
  const own = panel.lines.filter((other) => other.side === line.side).length === 1;
  const look = own ? environmentLook(subject, palette) : partLook(line, palette);
  if (subject.broken) return { ...look, dash: brokenDash };
  return subject.measured ? look : { ...look, dash: unmeasuredDash, cap: "round", width: 2 };
}

function environmentLook({ environment, again }: Subject, palette: Palette): Look {
  const stroke = again ? palette.ink : colourOf(palette.series, environment);
  return { stroke, fill: null, dash: dashOf(environment + (again ? 1 : 0)), width: 1.5, cap: "butt" };
}

// The parts of one run (p50, p99) have other colours than environments.
function partLook({ layer }: Line, palette: Palette): Look {
  return {
    stroke: colourOf(palette.layers, layer),
    fill: null,
    dash: dashOf(layer),
    width: 1.5,
    cap: "butt",
  };
}
