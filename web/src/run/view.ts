// What all charts of the explorer share.

import type { Range } from "../link.ts";
import type { Subject } from "./look.ts";
import type { SideMark } from "./mark.ts";
import type { Palette } from "./palette.ts";

/** How the charts look at the runs. */
export interface View {
  range: Range; // the seconds that are shown
  palette: Palette;
  subjects: readonly Subject[];
  marks: readonly SideMark[];
  names: readonly string[]; // of the runs, short
  zoom(range: Range | null): void; // null shows all
  point(second: number | null): void; // the cursor is there
}
