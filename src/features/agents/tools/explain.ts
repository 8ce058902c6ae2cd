/** Looks up which passages support the perspectives that a pipeline loses. */
import { throwIfCancelled } from '../../../core/errors.ts';
import type { Span } from '../../../core/model.ts';
import { passageName } from '../../../core/text/passage-name.ts';
import type { Evaluation, PerspectiveEvaluation } from '../../../evaluation/evaluation.ts';
import { lostPerspectives, type LostPerspective } from '../../../evaluation/reading.ts';
import type { Result } from '../../../shared/rpc.ts';
import { excerptOf } from './answer.ts';
import { MAX_EXCERPT, MAX_EXPLAINED, type Supporter } from './explain-answer.ts';
import type { AgentHost, AgentWork } from './host.ts';

type Supporters = ReadonlyMap<PerspectiveEvaluation, Supporter>;

/** The deepest rank in a stored comparison. */
const MAX_RANK = 100;

/**
 * For the first lost perspectives only; each takes a few free requests.
 *
 * @throws ParallaxError the engine's error
 */
export async function findSupporters(
  comparison: Evaluation,
  host: Pick<AgentHost, 'request'>,
  work: AgentWork,
): Promise<Supporters> {
  const supporters = new Map<PerspectiveEvaluation, Supporter>();
  const dataset = comparison.datasets[0]!;
  for (const lost of lostPerspectives(dataset.queries, 0).slice(0, MAX_EXPLAINED)) {
    throwIfCancelled(work.signal);
    const id = await supportingPassage(comparison, lost, host, work);
    if (id === undefined) continue;
    const supporter = await readPassage(comparison, lost, id, host, work);
    if (supporter) supporters.set(lost.perspective, supporter);
  }
  return supporters;
}

/** The passage at the rank of first support; any known one if that was not retrieved. */
async function supportingPassage(
  { id, judge, datasets: [dataset] }: Evaluation,
  { query, perspective, where, rank }: LostPerspective,
  host: Pick<AgentHost, 'request'>,
  work: AgentWork,
): Promise<string | undefined> {
  const { name, corpus } = dataset!;
  if (where === 'below-k' && rank !== undefined && rank <= MAX_RANK) {
    const depth = Math.max(1, rank);
    const { passages } = await host.request(
      'movement',
      { id, dataset: name, queryId: query.id, depth },
      work,
    );
    return passages.find(({ ranks }) => ranks[0] === rank)?.id;
  }
  if (where !== 'not-retrieved') return undefined;
  const shortQuery = { id: query.id, text: query.text };
  const perspectives = [{ id: perspective.id, text: perspective.text }];
  const known = await host.request(
    'judgements',
    { corpus, judge, query: shortQuery, perspectives, slots: [] },
    work,
  );
  return known.supporters[0]?.passageId;
}

async function readPassage(
  { judge, datasets: [dataset] }: Evaluation,
  { query, perspective }: LostPerspective,
  passageId: string,
  host: Pick<AgentHost, 'request'>,
  work: AgentWork,
): Promise<Supporter | undefined> {
  const { corpus } = dataset!;
  const passage = await host.request('passage', { corpus, passageId }, work);
  const shortQuery = { id: query.id, text: query.text };
  const perspectives = [{ id: perspective.id, text: perspective.text }];
  const { pairs } = await host.request(
    'judgements',
    { corpus, judge, query: shortQuery, perspectives, slots: [passage.slot] },
    work,
  );
  return {
    passage: passage.id,
    title: passageName(passage),
    excerpt: excerptOf(passage.text, evidenceOf(pairs), MAX_EXCERPT),
  };
}

function evidenceOf(pairs: Result<'judgements'>['pairs']): readonly Span[] {
  return pairs.find(({ judgement }) => judgement.verdict === 'yes')?.judgement.evidence ?? [];
}
