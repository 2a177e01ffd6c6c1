// Colours, dashes and patterns, from the page's CSS variables. Lines differ in colour and dash,
// layers in colour and pattern: never in colour alone.

/** The current colours of the page. */
export interface Palette {
  dark: boolean;
  paper: string;
  ink: string;
  muted: string;
  grid: string;
  band: string;
  series: string[]; // of environments
  layers: string[]; // of the parts of one run
}

// As in the figures (internal/chart/style.css, .d1 to .d7).
const solid: number[] = [];
const dashes = [solid, [8, 3], [4, 2.5], [10, 3, 3, 3], [14, 4], [6, 2, 2, 2, 2, 2], [3, 1.5], [12, 2, 4, 2]];

/** Dots for values that were not measured, with round ends as in the figures. */
export const unmeasuredDash = [0.1, 3.6];

/** The dash of an invalid or failed run. */
export const brokenDash = [2, 5];

/** Reads the colours. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const list = (name: string) => Array.from({ length: 8 }, (_, i) => read(`${name}-${i}`));
  const names = {
    paper: read("paper"),
    ink: read("ink"),
    muted: read("muted"),
    grid: read("grid"),
    band: read("band"),
  };
  return { dark: isDark(names.paper), ...names, series: list("series"), layers: list("layer") };
}

function isDark(paper: string): boolean {
  const found = /^#(..)(..)(..)$/.exec(paper);
  return found !== null && Number.parseInt(found[2] ?? "ff", 16) < 128;
}

/** Returns the dash of an environment or layer. */
export function dashOf(index: number): number[] {
  return dashes[(index + Math.floor(index / dashes.length)) % dashes.length] ?? solid; // shifted for each round of colours
}

/** Returns the colour at an index of a list. */
export function colourOf(colours: readonly string[], index: number): string {
  return colours[index % colours.length] ?? "";
}

// Each draws strokes into a tile of 8 x 8 pixels that joins with its neighbours.
const patterns: ((tile: CanvasRenderingContext2D) => void)[] = [
  () => undefined,
  (tile) => strokes(tile, [-2, 2, 2, -2], [0, 8, 8, 0], [6, 10, 10, 6]),
  (tile) => [tile.fillRect(1, 1, 2, 2), tile.fillRect(5, 5, 2, 2)],
  (tile) => strokes(tile, [-2, 6, 2, 10], [0, 0, 8, 8], [6, -2, 10, 2]),
  (tile) => tile.fillRect(0, 3, 8, 1),
  (tile) => tile.fillRect(3, 0, 1, 8),
];

function strokes(tile: CanvasRenderingContext2D, ...lines: [number, number, number, number][]): void {
  tile.beginPath();
  for (const [x0, y0, x1, y1] of lines) {
    tile.moveTo(x0, y0);
    tile.lineTo(x1, y1);
  }
  tile.stroke();
}

/** Returns the fill of a stack's layer: its colour, with a pattern of its own. */
export function layerFill(palette: Palette, layer: number): CanvasPattern | string {
  const colour = colourOf(palette.layers, layer);
  const canvas = document.createElement("canvas");
  canvas.width = 8;
  canvas.height = 8;
  const tile = canvas.getContext("2d");
  if (!tile) return colour;
  tile.fillStyle = colour;
  tile.fillRect(0, 0, 8, 8);
  tile.fillStyle = palette.paper;
  tile.strokeStyle = palette.paper;
  tile.globalAlpha = 0.55;
  patterns[layer % patterns.length]?.(tile);
  return tile.createPattern(canvas, "repeat") ?? colour;
}
