// A run second by second: from the file, or requested from plinth serve.

import { useEffect, useState } from "preact/hooks";
import type { Data, Detail, Run } from "../record.ts";

/** The state of a run's seconds. */
export type Found =
  | { state: "ready"; detail: Detail }
  | { state: "loading" }
  | { state: "absent" } // not in the file, and there is no server to ask
  | { state: "failed"; why: string };

/** Number of cached runs: enough to go back to; a reader may step through hundreds. */
const kept = 20;

let fetched: ReadonlyMap<string, Promise<Detail>> = new Map();

/** Returns the details of runs in their order, and requests missing ones. */
export function useDetails(data: Data, runs: readonly Run[]): Found[] {
  const [answers, setAnswers] = useState<ReadonlyMap<string, Found>>(new Map());
  const paths = runs.map((run) => run.path).join("\n");
  useEffect(() => {
    let gone = false;
    const tell = (path: string, found: Found) => {
      if (!gone) setAnswers((before) => remember(before, path, found));
    };
    for (const path of paths.split("\n")) {
      if (!path || !data.served || inFile(data, path)) continue;
      request(data.record, path).then(
        (detail) => tell(path, { state: "ready", detail }),
        (error: unknown) => tell(path, { state: "failed", why: String(error) }),
      );
    }
    return () => {
      gone = true;
    };
  }, [data, paths]);
  return runs.map((run) => {
    const detail = inFile(data, run.path);
    if (detail) return { state: "ready", detail };
    if (data.served) return answers.get(run.path) ?? { state: "loading" };
    return { state: "absent" };
  });
}

/** Returns the run's seconds if the page contains them. */
export function inFile(data: Data, path: string): Detail | undefined {
  return data.details.find((detail) => detail.path === path);
}

/** A run's downsampled throughput, called rate, in place of its details. */
export function fromOverview(run: Run, rate: string): Detail {
  const { low, high, step_s } = run.overview ?? { low: [], high: [], step_s: 1 };
  const values = low.map((value, i) => (value === high[i] ? value : null));
  const series = [{ name: rate, column: "tps", values, low, high }];
  const track = { id: "tps", title: `${rate} (downsampled)`, unit: "1/s", stack: false, log: false, series };
  return {
    path: run.path,
    start_s: 0,
    step_s,
    tracks: low.length ? [track] : [],
    marks: [],
    spent: "",
    tables: "",
  };
}

/**
 * Requests the seconds of a run, unless they are cached. A failure is not cached, so that
 * choosing the run again retries.
 */
export function request(record: string, path: string): Promise<Detail> {
  const known = fetched.get(path);
  const asked = known ?? load(record, path);
  fetched = remember(fetched, path, asked);
  if (!known) asked.catch(() => forget(path, asked));
  return asked;
}

function forget(path: string, asked: Promise<Detail>): void {
  if (fetched.get(path) === asked) fetched = new Map([...fetched].filter(([known]) => known !== path));
}

// The newest is last.
function remember<T>(before: ReadonlyMap<string, T>, path: string, value: T): ReadonlyMap<string, T> {
  const others = [...before].filter(([known]) => known !== path);
  return new Map([...others, [path, value] as const].slice(-kept));
}

async function load(record: string, path: string): Promise<Detail> {
  const query = new URLSearchParams({ path });
  const answer = await fetch(`/api/record/${encodeURIComponent(record)}/run?${query}`);
  if (!answer.ok) throw new Error(`plinth serve responded with ${answer.status} ${answer.statusText}`);
  return (await answer.json()) as Detail;
}
