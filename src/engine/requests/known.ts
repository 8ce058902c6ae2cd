import type { Known } from '../../shared/requests/passages.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { Configured } from '../configured.ts';
import type { JudgingTask } from '../judgements/judgement-service.ts';

/**
 * Looks up what is known of passages, without asking anybody.
 *
 * @param judge name of the judge whose earlier answers count beside people's
 * @throws ParallaxError where there is no such judge
 */
export async function knownOf(
  { judgementService, remembering }: Pick<Configured, 'judgementService' | 'remembering'>,
  index: CorpusIndex,
  judgingTask: JudgingTask,
  judge: string,
): Promise<Known> {
  const { query, perspectives } = judgingTask;
  const remembered = remembering(judge);
  const passagesOf = (documentId: string): ReturnType<CorpusIndex['passagesOf']> =>
    index.passagesOf(documentId);
  return {
    pairs: await judgementService.known(judgingTask, remembered),
    supporters: await judgementService.supporters(query, perspectives, passagesOf, remembered),
  };
}
