// The charts and tables of the chosen runs, or why they are missing.

import { useMemo, useRef } from "preact/hooks";
import type { Range } from "../link.ts";
import type { Data, Detail, Run } from "../record.ts";
import type { Chosen } from "./chosen.ts";
import { type Found, fromOverview, useDetails } from "./detail.ts";
import { explainFailure } from "./failure.ts";
import type { Layout } from "./panel.ts";
import { Timeline } from "./timeline.tsx";

interface ShownProps extends Chosen {
  data: Data;
  a: Run;
  setLayout(layout: Layout): void;
  setRange(range: Range | null): void;
  step(step: -1 | 1): void;
  second(): void;
}

/** The charts and tables of the chosen runs. */
export function Shown({ data, a, b, ...rest }: ShownProps) {
  const runs = useMemo(() => (b ? [a, b] : [a]), [a, b]);
  const found = useDetails(data, runs);
  const known = found.map((f, i) => detailOf(f, runs[i], data.words.rate));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is new each time, its elements are not
  const details = useMemo(() => known.filter((detail) => detail !== null), known);
  const ready = details.length === runs.length;
  // The previous runs stay until the next are loaded, so that nothing moves.
  const last = useRef<{ runs: Run[]; details: Detail[] } | null>(null);
  if (ready) last.current = { runs, details };
  const now = last.current;
  return (
    <>
      {runs.map((run, i) => (
        <Missing key={run.path} data={data} run={run} found={found[i]} />
      ))}
      <p class="announce" role="status">
        {ready ? "" : "loading"}
      </p>
      {now ? (
        <div class={ready ? "shown" : "shown waiting"} aria-busy={!ready}>
          <Timeline data={data} runs={now.runs} details={now.details} {...rest} />
          {now.details.map((detail, i) => (
            <Spent
              key={i}
              html={detail.spent}
              name={now.runs.length > 1 ? now.runs[i]?.environment : undefined}
            />
          ))}
          {now.details.map((detail, i) => (
            <RunTables
              key={i}
              html={detail.tables}
              name={now.runs.length > 1 ? now.runs[i]?.environment : undefined}
            />
          ))}
        </div>
      ) : (
        <p class="loading">Loading the seconds of {runs.length > 1 ? "these runs" : "this run"} …</p>
      )}
    </>
  );
}

// Null while it is loading.
function detailOf(found: Found, run: Run | undefined, rate: string): Detail | null {
  if (found.state === "ready") return found.detail;
  return found.state === "loading" || !run ? null : fallback(run, rate);
}

const fallbacks = new Map<string, Detail>();

// The same object for the same run, so that its charts are not recreated.
function fallback(run: Run, rate: string): Detail {
  const known = fallbacks.get(run.path) ?? fromOverview(run, rate);
  fallbacks.set(run.path, known);
  return known;
}

function Missing({ data, run, found }: { data: Data; run: Run; found: Found | undefined }) {
  if (found?.state === "failed") {
    return <p class="banner">{explainFailure(run.path, found.why)}</p>;
  }
  if (found?.state === "ready" && found.detail.missing) {
    return <p class="banner">{found.detail.missing}</p>;
  }
  if (found?.state !== "absent") return null;
  const { included_runs, of_runs } = data.room;
  return (
    <p class="banner">
      This file contains the seconds of {included_runs} of {of_runs} runs, but not of {run.path}: its{" "}
      {data.words.rate} is shown downsampled. To see all seconds, run <code>plinth serve</code> on the
      record's store.
    </p>
  );
}

// Where the time of a run went: plinth made this HTML and escaped untrusted text.
function Spent({ html, name }: { html: string; name: string | undefined }) {
  if (!html) return null;
  return (
    <section class="spent">
      <h3>Where the time went{name ? `: ${name}` : ""}</h3>
      <div dangerouslySetInnerHTML={{ __html: html }} />
    </section>
  );
}

// plinth made this HTML and escaped untrusted text.
function RunTables({ html, name }: { html: string; name: string | undefined }) {
  if (!html) return null;
  return (
    <details class="run-tables">
      <summary>Tables of the run{name ? `: ${name}` : ""}</summary>
      <div dangerouslySetInnerHTML={{ __html: html }} />
    </details>
  );
}
