// Made from the Go types by: go test ./internal/page/typescript -update
// Do not edit it.

/**
 * Data is what the page's program gets beside the tables that stand in the HTML.
 * It is the JSON in the element "plinth-data". Durations and seconds are in
 * seconds, latencies in nanoseconds, as in the record.
 */
export interface Data {
  schema: string;
  /** the name of its directory */
  record: string;
  question: string;
  engine: string;
  /** what the operations of its load are called */
  words: Terms;
  state: State;
  baseline: string;
  /** in the order of the experiment */
  environments: Environment[];
  /** in the order in which they happened */
  runs: Run[];
  /**
   * Telling are the paths of the runs that show best what the answer is about, the
   * baseline's first: what to look at where nobody has chosen.
   */
  telling: string[];
  /**
   * Details are the runs second by second for which there was room; in a page that
   * plinth serve sends, none: it is asked for each of them.
   */
  details: Detail[];
  room: Room;
  /**
   * Served says that the page comes from plinth serve, which has what is missing
   * here, and knows how far a running experiment is.
   */
  served: boolean;
}

/** Detail is a run second by second. */
export interface Detail {
  path: string;
  /**
   * Start is the first second, negative when the warm-up is there; Step is how many
   * seconds one value stands for: 1, or more where a long run was thinned.
   */
  start_s: number;
  step_s: number;
  tracks: Track[];
  marks: Mark[];
  /** latency over time */
  heat?: Heat;
  /** Tables is HTML that plinth made: the run's own report, escaped. */
  tables: string;
  /** Missing says why there are no tracks. */
  missing?: string;
}

/**
 * Live is how far an experiment is: what plinth serve tells an open page, again
 * and again.
 */
export interface Live {
  schema: string;
  record: string;
  state: State;
  /** why it did not go to its end */
  reason?: string;
  /** committed */
  runs: number;
  counts: Counts;
  /** nil before the first step and after the end */
  now?: Now;
  /**
   * Left is how long it will still take, in seconds, at the time this was made; 0
   * when that is not known.
   */
  left_s: number;
  /** Look says how the sequential test stands: "2 more repeats until the next look". */
  look?: string;
  /** Points are those of the run that goes on, from the one asked for on. */
  points: Point[];
  /** the number of the first of Points, from 0 */
  from: number;
}

/** Records is the answer of /api/records: one part of the records that match. */
export interface Records {
  schema: string;
  /** its path */
  store: string;
  /** records in the store */
  total: number;
  /** the filter */
  matching: number;
  /** of all records, each once */
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
 * Environment is one stack under test. Its place in the list gives its colour,
 * its marker and its dash everywhere.
 */
export interface Environment {
  name: string;
  /** "PostgreSQL 15.18" */
  server?: string;
  /** Basis is where its numbers come from. */
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
  /** its block is one of those that the numbers are made of */
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
  /** Overview is its TPS, thinned; nil where there are no points. */
  overview?: Overview;
}

/** Room is how much of the runs' seconds is in the file. */
export interface Room {
  /** for Details, as JSON */
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
  /** as people read it: "ms", "MiB/s", "cores", "1/s", "sessions" */
  unit: string;
  /** its series add up and are drawn on each other */
  stack: boolean;
  /** a logarithmic axis serves better */
  log: boolean;
  series: Series[];
}

/** Mark is an event on the timeline. */
export interface Mark {
  /** from the start of the window; negative during the warm-up */
  second: number;
  /** "checkpoint-start", "checkpoint-end", "autovacuum", "wal-segment", "log", ... */
  kind: string;
  text?: string;
}

/**
 * Heat is how many transactions ended in each second with a latency in each
 * interval: the latency histogram over time.
 */
export interface Heat {
  start_s: number;
  step_s: number;
  /** ascending, one more than there are intervals */
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
 * end of the experiment; only pages read it, and nothing depends on it.
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
 * Entry is a record as the list shows it. Of a damaged one only Name, Created and
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
  /** as its page begins, "" where there is none */
  answer: string;
  /** of its verdicts, each once */
  words: Outcome[];
  damage?: string;
}

/** Basis says how a number came to be: what is not measured must look different. */
export type Basis = "measured" | "emulated" | "predicted";

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
 * Overview is a column of points thinned to a few buckets. Each keeps its least
 * and its greatest second, so that no stall and no spike is lost.
 */
export interface Overview {
  /** seconds in a bucket */
  step_s: number;
  low: (number | null)[];
  high: (number | null)[];
}

/** Series is one line (or layer) of a track, in the track's unit. */
export interface Series {
  /** as people read it: "p99", "server", "checkpointer" */
  name: string;
  /** as docs/metrics.md calls it, "" when it was made of several */
  column: string;
  /** where thinned: means, or of a percentile the greatest */
  values: (number | null)[];
  /**
   * Low and High are the least and the greatest second of each value, where the run
   * was thinned.
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
