// The list of the store on the page.

import type { ComponentChildren } from "preact";
import { pageSize } from "./api.ts";
import { type Chosen, isFull } from "./choose.ts";
import { Compare } from "./compare.tsx";
import { everything, type Filter, sameFilter } from "./filter.ts";
import { Filters } from "./filters.tsx";
import type { List } from "./list.ts";
import { Record } from "./record.tsx";
import { clean, countText, moreText } from "./text.ts";

/** All that the page shows. */
export interface View {
  filter: Filter;
  list: List;
  chosen: Chosen;
  /** A request is pending: the list is from the previous one. */
  asking: boolean;
  /** Why there is no newer list; "" if there is no problem. */
  problem: string;
}

/** The actions on the page. */
export interface Actions {
  change(changed: Partial<Filter>, typed: boolean): void;
  choose(name: string): void;
  more(): void;
}

export function Page({ view, actions }: { view: View; actions: Actions }) {
  const { filter, list, chosen } = view;
  const filtered = !sameFilter(filter, everything);
  const clear = filtered ? () => actions.change(everything, false) : undefined;
  return (
    <>
      <h1>Records in {clean(list.store)}</h1>
      <Filters filter={filter} engines={list.engines} change={actions.change} clear={clear} />
      <p class="store-count" role="status">
        {view.problem || countText(list, !sameFilter(list.filter, everything))}
      </p>
      {list.entries.length > 0 ? (
        <Entries view={view} actions={actions} />
      ) : (
        <None total={list.total} clear={clear} />
      )}
      {list.entries.length > 1 && <Compare chosen={chosen} remove={actions.choose} />}
    </>
  );
}

function Entries({ view, actions }: { view: View; actions: Actions }) {
  const { list, chosen } = view;
  const rest = list.matching - list.entries.length;
  return (
    <>
      <ol class="entries" aria-busy={view.asking}>
        {list.entries.map((entry) => (
          <Record
            key={entry.name}
            entry={entry}
            chosen={chosen.includes(entry.name)}
            full={isFull(chosen)}
            choose={actions.choose}
          />
        ))}
      </ol>
      {rest > 0 && (
        <button type="button" class="store-more" onClick={actions.more}>
          {moreText(list.entries.length, list.matching, pageSize)}
        </button>
      )}
    </>
  );
}

function None({ total, clear }: { total: number; clear: (() => void) | undefined }) {
  if (total === 0) {
    return (
      <Empty>
        No records yet. Create the first one with <code>plinth run</code>, which measures this machine in a
        few minutes. It appears here while it runs.
      </Empty>
    );
  }
  return (
    <Empty>
      No record matches.{" "}
      <button type="button" onClick={clear}>
        Clear the filters
      </button>
    </Empty>
  );
}

const Empty = ({ children }: { children: ComponentChildren }) => <p class="store-none">{children}</p>;
