/** Explains why a document is, or is not, among the first k passages of a pipeline for a question. */
import type { Explanation, ProgramAnswer } from '../../core/explain/explanation.ts';
import { AskedPassages } from './asked-passages.ts';
import { programAnswer } from './programs.ts';
import type { Asked, ExplainContext } from './ranking.ts';
import { findTarget } from './target.ts';
import { whyNotRead } from './why-not-read.ts';
import type { WorkOptions } from '../types.ts';

export interface ExplainRequest extends Asked {
  /** A path, an id, a title or a text. */
  readonly document: string;
  /** Whether changes of the pipeline are tried. */
  readonly tryChanges: boolean;
}

/**
 * The first cause in the order of the pipeline, with its evidence, and the smallest change that helps.
 *
 * @throws ParallaxError as a search with that pipeline
 */
export async function explain(
  { document, tryChanges, ...question }: ExplainRequest,
  context: ExplainContext,
  work: WorkOptions,
): Promise<Explanation> {
  const { index } = context;
  const target = await findTarget(index, document, work);
  const programs: ProgramAnswer[] = [];
  for (const retrieval of context.programs(question.query.text))
    programs.push(await programAnswer(retrieval, target, index, work));
  const basis = {
    k: question.pipeline.k,
    candidates: question.pipeline.candidates,
    ...(programs.length > 0 ? { programs } : {}),
    arms: [],
    terms: [],
    tried: [],
  };
  if (target.passages.length === 0) return { ...basis, ...(await whyNotRead(index, target.file, work)) };
  const asked = new AskedPassages(question, target, context, work);
  const outcome = await asked.outcome();
  const explanation = { ...basis, ...outcome, ...(await asked.evidence()) };
  return tryChanges ? { ...explanation, ...(await asked.changes(explanation)) } : explanation;
}
