// Numbers for the reader.

const units: [limit: number, divisor: number, unit: string][] = [
  [1e3, 1, "ns"],
  [1e6, 1e3, "µs"],
  [1e9, 1e6, "ms"],
  [Number.POSITIVE_INFINITY, 1e9, "s"],
];

const plain = [0, 1, 2, 3].map(
  (digits) => new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);

/** Formats a value with three digits, or all before the point: 0.012, 1.23, 12.3, 1,234. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 0.01 || size >= 1e9) return value.toExponential(1).replace("e+", "e");
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return plain[digits]?.format(value) ?? String(value);
}

/** Formats the labels of an axis, all with the digits that its steps need. */
export function formatTicks(ticks: readonly (number | null)[]): string[] {
  const known = ticks.filter((t) => t !== null);
  const largest = Math.max(0, ...known.map(Math.abs));
  const [divisor, suffix] = largest >= 1e9 ? [1e9, " G"] : largest >= 1e6 ? [1e6, " M"] : [1, ""];
  return ticks.map((t) => (t === null ? "" : `${short(t / divisor)}${t === 0 ? "" : suffix}`));
}

function short(value: number): string {
  return new Intl.NumberFormat("en", { maximumSignificantDigits: 6 }).format(Number(value.toPrecision(6)));
}

/** Formats a latency in nanoseconds in a suitable unit: "1.24 ms". */
export function formatLatency(ns: number): string {
  const [, divisor, unit] = units.find(([limit]) => ns < limit) ?? [0, 1e9, "s"];
  return `${formatNumber(ns / divisor)} ${unit}`;
}

/** Formats a latency as the label of an axis: "10 ms". */
export function formatLatencyTick(ns: number): string {
  const [, divisor, unit] = units.find(([limit]) => ns < limit) ?? [0, 1e9, "s"];
  return `${short(ns / divisor)} ${unit}`;
}

/** Formats a second of a run to the tenth, as in an address: "4.6 s". */
export function formatTenth(second: number, span: number): string {
  return formatSecond(Math.round(second * 10) / 10, span);
}

/** Formats a second of a run: "-3 s", "12 s", "12.5 s", and from ten minutes on "1:02:03". */
export function formatSecond(second: number, span: number): string {
  if (span < 600) return `${Number(second.toFixed(2))} s`;
  const sign = second < 0 ? "-" : "";
  const whole = Math.round(Math.abs(second));
  const two = (n: number) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${sign}${h}:${two(m)}:${two(s)}` : `${sign}${m}:${two(s)}`;
}
