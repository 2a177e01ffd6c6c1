// The run explorer: choose a run or two, and see them second by second.

import "uplot/dist/uPlot.min.css";
import { render } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { currentLink, type Range, updateLink } from "../link.ts";
import type { Data, Run } from "../record.ts";
import { type Chosen, chosenBy, firstChoice, renewChoice, stepChoice } from "./chosen.ts";
import { type Found, fromOverview, useDetails } from "./detail.ts";
import { RunList } from "./list.tsx";
import type { Layout } from "./panel.ts";
import { Slot } from "./slot.tsx";
import { rangeKey, Timeline } from "./timeline.tsx";

/** Shows the explorer in its place, or gives it newer data. */
export function showExplorer(place: HTMLElement, data: Data): void {
  whenNear(place, () => render(<Explorer data={data} />, place));
}

// Charts far below are made when somebody comes near them: the page opens sooner.
// A page that is printed, or whose address names a run, needs them at once.
function whenNear(place: HTMLElement, start: () => void): void {
  if (place.firstChild || currentLink().keys.has("run")) {
    start();
    return;
  }
  const stop = new AbortController();
  const go = () => {
    stop.abort();
    observer.disconnect();
    start();
  };
  const observer = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && go(), {
    rootMargin: "1000px",
  });
  observer.observe(place);
  window.addEventListener("beforeprint", go, { signal: stop.signal });
  window.addEventListener("hashchange", () => currentLink().keys.has("run") && go(), { signal: stop.signal });
}

function Explorer({ data }: { data: Data }) {
  const place = useRef<HTMLDivElement>(null);
  const [chosen, choose] = useChosen(data, place);
  const { a, b, layout, range } = chosen;
  const pick = useCallback(
    (run: Run, as: "a" | "b") =>
      choose((old) => {
        if (as === "a") return { ...old, a: run, b: old.b === run ? null : old.b };
        return old.a && old.a !== run
          ? { ...old, b: old.b === run ? null : run }
          : { ...old, a: run, b: null };
      }),
    [choose],
  );
  const step = useCallback(
    (by: -1 | 1) => choose((old) => stepChoice(old, data.runs, by)),
    [choose, data.runs],
  );
  const stepB = (by: -1 | 1) =>
    choose((old) => ({ ...old, b: stepChoice({ ...old, a: old.b, b: null }, data.runs, by).a }));
  const setLayout = useCallback((next: Layout) => choose((old) => ({ ...old, layout: next })), [choose]);
  const setRange = useCallback((next: Range | null) => choose((old) => ({ ...old, range: next })), [choose]);
  if (!a) return <p class="nothing">There is no run to show yet.</p>;
  return (
    <div class="explorer" ref={place}>
      <h3>Second by second</h3>
      <RunList data={data} a={a} b={b} pick={pick} />
      <div class="slots">
        <Slot data={data} run={a} name="A" other={b} step={step} pick={(run) => pick(run, "b")} />
        {b && (
          <Slot
            data={data}
            run={b}
            name="B"
            other={a}
            step={stepB}
            pick={() => undefined}
            remove={() => choose((old) => ({ ...old, b: null }))}
          />
        )}
      </div>
      <Shown
        data={data}
        a={a}
        b={b}
        layout={layout}
        range={range}
        setLayout={setLayout}
        setRange={setRange}
        step={step}
      />
    </div>
  );
}

interface ShownProps extends Chosen {
  data: Data;
  a: Run;
  setLayout(layout: Layout): void;
  setRange(range: Range | null): void;
  step(step: -1 | 1): void;
}

function Shown({ data, a, b, layout, range, setLayout, setRange, step }: ShownProps) {
  const runs = useMemo(() => (b ? [a, b] : [a]), [a, b]);
  const found = useDetails(data, runs);
  const last = useRef<Found[]>([]);
  const waiting = found.some((f) => f.state === "loading");
  if (!waiting) last.current = found;
  const ready = found.map((f, i) =>
    f.state === "ready" ? f.detail : f.state === "loading" ? null : fallback(runs, i),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is new each time, what is in it is not
  const details = useMemo(() => ready.filter((detail) => detail !== null), ready);
  return (
    <>
      {runs.map((run, i) => (
        <Missing key={run.path} data={data} run={run} found={found[i]} />
      ))}
      {waiting || details.length < runs.length ? (
        <p class="loading" role="status">
          Asking plinth for the seconds of {runs.length > 1 ? "these runs" : "this run"} …
        </p>
      ) : (
        <Timeline
          data={data}
          runs={runs}
          details={details}
          layout={layout}
          range={range}
          setLayout={setLayout}
          setRange={setRange}
          step={step}
        />
      )}
      {details.map((detail, i) => (
        <RunTables
          key={detail.path}
          html={detail.tables}
          name={runs.length > 1 ? runs[i]?.environment : undefined}
        />
      ))}
    </>
  );
}

const fallbacks = new Map<string, ReturnType<typeof fromOverview>>();

function fallback(runs: readonly Run[], i: number) {
  const run = runs[i];
  if (!run) return null;
  const known = fallbacks.get(run.path) ?? fromOverview(run);
  fallbacks.set(run.path, known);
  return known;
}

function Missing({ data, run, found }: { data: Data; run: Run; found: Found | undefined }) {
  if (found?.state === "failed") {
    return (
      <p class="banner">
        The seconds of {run.path} can't be shown: {found.why}.
      </p>
    );
  }
  if (found?.state === "ready" && found.detail.missing) {
    return <p class="banner">{found.detail.missing}</p>;
  }
  if (found?.state !== "absent") return null;
  const { included_runs, of_runs } = data.room;
  return (
    <p class="banner">
      The seconds of {included_runs} of {of_runs} runs are in this file, and {run.path} is not among them: its
      TPS is shown thinned. To see all of it, run <code>plinth serve</code> where the record is.
    </p>
  );
}

// plinth made this HTML and escaped what came from elsewhere.
function RunTables({ html, name }: { html: string; name: string | undefined }) {
  if (!html) return null;
  return (
    <details class="run-tables" open>
      <summary>The run in numbers{name ? `: ${name}` : ""}</summary>
      <div dangerouslySetInnerHTML={{ __html: html }} />
    </details>
  );
}

type Change = (old: Chosen) => Chosen;

// The address follows what is chosen, and what is chosen follows the address.
function useChosen(data: Data, place: { current: HTMLElement | null }): [Chosen, (change: Change) => void] {
  const [chosen, setChosen] = useState(() => chosenBy(currentLink(), data.runs) ?? firstChoice(data));
  const latest = useRef(chosen);
  latest.current = chosen.a && data.runs.includes(chosen.a) ? chosen : renewed(chosen, data);
  const choose = useCallback((change: Change) => {
    const next = change(latest.current);
    latest.current = next;
    setChosen(next);
    updateLink({
      run: next.a?.path ?? null,
      with: next.b?.path ?? null,
      layout: next.b ? next.layout : null,
      t: rangeKey(next.range),
    });
  }, []);
  useEffect(() => {
    const follow = () => {
      const next = chosenBy(currentLink(), data.runs);
      if (!next) return;
      setChosen(next);
      place.current?.scrollIntoView({ block: "start" });
    };
    if (currentLink().keys.has("run")) place.current?.scrollIntoView({ block: "start" });
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, [data.runs, place]);
  return [latest.current, choose];
}

function renewed(chosen: Chosen, data: Data): Chosen {
  const next = renewChoice(chosen, data.runs);
  return next.a ? next : firstChoice(data);
}
