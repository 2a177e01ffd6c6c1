// The bar that shows the chosen records, with a link to their comparison.

import { type Chosen, comparison, nextChoice } from "./choose.ts";
import { clean } from "./text.ts";

export function Compare({ chosen, remove }: { chosen: Chosen; remove: (name: string) => void }) {
  const address = comparison(chosen);
  return (
    <section class="compare" aria-label="Comparison">
      <ol class="compare-chosen">
        {chosen.map((name) => (
          <li key={name}>
            <span>{clean(name)}</span>
            <button type="button" aria-label={`Remove ${name}`} onClick={() => remove(name)}>
              ×
            </button>
          </li>
        ))}
      </ol>
      {address ? <a href={address}>Compare</a> : <span class="compare-next">{nextChoice(chosen)}</span>}
    </section>
  );
}
