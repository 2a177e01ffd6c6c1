// A run in the list: the button that shows it, and the one that shows it as the second.

import type { Data, Run } from "../record.ts";
import { inFile } from "./detail.ts";
import { formatNumber } from "./format.ts";
import { environmentIndex, repeatName } from "./names.ts";
import { Spark } from "./spark.tsx";

interface ItemProps {
  data: Data;
  run: Run;
  top: number;
  chosen: "" | "A" | "B";
  pick(run: Run, as: "a" | "b"): void;
  isStop: boolean;
  onFocus(path: string): void;
}

/** Names a run with its TPS over time. */
export function Item({ data, run, top, chosen, pick, isStop, onFocus }: ItemProps) {
  const away = !data.served && !inFile(data, run.path);
  const title = `${repeatName(run)}, ${run.status}${away ? ", seconds not in this file" : ""}`;
  return (
    <li class={`item item-${run.status}${away ? " item-away" : ""}`}>
      <button
        type="button"
        class="take"
        tabIndex={isStop ? 0 : -1}
        onFocus={() => onFocus(run.path)}
        aria-pressed={chosen !== ""}
        title={`${title}; b: show as the second run`}
        onClick={() => pick(run, "a")}
        onKeyDown={(event) => event.key === "b" && pick(run, "b")}
      >
        <span class="repeat">
          {chosen && <b class="tag">{chosen}</b>} r{run.repeat}
          {run.attempt > 1 && `.${run.attempt}`}
        </span>
        <Spark overview={run.overview} top={top} index={environmentIndex(data, run)} />
        <span class="tps">{run.status === "failed" ? "failed" : formatNumber(run.tps)}</span>
        {run.status === "invalid" && <span class="status status-invalid">invalid</span>}
      </button>
      <button
        type="button"
        class="second"
        tabIndex={-1}
        title="show as the second run (key b)"
        aria-label={`compare with ${run.environment}, ${repeatName(run)}`}
        onClick={() => pick(run, "b")}
      >
        B
      </button>
    </li>
  );
}
