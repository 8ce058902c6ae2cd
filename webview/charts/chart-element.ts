/**
 * The element of a chart. Draws it once it becomes visible, and again when the chart or its width changes. The drawing
 * library is loaded with the first chart.
 */
import type { Chart } from './draw.ts';
import type { Picture } from './plotting.ts';
import { svgFile } from './svg-file.ts';

/** A clicked cell of a heat chart. */
export interface Pick {
  readonly row: number;
  readonly column: number;
}

/** Distance to the viewport at which a chart is drawn. */
const AHEAD = '200px';

/**
 * Resolves when the pointer button is released; `undefined` while no button is pressed. A drawn chart is seldom as high
 * as its placeholder, so drawing between press and release would move the pressed element away from the click.
 */
let unpressed: Promise<void> | undefined;

function watchPointer(): void {
  const press = (): void => {
    unpressed ??= new Promise((resolve) => {
      const listening = new AbortController();
      const release = (): void => {
        listening.abort();
        // After the click event, which follows the release.
        setTimeout(() => resolve((unpressed = undefined)));
      };
      for (const event of ['pointerup', 'pointercancel', 'blur'])
        addEventListener(event, release, { capture: true, signal: listening.signal });
    });
  };
  addEventListener('pointerdown', press, { capture: true });
}

export class ChartElement extends HTMLElement {
  /** A sentence, if the chart cannot be drawn. */
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

  /** The chart as a file. `undefined` if it cannot be drawn. */
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

/** Defines the element. Call it once, before the first render. */
export function registerCharts(): void {
  watchPointer();
  customElements.define('parallax-chart', ChartElement);
}
