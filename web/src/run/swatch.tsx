// The small picture of a line or layer in a legend.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Look } from "./look.ts";

const [width, height] = [24, 12];

/** Draws a look as the chart does. */
export function Swatch({ look }: { look: Look }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context) draw(context, look);
  }, [look]);
  return <canvas class="swatch" ref={canvas} width={width * 2} height={height * 2} />;
}

function draw(context: CanvasRenderingContext2D, look: Look): void {
  context.setTransform(2, 0, 0, 2, 0, 0);
  context.clearRect(0, 0, width, height);
  if (look.fill) {
    context.fillStyle = look.fill;
    context.fillRect(0, 0, width, height);
    return;
  }
  context.strokeStyle = look.stroke;
  context.lineWidth = look.width + 0.5;
  context.lineCap = look.cap;
  context.setLineDash(look.dash);
  context.beginPath();
  context.moveTo(0, height / 2);
  context.lineTo(width, height / 2);
  context.stroke();
}
