// A run second by second: from the file, or asked for of plinth serve.

import { useEffect, useState } from "preact/hooks";
import type { Data, Detail, Run } from "../record.ts";

/** What is known of a run's seconds. */
export type Found =
  | { state: "ready"; detail: Detail }
  | { state: "loading" }
  | { state: "absent" } // not in the file, and there is no server to ask
  | { state: "failed"; why: string };

const fetched = new Map<string, Promise<Detail>>();

/** The details of runs, asked for where needed; in the order of the runs. */
export function useDetails(data: Data, runs: readonly Run[]): Found[] {
  const [answers, setAnswers] = useState<ReadonlyMap<string, Found>>(new Map());
  const paths = runs.map((run) => run.path).join("\n");
  useEffect(() => {
    let gone = false;
    const tell = (path: string, found: Found) => {
      if (!gone) setAnswers((before) => new Map(before).set(path, found));
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

/** The run's seconds, where they are in the page itself. */
export function inFile(data: Data, path: string): Detail | undefined {
  return data.details.find((detail) => detail.path === path);
}

/** What can be drawn of a run without its details: its thinned TPS. */
export function fromOverview(run: Run): Detail {
  const { low, high, step_s } = run.overview ?? { low: [], high: [], step_s: 1 };
  const values = low.map((value, i) => (value === high[i] ? value : null));
  const series = [{ name: "TPS", column: "tps", values, low, high }];
  const track = { id: "tps", title: "TPS (thinned)", unit: "1/s", stack: false, log: false, series };
  return { path: run.path, start_s: 0, step_s, tracks: low.length ? [track] : [], marks: [], tables: "" };
}

// A failure is not remembered, so that choosing the run again asks again.
function request(record: string, path: string): Promise<Detail> {
  const known = fetched.get(path);
  if (known) return known;
  const asked = load(record, path);
  fetched.set(path, asked);
  asked.catch(() => fetched.delete(path));
  return asked;
}

async function load(record: string, path: string): Promise<Detail> {
  const query = new URLSearchParams({ path });
  const answer = await fetch(`/api/record/${encodeURIComponent(record)}/run?${query}`);
  if (!answer.ok) throw new Error(`plinth serve answered ${answer.status} ${answer.statusText}`);
  return (await answer.json()) as Detail;
}
