// Dates and times in the reader's time zone and locale.

/** Formats an instant in the reader's locale; "" if it is invalid. */
export function localTime(instant: string, locale?: string, zone?: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return "";
  const options: Intl.DateTimeFormatOptions = {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  };
  if (zone) options.timeZone = zone;
  return new Intl.DateTimeFormat(locale, options).format(date);
}

/**
 * Rewrites the <time> elements below root. The original text (UTC) becomes their title.
 */
export function localTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLTimeElement>("time[datetime]:not([data-local])")) {
    const text = localTime(element.dateTime);
    if (!text) continue;
    element.title = element.textContent ?? "";
    element.textContent = text;
    element.dataset.local = "";
  }
}
