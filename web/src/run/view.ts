// What all charts of the explorer share.

import type { Range } from "../link.ts";
import type { Subject } from "./look.ts";
import type { SideMark } from "./mark.ts";
import type { Palette } from "./palette.ts";

/** The state that charts share. */
export interface View {
  range: Range; // the shown seconds
  palette: Palette;
  subjects: readonly Subject[];
  marks: readonly SideMark[];
  names: readonly string[]; // of the runs, short
  zoom(range: Range | null): void; // null shows all
  point(second: number | null): void; // position of the cursor
}
