/** Large views are drawn part by part, one in each frame, so that the panel answers in between. */
import { noChange } from 'lit/html.js';
import { AsyncDirective, directive } from 'lit/async-directive.js';

/** Parts that wait for a frame of their own. */
const waiting = new Set<LaterDirective>();

class LaterDirective extends AsyncDirective {
  #of: unknown;
  #isDrawn = false;
  #make: () => unknown = () => noChange;

  render(of: unknown, make: () => unknown): unknown {
    this.#isDrawn &&= this.#of === of;
    this.#of = of;
    this.#make = make;
    if (this.#isDrawn) return make();
    // The parts around them come first.
    if (waiting.size === 0) requestAnimationFrame(() => requestAnimationFrame(drawNext));
    waiting.add(this);
    return noChange;
  }

  draw(): void {
    this.#isDrawn = true;
    this.setValue(this.#make());
  }
}

function drawNext(): void {
  for (const first of waiting) {
    waiting.delete(first);
    if (!first.isConnected) continue;
    first.draw();
    break;
  }
  if (waiting.size > 0) requestAnimationFrame(drawNext);
}

/**
 * A part of a view that is drawn in a frame of its own, in the order of the parts; until then it stays as it was.
 *
 * @param of what is shown: once it is drawn, the part follows at once until this is another
 */
export const later = directive(LaterDirective);
