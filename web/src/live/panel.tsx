// The live panel: the progress of the experiment, and the run in progress.

import { useMemo, useState } from "preact/hooks";
import type { Live } from "../record.ts";
import { Chart } from "./chart.tsx";
import { leftNow, leftText } from "./left.ts";
import { columns, type Gathered, last } from "./points.ts";
import { cellText, countsText, endText, percent, runText, share, stepText } from "./progress.ts";
import type { Connection } from "./stream.ts";

/** All that the panel shows. */
export interface View {
  live?: Live;
  /** When live was received, in ms: the remaining time counts down from then. */
  came: number;
  /** Number of planned runs; 0 if not yet known. */
  planned: number;
  connection: Connection;
  deleted: boolean;
  gathered: Gathered;
  /** The environments of the experiment, in its order, for their colours. */
  environments: readonly string[];
  /** The unit of throughput: "transaction". */
  unit: string;
}

export function Panel({ view }: { view: View }) {
  const { live } = view;
  return (
    <section class="live" aria-label="Progress">
      <p class="live-state" role="status">
        {stateText(view)}
      </p>
      <Progress view={view} />
      <Facts live={live} />
      <Charts gathered={view.gathered} environments={view.environments} unit={view.unit} />
    </section>
  );
}

/** The state for screen readers, announced on each change. It omits runs, which change too often. */
function stateText({ live, connection, deleted }: View): string {
  if (deleted) return "This record was deleted. The page shows its last known state.";
  if (live && live.state !== "running") return endText(live);
  if (connection === "lost") return "plinth serve does not answer; retrying";
  return connection === "open" ? "running" : "connecting";
}

// Before the first event all elements exist but are empty, so that the layout does not move.
function Progress({ view: { live, came, planned } }: { view: View }) {
  const running = live?.state === "running";
  const left = running ? leftText(leftNow(live.left_s, came, Date.now())) : "";
  return (
    <>
      <div class="live-progress">
        <progress aria-label="Runs" max={1} value={live ? share(live, planned) : 0} />
        <span class="live-percent">{live ? `${percent(live, planned)} %` : ""}</span>
      </div>
      <p class="live-line">
        <b>{live && runText(live, planned)}</b>
        <span>{left}</span>
        <span>{live && stepText(live)}</span>
      </p>
    </>
  );
}

function Facts({ live }: { live: Live | undefined }) {
  return (
    <dl class="live-facts">
      <Fact name="Cell" text={live && cellText(live)} />
      <Fact name="Runs so far" text={live && countsText(live)} />
      <Fact name="Sequential test" text={live?.look} />
    </dl>
  );
}

const Fact = ({ name, text }: { name: string; text: string | undefined }) => (
  <div>
    <dt>{name}</dt>
    <dd>{text || "–"}</dd>
  </div>
);

const spans = [
  { text: "last 120 s", seconds: 120 },
  { text: "whole run", seconds: Number.POSITIVE_INFINITY },
];

function Charts({ gathered, environments, unit }: Pick<View, "gathered" | "environments" | "unit">) {
  const [span, setSpan] = useState(120);
  const [seconds, tps, latency] = useMemo(() => columns(last(gathered.points, span)), [gathered, span]);
  const now = gathered.points.at(-1);
  const series = Math.max(0, environments.indexOf(gathered.path.split("/")[0] ?? ""));
  return (
    <>
      <fieldset class="live-span">
        <legend>{gathered.path || "No run yet"}</legend>
        {spans.map((one) => (
          <label key={one.text}>
            <input
              type="radio"
              name="live-span"
              checked={span === one.seconds}
              onChange={() => setSpan(one.seconds)}
            />
            {one.text}
          </label>
        ))}
      </fieldset>
      <div class="live-charts">
        <Chart
          title="Throughput"
          unit={`${unit}s/s`}
          value={digits(now?.tps)}
          {...{ seconds, values: tps, series }}
        />
        <Chart
          title="Latency"
          unit="ms"
          value={digits(now?.latency_ms)}
          {...{ seconds, values: latency, series }}
        />
      </div>
    </>
  );
}

/** A value of one second justifies three digits. */
function digits(value: number | undefined): string {
  if (value === undefined) return "–";
  return value.toLocaleString(
    "en",
    value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 },
  );
}
