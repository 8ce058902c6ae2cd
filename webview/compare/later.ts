/** Draws the parts of large views one per frame, so that the panel stays responsive. */
import { noChange } from 'lit/html.js';
import { AsyncDirective, directive } from 'lit/async-directive.js';

/** Parts that have not been drawn yet. */
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
    // After the surrounding parts.
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
 * A part of a view that is drawn in a separate frame, in the order of the parts. Until then it keeps its previous
 * content.
 *
 * @param of identifies the content; while it stays the same, a drawn part updates immediately
 */
export const later = directive(LaterDirective);
