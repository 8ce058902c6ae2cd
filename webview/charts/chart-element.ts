/**
 * The place of a picture in the panel. It is drawn when it comes into sight, and again when its chart or its width
 * changes; the library that draws is loaded with the first one.
 */
import type { Chart } from './draw.ts';
import type { Picture } from './plotting.ts';
import { svgFile } from './svg-file.ts';

/** A cell of a heat chart was clicked on. */
export interface Pick {
  readonly row: number;
  readonly column: number;
}

/** A picture begins to be drawn this far before it comes into sight. */
const AHEAD = '200px';

/**
 * There while a button of the pointer is held. A picture is seldom as high as the room that was kept for it: what moved
 * between press and release would take the click from what was pressed.
 */
let unpressed: Promise<void> | undefined;

function watchPointer(): void {
  const press = (): void => {
    unpressed ??= new Promise((resolve) => {
      const listening = new AbortController();
      const release = (): void => {
        listening.abort();
        // Not before the click, which follows the release.
        setTimeout(() => resolve((unpressed = undefined)));
      };
      for (const event of ['pointerup', 'pointercancel', 'blur'])
        addEventListener(event, release, { capture: true, signal: listening.signal });
    });
  };
  addEventListener('pointerdown', press, { capture: true });
}

export class ChartElement extends HTMLElement {
  /** The sentence when the picture cannot be drawn. */
  failure = '';
  onPick: ((pick: Pick) => void) | undefined;
  #chart: Chart | undefined;
  #visible = false;
  #drawn: { readonly key: string; readonly width: number; readonly picture: Picture } | undefined;
  #drawing: Promise<void> | undefined;
  readonly #sight = new IntersectionObserver(
    (entries) => {
      this.#visible = entries.some(({ isIntersecting }) => isIntersecting);
      this.#update();
    },
    { rootMargin: AHEAD },
  );
  readonly #size = new ResizeObserver(() => this.#update());

  constructor() {
    super();
    this.addEventListener('click', (event) => {
      const pick = this.#drawn?.picture.pickedBy?.(event);
      if (pick) this.onPick?.(pick);
    });
  }

  set chart(chart: Chart) {
    this.#chart = chart;
    this.#update();
  }

  connectedCallback(): void {
    this.#sight.observe(this);
    this.#size.observe(this);
  }

  disconnectedCallback(): void {
    this.#sight.disconnect();
    this.#size.disconnect();
  }

  /** The picture as a file; nothing when it cannot be drawn. */
  async svgFile(): Promise<string | undefined> {
    await (this.#drawing ?? this.#draw());
    const svg = this.#drawn?.picture.svg;
    return svg && svgFile(svg, getComputedStyle(this).getPropertyValue('background-color'));
  }

  #update(): void {
    if (!this.#visible || this.#drawing) return;
    this.#drawing = this.#draw().finally(() => {
      this.#drawing = undefined;
      // The chart or its width may have changed while it was being drawn.
      if (!this.#current && this.clientWidth > 0) this.#update();
    });
  }

  get #current(): boolean {
    return this.#drawn?.key === this.#chart?.key && this.#drawn?.width === this.clientWidth;
  }

  async #draw(): Promise<void> {
    if (this.#current) return;
    try {
      const { drawChart } = await import('./draw.ts');
      const [chart, width] = [this.#chart, this.clientWidth];
      if (!chart || width === 0) return;
      await unpressed;
      const picture = drawChart(chart, width);
      this.#drawn = { key: chart.key, width, picture };
      this.replaceChildren(picture.svg);
    } catch (error) {
      this.#drawn = undefined;
      this.#visible = false;
      this.textContent = `${this.failure} ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

/** Defines the element; call it once, before the first render. */
export function registerCharts(): void {
  watchPointer();
  customElements.define('parallax-chart', ChartElement);
}
