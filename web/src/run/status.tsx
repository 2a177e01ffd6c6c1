// Notes that weaken or exclude a run, shown above its charts.

import type { Basis, Environment, Note, Run } from "../record.ts";
import { repeatName } from "./names.ts";

/** The status of a run as everywhere on the page. */
export function Status({ run }: { run: Run }) {
  return <span class={`status status-${run.status}`}>{run.status}</span>;
}

const origins: Record<Basis, string> = {
  measured: "was measured",
  emulated: "was measured on an emulated device",
  imported: "was imported: others measured it",
  predicted: "was predicted by a model, not measured",
};

/** Shows why a run is excluded, what weakens it, and its basis unless measured. */
export function Banner({ run, environment }: { run: Run; environment: Environment | undefined }) {
  const basis = environment?.basis ?? "measured";
  return (
    <>
      {run.status !== "valid" && (
        <div class="banner banner-bad" role="note">
          <strong>
            {run.environment}, {repeatName(run)}: {run.status}.
          </strong>{" "}
          Excluded from all results in this report.
          <Notes notes={run.reasons} kind="reason" />
        </div>
      )}
      {run.status === "valid" && !run.counted && (
        <p class="banner" role="note">
          <strong>
            {run.environment}, {repeatName(run)}: not counted.
          </strong>{" "}
          Its block is incomplete, so it is excluded from all results in this report.
        </p>
      )}
      {basis !== "measured" && (
        <p class="banner" role="note">
          <strong>{run.environment}</strong> {origins[basis]}.
        </p>
      )}
      {run.warnings && run.warnings.length > 0 && (
        <details class="boxes">
          <summary>{run.warnings.length === 1 ? "1 warning" : `${run.warnings.length} warnings`}</summary>
          <Notes notes={run.warnings} kind="warning" />
        </details>
      )}
    </>
  );
}

function Notes({ notes, kind }: { notes: Note[] | undefined; kind: string }) {
  if (!notes?.length) return null;
  return (
    <ul class="notes">
      {notes.map((note, i) => (
        <li key={i} class={`note note-${kind}`}>
          {note.text} {note.hint && <span class="hint">{note.hint}</span>}
        </li>
      ))}
    </ul>
  );
}
