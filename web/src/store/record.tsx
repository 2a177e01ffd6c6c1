// One record of the list.

import { Component } from "preact";
import type { Entry } from "../record.ts";
import { localTime } from "../time.ts";
import { clean, progress, runsText } from "./text.ts";

interface RecordProps {
  entry: Entry;
  chosen: boolean;
  /** Two other records are already chosen. */
  full: boolean;
  choose: (name: string) => void;
}

/** Memoized: of thousands of records only changed ones are rendered again. */
export class Record extends Component<RecordProps> {
  override shouldComponentUpdate(next: RecordProps): boolean {
    const now = this.props;
    return next.entry !== now.entry || next.chosen !== now.chosen || next.full !== now.full;
  }

  override render() {
    const { entry, chosen, full, choose } = this.props;
    return (
      <li class="entry">
        <input
          type="checkbox"
          class="entry-choice"
          aria-label={`Choose ${entry.name} to compare`}
          checked={chosen}
          disabled={Boolean(entry.damage) || (full && !chosen)}
          onChange={() => choose(entry.name)}
        />
        <What entry={entry} />
        <div class="entry-facts">
          {!entry.damage && <State entry={entry} />}
          <time dateTime={entry.created}>{localTime(entry.created)}</time>
        </div>
      </li>
    );
  }
}

function What({ entry }: { entry: Entry }) {
  return (
    <div class="entry-what">
      <a class="entry-question" href={`/record/${encodeURIComponent(entry.name)}`}>
        {clean(entry.question || entry.name)}
      </a>
      {entry.damage ? <Damage text={entry.damage} later={Boolean(entry.later)} /> : <Answer entry={entry} />}
      <p class="entry-name">
        {clean(entry.name)}
        {entry.engine && <span class="entry-engine">{entry.engine}</span>}
      </p>
    </div>
  );
}

const Damage = ({ text, later }: { text: string; later: boolean }) => (
  <p class="entry-damage">
    <span class="status status-damaged">{later ? "newer" : "damaged"}</span> {clean(text)}
  </p>
);

function Answer({ entry }: { entry: Entry }) {
  return (
    <>
      {entry.answer && <p class="entry-answer">{clean(entry.answer)}</p>}
      {entry.words.length > 0 && (
        <p class="entry-words">
          {entry.words.map((word) => (
            <span key={word} class={`word word-${word}`}>
              {word}
            </span>
          ))}
        </p>
      )}
    </>
  );
}

function State({ entry }: { entry: Entry }) {
  return (
    <>
      <span class={`status status-${entry.state}`}>{entry.state}</span>
      {entry.state === "running" && (
        <progress max={1} value={progress(entry)} aria-label={`Runs of ${entry.name}`} />
      )}
      <span class="entry-runs">{runsText(entry.counts, entry.planned_runs)}</span>
    </>
  );
}
