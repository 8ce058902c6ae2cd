import type { Known } from '../../shared/requests/passages.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { EngineState } from '../engine-state.ts';
import type { JudgingTask } from '../judgements/judgement-service.ts';

/**
 * What is known of passages without asking anybody.
 *
 * @param judge name of the judge whose earlier answers count beside people's
 * @throws ParallaxError where there is no such judge
 */
export async function knownOf(
  engine: EngineState,
  index: CorpusIndex,
  judgingTask: JudgingTask,
  judge: string,
): Promise<Known> {
  const { judgementService } = engine.current;
  const { query, perspectives } = judgingTask;
  const remembering = engine.remembering(judge);
  const passagesOf = (documentId: string): ReturnType<CorpusIndex['passagesOf']> =>
    index.passagesOf(documentId);
  return {
    pairs: await judgementService.known(judgingTask, remembering),
    supporters: await judgementService.supporters(query, perspectives, passagesOf, remembering),
  };
}
