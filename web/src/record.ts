// Made from the Go types by: go test ./internal/page/typescript -update
// Do not edit it.

/**
 * Data is the input of the page's program, in addition to the tables in the HTML: the JSON in
 * the element "plinth-data". Durations and times are in seconds, latencies in nanoseconds, as
 * in the record.
 */
export interface Data {
  schema: string;
  /** the name of its directory */
  record: string;
  question: string;
  engine: string;
  /** the engine's terms for the operations of its load */
  words: Terms;
  state: State;
  baseline: string;
  /** in the order of the experiment */
  environments: Environment[];
  /** in chronological order */
  runs: Run[];
  /**
   * Telling holds the paths of the runs that illustrate the answer best, the baseline's first.
   * The page shows them until the user chooses others.
   */
  telling: string[];
  /**
   * Details holds the runs second by second, as many as fit. It is empty in a page from plinth
   * serve, which sends each run on request.
   */
  details: Detail[];
  room: Room;
  /**
   * Served reports whether the page comes from plinth serve, which can send the missing runs
   * and the progress of a running experiment.
   */
  served: boolean;
}

/** Detail is a run second by second. */
export interface Detail {
  path: string;
  /**
   * Start is the first second; it is negative if the warm-up is included. Step is the number of
   * seconds per value: 1, or more if a long run was downsampled.
   */
  start_s: number;
  step_s: number;
  tracks: Track[];
  marks: Mark[];
  /** latency over time */
  heat?: Heat;
  /** Spent shows where the time of the run went, and Tables is the run's report: as HTML, escaped by plinth. */
  spent: string;
  tables: string;
  /** Missing is the reason why there are no tracks. */
  missing?: string;
}

/** Live is the progress of an experiment, which plinth serve sends repeatedly to an open page. */
export interface Live {
  schema: string;
  record: string;
  state: State;
  /** why it ended early */
  reason?: string;
  /** committed */
  runs: number;
  counts: Counts;
  /** nil before the first step and after the end */
  now?: Now;
  /** Left is the estimated remaining time, in seconds; 0 if unknown. */
  left_s: number;
  /** Look describes the state of the sequential test: "2 more repeats until the next look". */
  look?: string;
  /** Points are the new points of the run in progress. */
  points: Point[];
  /** index of the first of Points, from 0 */
  from: number;
}

/** Records is the response of /api/records: one page of the matching records. */
export interface Records {
  schema: string;
  /** its path */
  store: string;
  /** records in the store */
  total: number;
  /** records that match the filter */
  matching: number;
  /** of all records in the store, without duplicates, sorted */
  engines: string[];
  /** newest first */
  records: Entry[];
}

/**
 * Terms holds an engine's terms for its operations and data. Records have one schema for all
 * engines: a Redis request is stored as a transaction, and requests per second as tps.
 */
export interface Terms {
  /** operations per second, as a title: "TPS", "RPS" */
  rate: string;
  /** one operation: "transaction", "request" */
  unit: string;
  /** unit of a dataset: "row", "key" */
  row: string;
}

/** State says how far an experiment got. */
export type State = "running" | "complete" | "interrupted";

/**
 * Environment is one stack under test. Its index in the list determines its colour, marker and
 * dash pattern in all charts.
 */
export interface Environment {
  name: string;
  /** "PostgreSQL 15.18" */
  server?: string;
  /** Basis is the origin of its numbers. */
  basis: Basis;
}

/** Run is one run as a list shows it. */
export interface Run {
  /** "disk/tpcb-like/c10-j1/r03" */
  path: string;
  environment: string;
  workload: string;
  clients: number;
  threads: number;
  /** target rate in transactions per second */
  rate?: number;
  repeat: number;
  attempt: number;
  number: number;
  status: Status;
  /** whether its block counts for the results */
  counted: boolean;
  reasons?: Note[];
  warnings?: Note[];
  started: string;
  duration_s: number;
  tps: number;
  mean_ns: number;
  p50_ns: number;
  p99_ns: number;
  max_ns: number;
  /** Overview is its TPS, downsampled; nil if there are no points. */
  overview?: Overview;
}

/** Room describes how many runs are in the file second by second. */
export interface Room {
  /** maximum size of Details as JSON */
  limit_bytes: number;
  used_bytes: number;
  included_runs: number;
  of_runs: number;
}

