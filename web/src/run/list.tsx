// All runs to choose from, by cell and environment.

import { memo } from "preact/compat";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Data, Run } from "../record.ts";
import { Item } from "./item.tsx";
import { filterRuns, type Group, groupRuns } from "./names.ts";

interface Props {
  data: Data;
  a: Run | null;
  b: Run | null;
  pick(run: Run, as: "a" | "b"): void;
}

/** The list with its filter: one Tab stop. Arrow keys move in it, Enter chooses a run as A, b as B. */
export function RunList({ data, a, b, pick }: Props) {
  const [filter, setFilter] = useState("");
  const [last, setLast] = useState<string | null>(null); // the run that had the focus
  const list = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => groupRuns(data, filterRuns(data.runs, filter)), [data, filter]);
  const tops = useMemo(() => cellTops(groupRuns(data, data.runs)), [data]);
  const shown = groups.reduce((sum, group) => sum + group.runs.length, 0);
  const path = a?.path;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path decides which button is pressed
  useEffect(() => {
    keepInSight(list.current);
    setLast(null);
  }, [path]);
  const stop = tabStop(groups, [last, path]);
  return (
    <div class="run-list">
      <p class="run-filter">
        <label>
          Filter{" "}
          <input
            type="search"
            value={filter}
            placeholder="cell, environment, r3, invalid"
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>{" "}
        <span aria-live="polite">
          {shown} of {data.runs.length} runs
        </span>
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it have the focus; this only moves it */}
      <div class="groups" ref={list} onKeyDown={(event) => moveFocus(event, list.current)}>
        {groups.map((group) => (
          <RunGroup
            key={group.key}
            data={data}
            group={group}
            top={tops.get(group.cell) ?? 0}
            a={group.runs.find((run) => run === a) ?? null}
            b={group.runs.find((run) => run === b) ?? null}
            pick={pick}
            stop={group.runs.some((run) => run.path === stop) ? stop : null}
            onFocus={setLast}
          />
        ))}
        {groups.length === 0 && <p class="nothing">No run matches.</p>}
      </div>
    </div>
  );
}

interface GroupProps extends Props {
  group: Group;
  top: number;
  stop: string | null; // the path of the run at the Tab stop, if in this group
  onFocus(path: string): void;
}

const RunGroup = memo(function RunGroup({ data, group, top, a, b, pick, stop, onFocus }: GroupProps) {
  const index = data.environments.findIndex((e) => e.name === group.environment);
  return (
    <fieldset class="group">
      <legend>
        <i class={`key key-${Math.max(0, index) % 8}`} /> {group.environment} <span>{group.cell}</span>
      </legend>
      <ul>
        {group.runs.map((run) => (
          <Item
            key={run.path}
            data={data}
            run={run}
            top={top}
            chosen={tagOf(run, a, b)}
            pick={pick}
            isStop={run.path === stop}
            onFocus={onFocus}
          />
        ))}
      </ul>
    </fieldset>
  );
});

// Returns the first wanted run in the list, or else the list's first.
function tabStop(groups: readonly Group[], wanted: readonly (string | null | undefined)[]): string | null {
  const paths = groups.flatMap((group) => group.runs.map((run) => run.path));
  return wanted.find((path) => path && paths.includes(path)) ?? paths[0] ?? null;
}

function tagOf(run: Run, a: Run | null, b: Run | null): "" | "A" | "B" {
  if (run === a) return "A";
  return run === b ? "B" : "";
}

// One scale for a cell, so that the sparklines of its runs can be compared.
function cellTops(groups: readonly Group[]): Map<string, number> {
  const tops = new Map<string, number>();
  for (const { cell, runs } of groups) {
    for (const run of runs) {
      for (const value of run.overview?.high ?? []) tops.set(cell, Math.max(tops.get(cell) ?? 0, value ?? 0));
    }
  }
  return tops;
}

// Scrolls the list, but not the page as scrollIntoView would: to the head of the group, which
// names the run, or to the run itself if it is far below.
function keepInSight(list: HTMLElement | null): void {
  const item = list?.querySelector<HTMLElement>("button[aria-pressed='true']");
  if (!list || !item) return;
  const [inner, outer] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
  const head = item.closest(".group")?.getBoundingClientRect() ?? inner;
  const fits = inner.bottom - head.top <= list.clientHeight - 16;
  list.scrollTop += fits ? head.top - outer.top - 4 : inner.top - outer.top - list.clientHeight / 3;
}

function moveFocus(event: KeyboardEvent, list: HTMLElement | null): void {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  const step = steps[event.key];
  if (step === undefined || !list) return;
  const items = [...list.querySelectorAll<HTMLButtonElement>("button.take")];
  const at = items.indexOf(document.activeElement as HTMLButtonElement);
  const next = items[at + step];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}
