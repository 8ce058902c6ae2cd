import { passageName } from '../../core/text/passage-name.ts';
import type { JudgedPair, Known, Supporter } from '../../shared/requests/passages.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { Configured } from '../configured.ts';
import type { JudgingTask } from '../judgements/judgement-service.ts';
import { probeView } from '../../features/look-deeper/engine/probes.ts';
import type { StoredPassage } from '../types.ts';

/**
 * Looks up what is known of passages, without asking a judge.
 *
 * @param judge name of the judge whose stored answers count beside people's labels
 * @throws ParallaxError for an unknown judge
 */
export async function knownOf(
  { judgementService, remembering, probes }: Pick<Configured, 'judgementService' | 'remembering' | 'probes'>,
  index: CorpusIndex,
  judgingTask: JudgingTask,
  judge: string,
): Promise<Known> {
  const { query, perspectives } = judgingTask;
  const remembered = remembering(judge);
  const probed = probes.of(index, query, perspectives);
  const probedPassages = probed.flatMap(({ passages }) => passages.map(({ passage }) => passage));
  const passages = [
    ...new Map([...judgingTask.passages, ...probedPassages].map((each) => [each.slot, each])).values(),
  ];
  const pairs = await judgementService.known({ ...judgingTask, passages }, remembered);
  return {
    pairs,
    supporters: [
      ...(await judgementService.supporters(query, perspectives, index, remembered)),
      ...supportersAmong(probedPassages, pairs),
    ],
    probes: probed.map(probeView),
  };
}

function supportersAmong(passages: readonly StoredPassage[], pairs: readonly JudgedPair[]): Supporter[] {
  const bySlot = new Map(passages.map((passage) => [passage.slot, passage]));
  return pairs.flatMap(({ slot, perspectiveId, judgement }) => {
    const passage = bySlot.get(slot);
    if (!passage || judgement.verdict !== 'yes') return [];
    return [{ perspectiveId, passageId: passage.id, name: passageName(passage) }];
  });
}
