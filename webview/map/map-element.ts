/** The element of the map, which can be moved, zoomed, and used to encircle passages. */
import { plainColour } from '../charts/svg-file.ts';
import type { DrawnMap } from './draft.ts';
import { DOT_RADIUS, dotPlaces, paintDots, type Rgb } from './dots.ts';
import {
  encircled,
  fitting,
  nearestPoint,
  onPage,
  pointsOf,
  zoomed,
  type Points,
  type Size,
  type View,
} from './geometry.ts';
import { paint, type Colors, type Scene } from './paint.ts';
import { CanvasPen, SvgPen, type Place } from './pens.ts';

/** The largest distance between the pointer and a sign, in pixels. */
const REACH = 12;
/** A pointer that moves less than this between down and up has clicked. */
const CLICK = 4;
export const STEP = 1.5;
/** Pixels of a saved picture per page pixel. */
const SAVED_RATIO = 2;
const COLORS = 8;

export class MapElement extends HTMLElement {
  onPoint: ((slot: number | undefined) => void) | undefined;
  onOpen: ((slot: number) => void) | undefined;
  /** Slots; those drawn as signs come first. */
  onEncircle: ((slots: readonly number[]) => void) | undefined;
  /** Whether dragging encircles passages instead of moving the map. With Shift it always does. */
  encircles = false;
  readonly #canvas = document.createElement('canvas');
  readonly #probes = Array.from({ length: COLORS }, (_, color) => probe(color));
  #scene: Scene | undefined;
  #points: Points | undefined;
  #view: View | undefined;
  #size: Size = { width: 0, height: 0 };
  #colors: Colors | undefined;
  #line: Place[] | undefined;
  #drag: { readonly from: Place; readonly view: View; moved: boolean } | undefined;
  /** A map that the user has moved keeps its view. */
  #isMoved = false;
  #frame = 0;
  readonly #sizes = new ResizeObserver(() => this.#resized());
  readonly #looks = new MutationObserver(() => {
    this.#colors = undefined;
    this.#ask();
  });

  constructor() {
    super();
    this.addEventListener('pointerdown', (event) => this.#down(event));
    this.addEventListener('pointermove', (event) => this.#move(event));
    this.addEventListener('pointerup', (event) => this.#up(event));
    this.addEventListener('pointerleave', () => this.onPoint?.(undefined));
    this.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
  }

  set scene(scene: Scene) {
    const before = this.#scene;
    this.#scene = scene;
    if (before?.map !== scene.map) {
      this.#points = pointsOf(scene.map);
      if (!before || isElsewhere(before.map, scene.map)) this.#isMoved = false;
      this.#fitUnlessMoved();
    }
    this.#ask();
  }

  connectedCallback(): void {
    if (!this.#canvas.isConnected) this.append(this.#canvas, ...this.#probes);
    this.#sizes.observe(this);
    for (const watched of [document.documentElement, document.body])
      this.#looks.observe(watched, { attributes: true, attributeFilter: ['class', 'style'] });
  }

  disconnectedCallback(): void {
    this.#sizes.disconnect();
    this.#looks.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  /** Zooms around the centre. */
  zoom(by: number): void {
    this.#zoom(by, { x: this.#size.width / 2, y: this.#size.height / 2 });
  }

  /** Shows the whole map. */
  fit(): void {
    this.#isMoved = false;
    this.#fitUnlessMoved();
    this.#ask();
  }

  /**
   * The place of a passage relative to the corner of the picture; it may be off screen. `undefined` if it is not drawn.
   */
  placeOf(slot: number): Place | undefined {
    const place = this.#placeIn(slot);
    return place && this.#view && onPage(this.#view, this.#size)(place);
  }

  /** Moves the map if a passage is off screen. */
  reveal(slot: number): void {
    const [place, shown] = [this.#placeIn(slot), this.placeOf(slot)];
    if (!place || !shown || !this.#view) return;
    const { width, height } = this.#size;
    if (shown.x >= 0 && shown.y >= 0 && shown.x <= width && shown.y <= height) return;
    this.#isMoved = true;
    this.#view = { ...this.#view, ...place };
    this.#ask();
  }

  #placeIn(slot: number): Place | undefined {
    const at = this.#points?.slots.indexOf(slot) ?? -1;
    return at < 0 || !this.#points ? undefined : { x: this.#points.xs[at]!, y: this.#points.ys[at]! };
  }

  /** The visible part as the text of an SVG file. `undefined` before it was drawn. */
  svg(): string | undefined {
    if (!this.#scene || !this.#points || !this.#view) return undefined;
    const colors = this.#currentColors();
    const pen = new SvgPen({ ...this.#size, ground: colors.ground, font: this.#font });
    pen.dots(dotPlaces(this.#points, this.#view, this.#size), DOT_RADIUS / 2, colors.muted);
    paint(pen, this.#scene, onPage(this.#view, this.#size), this.#size, colors);
    return pen.file();
  }

  /** The visible part as a PNG file in base64. */
  png(): string | undefined {
    const canvas = document.createElement('canvas');
    if (!this.#paint(canvas, SAVED_RATIO)) return undefined;
    return canvas.toDataURL('image/png').split(',')[1];
  }

  get #font(): string {
    return getComputedStyle(this).fontFamily;
  }

  #resized(): void {
    this.#size = { width: this.clientWidth, height: this.clientHeight };
    this.#fitUnlessMoved();
    this.#ask();
  }

  #fitUnlessMoved(): void {
    if (this.#isMoved || !this.#scene || !this.#points || this.#size.width === 0) return;
    const { question, perspectives, projections } = this.#scene.map;
    this.#view = fitting(this.#points, [question, ...perspectives, ...projections], this.#size);
  }

  #ask(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint(this.#canvas, devicePixelRatio);
    });
  }

  /** @returns whether there was something to draw */
  #paint(canvas: HTMLCanvasElement, ratio: number): boolean {
    const [scene, points, view, size] = [this.#scene, this.#points, this.#view, this.#size];
    if (!scene || !points || !view || size.width === 0) return false;
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const paper = canvas.getContext('2d');
    if (!paper) return false;
    paper.setTransform(ratio, 0, 0, ratio, 0, 0);
    const colors = this.#currentColors();
    paintDots(paper, points, view, size, { ratio, ground: rgbOf(colors.ground), color: rgbOf(colors.muted) });
    const pen = new CanvasPen(paper, this.#font);
    const toPage = onPage(view, size);
    this.#paintMarked(pen, scene, points, toPage, colors);
    paint(pen, scene, toPage, size, colors);
    if (this.#line) pen.polygon(this.#line, { stroke: colors.focus, width: 2, dash: [4, 3] });
    return true;
  }

  /** Points of the sample that are encircled or under the pointer. */
  #paintMarked(
    pen: CanvasPen,
    { chosen, on }: Scene,
    points: Points,
    toPage: (place: Place) => Place,
    colors: Colors,
  ): void {
    for (let at = points.signs; at < points.slots.length; at++) {
      const slot = points.slots[at]!;
      if (slot !== on && !chosen.has(slot)) continue;
      const { x, y } = toPage({ x: points.xs[at]!, y: points.ys[at]! });
      pen.circle(x, y, DOT_RADIUS + (slot === on ? 4 : 2), {
        stroke: colors.focus,
        width: slot === on ? 3 : 1.5,
      });
    }
  }

  #currentColors(): Colors {
    if (this.#colors) return this.#colors;
    const style = getComputedStyle(this);
    const named = (name: string, otherwise: string): string =>
      style.getPropertyValue(name).trim() || otherwise;
    this.#colors = {
      ground: plainColour(style.backgroundColor),
      foreground: plainColour(style.color),
      muted: named('--vscode-descriptionForeground', plainColour(style.color)),
      focus: named('--vscode-focusBorder', plainColour(style.color)),
      marks: this.#probes.map((each) => plainColour(getComputedStyle(each).color)),
    };
    return this.#colors;
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0 || !this.#view) return;
    this.setPointerCapture(event.pointerId);
    const from = { x: event.offsetX, y: event.offsetY };
    if (this.encircles || event.shiftKey) this.#line = [from];
    else this.#drag = { from, view: this.#view, moved: false };
  }

  #move(event: PointerEvent): void {
    const at = { x: event.offsetX, y: event.offsetY };
    if (this.#line) {
      this.#line.push(at);
      return this.#ask();
    }
    if (!this.#drag) return this.onPoint?.(this.#slotAt(at));
    const { from, view } = this.#drag;
    const [dx, dy] = [at.x - from.x, at.y - from.y];
    this.#drag.moved ||= Math.hypot(dx, dy) >= CLICK;
    if (!this.#drag.moved) return;
    this.#isMoved = true;
    this.#view = { ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale };
    this.#ask();
  }

  #up(event: PointerEvent): void {
    const [line, drag] = [this.#line, this.#drag];
    this.#line = this.#drag = undefined;
    if (line) this.#encircle(line);
    else if (drag && !drag.moved) {
      const slot = this.#slotAt({ x: event.offsetX, y: event.offsetY });
      if (slot !== undefined) this.onOpen?.(slot);
    }
    this.#ask();
  }

  #encircle(line: readonly Place[]): void {
    if (!this.#points || !this.#view || line.length < 3) return;
    const inside = encircled(this.#points, onPage(this.#view, this.#size), line);
    this.onEncircle?.(inside.map((at) => this.#points!.slots[at]!));
  }

  /** Zooms only with a modifier key, which pinching also sets; otherwise the wheel scrolls the page. */
  #wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.#zoom(Math.exp(-event.deltaY / 300), { x: event.offsetX, y: event.offsetY });
  }

  #zoom(by: number, at: Place): void {
    if (!this.#view) return;
    this.#isMoved = true;
    this.#view = zoomed(this.#view, by, at, this.#size);
    this.#ask();
  }

  #slotAt(at: Place): number | undefined {
    if (!this.#points || !this.#view) return undefined;
    const nearest = nearestPoint(this.#points, this.#view, this.#size, at, REACH);
    return nearest === undefined ? undefined : this.#points.slots[nearest];
  }
}

/** Whether the points have moved, so that the current view is meaningless. */
function isElsewhere(before: DrawnMap, now: DrawnMap): boolean {
  const [one, other] = [before.passages[0], now.passages[0]];
  return (
    before.sample.slots.length !== now.sample.slots.length || one?.id !== other?.id || one?.x !== other?.x
  );
}

/** An element with the colour of a perspective, to read the theme's colour from. */
function probe(color: number): HTMLElement {
  const element = document.createElement('span');
  element.className = 'probe';
  element.dataset['color'] = String(color);
  return element;
}

let mixing: CanvasRenderingContext2D | null | undefined;

/** Parses a CSS colour in any notation. */
function rgbOf(color: string): Rgb {
  if (mixing === undefined) {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    mixing = canvas.getContext('2d', { willReadFrequently: true });
  }
  if (!mixing) return [128, 128, 128];
  mixing.fillStyle = color;
  mixing.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = mixing.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

/** Defines the element. Call it once, before the first render. */
export function registerMap(): void {
  customElements.define('parallax-map', MapElement);
}
