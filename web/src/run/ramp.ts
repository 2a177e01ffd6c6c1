// The colours of the heat map: perceptually even steps (Oklab), from near the paper's colour to
// its opposite.

/** A colour as red, green and blue, 0 to 255. */
export type RGB = [red: number, green: number, blue: number];

type Lab = [lightness: number, a: number, b: number];

// Lightness changes evenly, so that more is always darker on light paper and lighter on dark;
// the hue goes from yellow over teal to blue.
const stops: Record<"light" | "dark", Lab[]> = {
  light: [
    polar(0.93, 0.06, 100),
    polar(0.77, 0.1, 165),
    polar(0.61, 0.1, 215),
    polar(0.45, 0.11, 255),
    polar(0.29, 0.12, 280),
  ],
  dark: [
    polar(0.32, 0.08, 280),
    polar(0.47, 0.11, 255),
    polar(0.62, 0.1, 215),
    polar(0.77, 0.11, 165),
    polar(0.93, 0.1, 105),
  ],
};

/** The colour at a position of the ramp, 0 to 1. */
export function rampColour(place: number, theme: "light" | "dark"): RGB {
  const ramp = stops[theme];
  const at = Math.min(Math.max(place, 0), 1) * (ramp.length - 1);
  const below = Math.min(Math.floor(at), ramp.length - 2);
  const [from, to] = [ramp[below], ramp[below + 1]];
  if (!from || !to) return [0, 0, 0];
  const mix = (i: 0 | 1 | 2) => from[i] + (to[i] - from[i]) * (at - below);
  return oklabToRGB([mix(0), mix(1), mix(2)]);
}

/** The position of a count: logarithmic, so that one slow transaction is visible. */
export function countPlace(count: number, most: number): number {
  return most <= 1 ? 1 : 0.08 + 0.92 * (Math.log(count) / Math.log(most));
}

function polar(lightness: number, chroma: number, degrees: number): Lab {
  const angle = (degrees * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

// https://bottosson.github.io/posts/oklab/
function oklabToRGB([L, a, b]: Lab): RGB {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

function gamma(linear: number): number {
  const value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
  return Math.round(Math.min(Math.max(value, 0), 1) * 255);
}