/** Track is one chart on the time axis of a run. */
export interface Track {
  /** "tps", "latency", "dirty", "disk-ops.vda", "wait" */
  id: string;
  /** "Latency" */
  title: string;
  /** for display: "ms", "MiB/s", "cores", "1/s", "sessions" */
  unit: string;
  /** its series add up and are stacked */
  stack: boolean;
  /** its axis should be logarithmic */
  log: boolean;
  series: Series[];
}

/** Mark is an event on the timeline. */
export interface Mark {
  /** from the start of the window; negative during the warm-up */
  second: number;
  /** "checkpoint-start", "checkpoint-end", "autovacuum", "wal-segment", "credits-spent", "log", ... */
  kind: string;
  text?: string;
}

/**
 * Heat is the latency histogram over time: the number of transactions that ended in each step of
 * time, by latency interval.
 */
export interface Heat {
  start_s: number;
  step_s: number;
  /** ascending; one more than intervals */
  edges_ns: number[];
  /** [time][interval] */
  counts: number[][];
}

/** Counts is the number of runs in a record, by status. */
export interface Counts {
  valid: number;
  invalid: number;
  failed: number;
}

/**
 * Now describes what a running experiment is doing. now.json holds it from the first step to the
 * end of the experiment. Only pages read that file, and nothing else depends on it.
 */
export interface Now {
  /** when it was written */
  at: string;
  /** "starting", "loading", "preparing", "driving", "checkpointing", "stopping" */
  step: string;
  environment?: string;
  /** "accounts, 45 %" */
  detail?: string;
  /** of the run in progress */
  cell?: Cell;
  /** of the run in progress, below runs */
  path?: string;
  /** the run's number; 0 before the first */
  run: number;
  /** planned in total */
  runs: number;
  /** seconds to the end of the experiment, as of At; 0 if unknown */
  left_s: number;
}

/** Point is the live reading of one second while the run is in progress. */
export interface Point {
  /** since the load began, warm-up included */
  second: number;
  tps: number;
  latency_ms: number;
  failures: number;
}

/**
 * Entry is a record as the list shows it. For a damaged record only Name, Created and
 * Damage are known.
 */
export interface Entry {
  /** of its directory */
  name: string;
  question: string;
  engine: string;
  state?: State;
  created: string;
  finished?: string;
  planned_runs: number;
  counts: Counts;
  /** the first sentences of its page; "" if it has none */
  answer: string;
  /** outcomes of its verdicts, without duplicates */
  words: Outcome[];
  damage?: string;
  /** the only damage is that a later version of plinth wrote it */
  later?: boolean;
}

/** Basis is the origin of a number. Numbers that are not measured are displayed differently. */
export type Basis = "measured" | "emulated" | "imported" | "predicted";

/** Status says whether the numbers of a run may be used. */
export type Status = "valid" | "invalid" | "failed";

/**
 * Note is a fact that weakens a number or explains why it is missing. Rule is a short, stable
 * name for programs; Text is for people; Hint says what to do.
 */
export interface Note {
  rule: string;
  text: string;
  hint?: string;
  /**
   * Environment names the environment whose comparison with the baseline the note weakens, if
   * it concerns a single one.
   */
  environment?: string;
}

/**
 * Overview is a column of points downsampled to a few buckets. Each bucket keeps its minimum and
 * maximum, so that no stall or spike is lost.
 */
export interface Overview {
  /** seconds in a bucket */
  step_s: number;
  low: (number | null)[];
  high: (number | null)[];
}

/** Series is one line (or layer) of a track, in the track's unit. */
export interface Series {
  /** for display: "p99", "server", "checkpointer" */
  name: string;
  /** its name in docs/metrics.md; "" if it combines several */
  column: string;
  /** if downsampled: means, or for percentiles the maximum */
  values: (number | null)[];
  /**
   * Low and High are the minimum and maximum second of each value, if the run was
   * downsampled.
   */
  low?: (number | null)[];
  high?: (number | null)[];
}

/**
 * Cell is one point of the matrix. It is comparable and serves as a map key. A Rate of 0 means a
 * closed loop.
 */
export interface Cell {
  workload: string;
  clients: number;
  threads: number;
  /** target rate in transactions per second */
  rate?: number;
}

/** Outcome is the outcome of a comparison. */
export type Outcome = "better" | "worse" | "equivalent" | "inconclusive" | "invalid";
