/** Finds a document among the passages that a program of the user returned. */
import path from 'node:path';
import type { CapturedRetrieval } from '../../capture/core/span-reading.ts';
import type { ProgramAnswer, ProgramPool } from '../core/explanation.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import { isForeign } from '../../../engine/external/foreign-passages.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import { isOfTarget, type Target } from './target.ts';

/** @throws ParallaxError `cancelled` */
export async function programAnswer(
  retrieval: CapturedRetrieval,
  target: Target,
  index: CorpusIndex,
  work: WorkOptions,
): Promise<ProgramAnswer> {
  const { id, name, at, code, live, results } = retrieval;
  const place = code ? `${path.basename(code.file)}${code.line === undefined ? '' : `:${code.line}`}` : '';
  return {
    id,
    at,
    name: place === '' ? name : `${name}, ${place}`,
    ...(live ? { live: { site: live.site, retrieval: live.retrieval } } : {}),
    ...(await placeAmong(results, target, index, work)),
  };
}

/** @param results best first @throws ParallaxError `cancelled` */
export async function placeAmong(
  results: readonly Pick<CapturedRetrieval['results'][number], 'id' | 'text' | 'about'>[],
  target: Target,
  index: CorpusIndex,
  work: WorkOptions,
): Promise<Pick<ProgramPool, 'returned' | 'unmatched' | 'rank'>> {
  const named = results.map(({ id, text, about }) => ({ id, text, about }));
  const { slots } = await index.recognised(named, work);
  const place = slots.findIndex(isOfTarget(target, index));
  return {
    returned: results.length,
    unmatched: slots.filter(isForeign).length,
    ...(place < 0 ? {} : { rank: place + 1 }),
  };
}
