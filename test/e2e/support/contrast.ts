/** Contrast of text as it is painted, by WCAG 2. */
import type { Page } from 'playwright-core';

/** A colour as computed styles give it, drawn over what is below it. */
export interface Layer {
  readonly color: string;
  readonly opacity?: number;
}

export interface PaintedText {
  /** For messages. */
  readonly what: string;
  /** The background layers, lowest first. */
  readonly under: readonly Layer[];
  readonly color: string;
}

/** Contrast ratios, from 1 to 21: the browser draws the layers over each other, and they are read back. */
export function contrasts(
  page: Page,
  texts: readonly PaintedText[],
): Promise<{ what: string; ratio: number }[]> {
  return page.evaluate(paintedContrasts, texts);
}

/** Runs in the page. */
function paintedContrasts(texts: readonly PaintedText[]): { what: string; ratio: number }[] {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
  const luminance = (layers: readonly Layer[]): number => {
    for (const { color, opacity = 1 } of layers) {
      canvas.globalAlpha = opacity;
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  };
  return texts.map(({ what, under, color }) => {
    const [text, ground] = [luminance([...under, { color }]), luminance(under)];
    return { what, ratio: (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05) };
  });
}
