// Labels of value axes. Both ends always have one.

import type { Range } from "../link.ts";

// Ends of a linear axis: each has thirds or halves that are short numbers.
const ends = [1, 1.2, 1.5, 2, 3, 4, 5, 6, 8, 10];

// Ends of a logarithmic one.
const logEnds = [1, 2, 3, 5, 7, 10];

/** The least end of a linear axis that a positive value fits below. */
export function roundUp(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value) + 1e-9);
  const end = ends.find((e) => tidy(e * decade) >= tidy(value)) ?? 10;
  return tidy(end * decade);
}

/** The ends of a logarithmic axis around positive values. */
export function logExtent(low: number, high: number): Range {
  const all = decades(low / 10, high * 10, logEnds);
  const from = all.findLastIndex((end) => end <= tidy(low));
  const to = all.findIndex((end) => end >= tidy(high));
  return from < to ? [all[from] ?? low, all[to] ?? high] : [all[from - 1] ?? low, all[to + 1] ?? high];
}

// Round steps.
const short = [1, 1.5, 2, 2.5, 3, 4, 5];

/** Labels of a linear axis with these ends: at most so many steps. */
export function linearTicks(from: number, to: number, steps: number): number[] {
  for (let n = Math.max(1, Math.floor(steps)); n > 1; n--) {
    const step = (to - from) / n;
    const [digits = ""] = step.toExponential(9).split("e");
    if (!short.includes(Number(digits))) continue;
    return Array.from({ length: n + 1 }, (_, i) => tidy(from + i * step));
  }
  return [from, to];
}

// The more decades an axis has, the fewer steps of each fit.
const fractions = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]];

/** Labels of a logarithmic axis: its ends, and as many between them as so many steps allow. */
export function logTicks(from: number, to: number, steps: number): number[] {
  const least = (to / from) ** (1 / Math.max(1, steps)) * (1 - 1e-9);
  const far = (tick: number) => tick / from >= least && to / tick >= least;
  for (const of of fractions) {
    const ticks = decades(from, to, of).filter(far);
    if (ticks.every((tick, i) => i === 0 || tick / (ticks[i - 1] ?? 1) >= least)) return [from, ...ticks, to];
  }
  const ticks = decades(from, to, [1]).filter(far);
  const nth = Math.ceil(Math.log10(least));
  return [from, ...ticks.filter((_, i) => i % nth === 0), to];
}

function decades(from: number, to: number, steps: readonly number[]): number[] {
  const ticks = new Set<number>();
  for (let exponent = Math.floor(Math.log10(from)); exponent <= Math.ceil(Math.log10(to)); exponent++) {
    for (const step of steps) ticks.add(tidy(step * 10 ** exponent));
  }
  return [...ticks].filter((tick) => tick >= from && tick <= to).sort((a, b) => a - b);
}

// Removes digits left by rounding errors.
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
