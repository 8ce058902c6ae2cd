import type { LiveSlots } from '../types.ts';
import type { LiveSegment } from './live-segment.ts';
import { meanOkapiIdf, type CollectionStatistics } from './scoring.ts';

/** The segments that are searched together, and the statistics of their live passages. */
export class Collection {
  #segments: readonly LiveSegment[] = [];
  #statistics: CollectionStatistics = { passages: 0, averageLength: 0 };
  #meanIdf: number | undefined;
  /** The state that the cached statistics describe. Checking every passage again takes a quarter of a query. */
  #seen: { readonly live: LiveSlots; readonly version: number } | undefined;

  get segments(): readonly LiveSegment[] {
    return this.#segments;
  }

  /** Valid after {@link refresh}. */
  get statistics(): CollectionStatistics {
    return this.#statistics;
  }

  replaceSegments(segments: readonly LiveSegment[]): void {
    this.#segments = segments;
    this.#meanIdf = undefined;
    this.#seen = undefined;
  }

  /** Updates which passages are live. */
  refresh(live: LiveSlots): void {
    const { version } = live;
    if (version !== undefined && this.#seen?.live === live && this.#seen.version === version) return;
    this.#seen = version === undefined ? undefined : { live, version };
    let passages = 0;
    let totalLength = 0;
    for (const segment of this.#segments) {
      if (segment.refresh(live)) this.#meanIdf = undefined;
      passages += segment.passages;
      totalLength += segment.totalLength;
    }
    this.#statistics = { passages, averageLength: passages === 0 ? 0 : totalLength / passages };
  }

  /** The number of live passages with a term of the lexicon. */
  passageFrequency(id: number): number {
    return this.#segments.reduce((sum, segment) => {
      const term = segment.term(id);
      return term < 0 ? sum : sum + segment.passageFrequency(term);
    }, 0);
  }

  /** See {@link meanOkapiIdf}. Cached until a passage is added or removed. */
  meanIdf(): number {
    return (this.#meanIdf ??= meanOkapiIdf(this.#statistics.passages, this.#termsByFrequency()));
  }

  /** How many terms occur in each number of live passages. */
  #termsByFrequency(): Map<number, number> {
    const frequencies = new Map<number, number>();
    for (const segment of this.#segments)
      segment.segment.terms.forEach((id, term) =>
        frequencies.set(id, (frequencies.get(id) ?? 0) + segment.passageFrequency(term)),
      );
    const terms = new Map<number, number>();
    for (const df of frequencies.values()) if (df > 0) terms.set(df, (terms.get(df) ?? 0) + 1);
    return terms;
  }
}
