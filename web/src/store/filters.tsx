// The form above the list. Changes apply at once.

import type { Filter } from "./filter.ts";

interface FiltersProps {
  filter: Filter;
  engines: readonly string[];
  /** Called with the changes; typed is true for text input. */
  change: (changed: Partial<Filter>, typed: boolean) => void;
  clear: (() => void) | undefined;
}

const states = ["running", "complete", "interrupted"];
const words = ["better", "worse", "equivalent", "inconclusive", "invalid"];

export function Filters({ filter, engines, change, clear }: FiltersProps) {
  const choice = (key: keyof Filter) => ({
    value: filter[key],
    choose: (value: string) => change({ [key]: value }, false),
  });
  return (
    <search>
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <label class="filter-search">
          Search
          <input
            type="search"
            name="q"
            placeholder="question or name"
            autocomplete="off"
            value={filter.q}
            onInput={(event) => change({ q: event.currentTarget.value }, true)}
          />
        </label>
        <Select label="Engine" options={withValue(engines, filter.engine)} {...choice("engine")} />
        <Select label="State" options={states} {...choice("state")} />
        <Select label="Verdict" options={words} {...choice("verdict")} />
        <Day label="From" {...choice("since")} />
        <Day label="To" {...choice("until")} />
        <button type="button" class="filter-clear" disabled={!clear} onClick={clear}>
          Clear
        </button>
      </form>
    </search>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  choose: (value: string) => void;
}

function Select({ label, options, value, choose }: ChoiceProps & { options: readonly string[] }) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">any</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}

function Day({ label, value, choose }: ChoiceProps) {
  return (
    <label>
      {label}
      <input type="date" value={value} onChange={(event) => choose(event.currentTarget.value)} />
    </label>
  );
}

/** A link may select an engine that the store does not have; it must still be visible. */
function withValue(engines: readonly string[], value: string): readonly string[] {
  return value === "" || engines.includes(value) ? engines : [...engines, value];
}
