/** Counts spans that cannot be shown as retrievals, by kind. */
import type { UnusedSpan } from './span-reading.ts';

/** Programs may name any number of kinds, of any length. */
const MAX_KINDS = 50;
const MAX_NAME = 1_000;

export interface CountedUnused extends UnusedSpan {
  readonly count: number;
}

export class UnusedSpans {
  readonly #counts = new Map<string, CountedUnused>();

  /** Spans of kinds beyond {@link MAX_KINDS} are counted without a kind. */
  add(span: UnusedSpan): void {
    const known = this.#counts.get(keyOf(span));
    const isFull = !known && (this.#counts.size >= MAX_KINDS || span.kind.length > MAX_NAME);
    const entry = isFull ? { kind: '', reason: span.reason } : span;
    const count = this.#counts.get(keyOf(entry))?.count ?? 0;
    this.#counts.set(keyOf(entry), { ...entry, count: count + 1 });
  }

  /** Takes back an {@link add}. */
  remove(span: UnusedSpan): void {
    const entry = this.#counts.get(keyOf(span));
    if (entry && entry.count > 1) this.#counts.set(keyOf(span), { ...entry, count: entry.count - 1 });
    else this.#counts.delete(keyOf(span));
  }

  /** Most frequent first. */
  list(): CountedUnused[] {
    return [...this.#counts.values()].sort((a, b) => b.count - a.count);
  }

  clear(): void {
    this.#counts.clear();
  }
}

function keyOf({ kind, reason }: UnusedSpan): string {
  return `${reason} ${kind}`;
}
