// The remaining time as text. It counts down between two events, and is rounded more coarsely the
// longer it is.

const minute = 60;
const hour = 60 * minute;

/** Returns "about 2 h 10 min left"; "" if unknown. Negative seconds mean overdue. */
export function leftText(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds === 0) return "";
  const text = amount(seconds);
  return text === "" ? "almost done" : `${text} left`;
}

function amount(seconds: number): string {
  if (seconds <= 0) return "";
  if (seconds < minute) return `${Math.ceil(seconds / 5) * 5} s`;
  if (seconds < 10 * minute) return parts(Math.round(seconds / 10) * 10, minute, "min", 1, "s");
  if (seconds < 24 * hour)
    return `about ${parts(Math.round(seconds / minute) * minute, hour, "h", minute, "min")}`;
  return `about ${parts(Math.round(seconds / hour) * hour, 24 * hour, "d", hour, "h")}`;
}

/** Formats seconds in two units, omitting zeros: "2 h 10 min", "10 min". */
function parts(seconds: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.round((seconds % big) / small);
  const all = [
    [Math.floor(seconds / big), bigName],
    [rest, smallName],
  ] as const;
  return all
    .filter(([n]) => n > 0)
    .map(([n, name]) => `${n} ${name}`)
    .join(" ");
}

/** Returns the seconds left now, if `left` seconds remained at `then` (times in ms). */
export function leftNow(left: number, then: number, now: number): number {
  return left === 0 ? 0 : left - (now - then) / 1000 || -1;
}
