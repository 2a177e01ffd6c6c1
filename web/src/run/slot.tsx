// One of the two shown runs, with links to others.

import type { Data, Run } from "../record.ts";
import { formatLatency, formatNumber } from "./format.ts";
import { cellName, counterparts, environmentIndex, neighbour, repeatName } from "./names.ts";
import { Banner, Status } from "./status.tsx";

interface Props {
  data: Data;
  run: Run;
  name: "A" | "B";
  other: Run | null;
  step(step: -1 | 1): void;
  pick(run: Run): void; // as the second run
  remove?: () => void;
}

/** Names a run with its figures. */
export function Slot({ data, run, name, other, step, pick, remove }: Props) {
  const others = name === "A" ? counterparts(data.runs, run).filter((r) => r !== other) : [];
  return (
    <div class="slot">
      <p class="slot-name">
        <b class="tag">{name}</b> <i class={`key key-${environmentIndex(data, run) % 8}`} />{" "}
        <strong>{run.environment}</strong> <span>{cellName(run)}</span> <span>{repeatName(run)}</span>
      </p>
      <p class="slot-figures">
        <Status run={run} /> <b>{formatNumber(run.tps)}</b> {data.words.rate} <span class="unit">p50</span>{" "}
        {known(run.p50_ns)} <span class="unit">p99</span> {known(run.p99_ns)} <span class="unit">max</span>{" "}
        {known(run.max_ns)}
      </p>
      <p class="slot-moves">
        <button type="button" disabled={!neighbour(data.runs, run, -1)} onClick={() => step(-1)}>
          ← previous
        </button>
        <button type="button" disabled={!neighbour(data.runs, run, 1)} onClick={() => step(1)}>
          next →
        </button>
        {others.map((counterpart) => (
          <button key={counterpart.path} type="button" onClick={() => pick(counterpart)}>
            with {counterpart.environment} of the same block
          </button>
        ))}
        {remove && (
          <button type="button" onClick={remove}>
            remove
          </button>
        )}
      </p>
      <Banner run={run} environment={data.environments.find((e) => e.name === run.environment)} />
    </div>
  );
}

// A latency of zero is unknown: of a failed run, or of an import without percentiles.
function known(ns: number): string {
  return ns > 0 ? formatLatency(ns) : "–";
}
