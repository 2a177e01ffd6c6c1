// The run explorer: choose a run or two, and see them second by second.

import "uplot/dist/uPlot.min.css";
import { render } from "preact";
import { useCallback, useRef } from "preact/hooks";
import { currentLink, type Range } from "../link.ts";
import type { Data, Run } from "../record.ts";
import { stepChoice, toggleSecond } from "./chosen.ts";
import { RunList } from "./list.tsx";
import type { Layout } from "./panel.ts";
import { Shown } from "./shown.tsx";
import { Slot } from "./slot.tsx";
import { useChosen } from "./usechosen.ts";

const waiting = new WeakSet<HTMLElement>();
let newest: Data;

/** Shows the explorer in its place, or updates its data. */
export function showExplorer(place: HTMLElement, data: Data): void {
  newest = data;
  const show = () => render(<Explorer data={newest} />, place);
  if (place.firstChild) show();
  else if (!waiting.has(place)) {
    waiting.add(place);
    whenNear(place, show);
  }
}

// Charts far below are created when the reader comes near, so that the page opens sooner. A
// page whose address names a run needs them at once; on paper only charts of runs that the
// reader chose are wanted.
function whenNear(place: HTMLElement, start: () => void): void {
  const stop = new AbortController();
  const go = () => {
    if (stop.signal.aborted) return;
    stop.abort();
    observer.disconnect();
    start();
  };
  const observer = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && go(), {
    rootMargin: "1000px",
  });
  observer.observe(place);
  window.addEventListener("hashchange", () => currentLink().keys.has("run") && go(), { signal: stop.signal });
  if (currentLink().keys.has("run")) go();
}

function Explorer({ data }: { data: Data }) {
  const place = useRef<HTMLDivElement>(null);
  const { chosen, byReader, problems, choose } = useChosen(data, place);
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
    choose((old) => {
      const next = stepChoice({ ...old, a: old.b, b: null }, data.runs, by).a;
      return { ...old, b: next === old.a ? null : next };
    });
  const second = useCallback(() => choose((old) => toggleSecond(old, data.runs)), [choose, data.runs]);
  const setLayout = useCallback((next: Layout) => choose((old) => ({ ...old, layout: next })), [choose]);
  const setRange = useCallback((next: Range | null) => choose((old) => ({ ...old, range: next })), [choose]);
  if (!a) return <p class="nothing">No run to show yet.</p>;
  return (
    <div class="explorer" ref={place} data-chosen={byReader}>
      {problems.map((problem) => (
        <p key={problem} class="banner" role="status">
          {problem}
        </p>
      ))}
      <h3>Second by second</h3>
      <RunList data={data} a={a} b={b} pick={pick} />
      <Keys />
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
        second={second}
      />
    </div>
  );
}

function Keys() {
  return (
    <p class="keys">
      Keys in the list: <kbd>←</kbd> <kbd>→</kbd> <kbd>Enter</kbd>, <kbd>b</kbd> second run; in the charts:{" "}
      <kbd>←</kbd> <kbd>→</kbd> previous/next second, <kbd>+</kbd> <kbd>−</kbd> zoom, <kbd>n</kbd>{" "}
      <kbd>p</kbd> next/previous run, <kbd>b</kbd> second run
    </p>
  );
}
