/** Pens that draw the same picture on a canvas and in an SVG file. */

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Style {
  readonly fill?: string;
  readonly stroke?: string;
  readonly width?: number;
  readonly dash?: readonly number[];
}

export interface Lettering {
  readonly size: number;
  readonly color: string;
  /** Colour around the letters, so that they are readable on any background. */
  readonly halo: string;
  readonly weight?: number;
  readonly anchor?: 'start' | 'middle';
}

export interface Pen {
  circle(x: number, y: number, radius: number, style: Style): void;
  polygon(corners: readonly Place[], style: Style): void;
  text(x: number, y: number, words: string, lettering: Lettering): void;
}

export interface Page {
  readonly width: number;
  readonly height: number;
  readonly ground: string;
  readonly font: string;
}

const LINE = 1.5;
const HALO = 3;

export class CanvasPen implements Pen {
  readonly #paper: CanvasRenderingContext2D;
  readonly #font: string;

  constructor(paper: CanvasRenderingContext2D, font: string) {
    this.#paper = paper;
    this.#font = font;
    paper.lineJoin = 'round';
  }

  circle(x: number, y: number, radius: number, style: Style): void {
    this.#paper.beginPath();
    this.#paper.arc(x, y, radius, 0, 2 * Math.PI);
    this.#finish(style);
  }

  polygon(corners: readonly Place[], style: Style): void {
    this.#paper.beginPath();
    for (const { x, y } of corners) this.#paper.lineTo(x, y);
    this.#paper.closePath();
    this.#finish(style);
  }

  text(x: number, y: number, words: string, lettering: Lettering): void {
    const { size, color, halo, weight = 400, anchor = 'start' } = lettering;
    const paper = this.#paper;
    paper.font = `${weight} ${size}px ${this.#font}`;
    paper.textAlign = anchor === 'middle' ? 'center' : 'left';
    paper.setLineDash([]);
    paper.strokeStyle = halo;
    paper.lineWidth = HALO;
    paper.strokeText(words, x, y);
    paper.fillStyle = color;
    paper.fillText(words, x, y);
  }

  #finish({ fill, stroke, width = LINE, dash = [] }: Style): void {
    const paper = this.#paper;
    if (fill !== undefined) {
      paper.fillStyle = fill;
      paper.fill();
    }
    if (stroke === undefined) return;
    paper.setLineDash([...dash]);
    paper.strokeStyle = stroke;
    paper.lineWidth = width;
    paper.stroke();
  }
}

export class SvgPen implements Pen {
  readonly #page: Page;
  readonly #parts: string[] = [];

  constructor(page: Page) {
    this.#page = page;
  }

  circle(x: number, y: number, radius: number, style: Style): void {
    this.#parts.push(`<circle cx="${tenths(x)}" cy="${tenths(y)}" r="${radius}"${painted(style)}/>`);
  }

  polygon(corners: readonly Place[], style: Style): void {
    const points = corners.map(({ x, y }) => `${tenths(x)},${tenths(y)}`).join(' ');
    this.#parts.push(`<polygon points="${points}" stroke-linejoin="round"${painted(style)}/>`);
  }

  text(x: number, y: number, words: string, lettering: Lettering): void {
    const { size, color, halo, weight = 400, anchor = 'start' } = lettering;
    this.#parts.push(
      `<text x="${tenths(x)}" y="${tenths(y)}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}"` +
        ` fill="${escaped(color)}" stroke="${escaped(halo)}" stroke-width="${HALO}" paint-order="stroke">${escaped(words)}</text>`,
    );
  }

  /** Points of one size and colour, as one path, because 100,000 elements would be too many for any program. */
  dots(places: readonly Place[], radius: number, color: string): void {
    if (places.length === 0) return;
    const path = places.map(({ x, y }) => `M${tenths(x)} ${tenths(y)}h0`).join('');
    this.#parts.push(
      `<path d="${path}" fill="none" stroke="${escaped(color)}" stroke-width="${2 * radius}" stroke-linecap="round"/>`,
    );
  }

  file(): string {
    const { width, height, ground, font } = this.#page;
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${escaped(font)}">`,
      `<rect width="100%" height="100%" fill="${escaped(ground)}"/>`,
      ...this.#parts,
      '</svg>\n',
    ].join('\n');
  }
}

const tenths = (value: number): string => String(Math.round(value * 10) / 10);

function painted({ fill = 'none', stroke, width = LINE, dash }: Style): string {
  const line = stroke === undefined ? '' : ` stroke="${escaped(stroke)}" stroke-width="${width}"`;
  return ` fill="${escaped(fill)}"${line}${dash ? ` stroke-dasharray="${dash.join(' ')}"` : ''}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/gu, (sign) => `&#${sign.codePointAt(0)};`);
}
