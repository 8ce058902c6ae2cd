/** Explains why a document is, or is not, among the first k passages of a pipeline for a question. */
import * as l10n from '@vscode/l10n';
import type { Explanation, NamedDocument, NamedTarget, ProgramAnswer } from '../core/explanation.ts';
import { AskedPassages } from './asked-passages.ts';
import { programAnswer } from './programs.ts';
import type { RankedQuestion, ExplainContext } from './ranking.ts';
import { splittersFor, trySplits } from './splitters.ts';
import { findTarget, type Target } from './target.ts';
import { whyNotRead, type Absence } from './why-not-read.ts';
import type { WorkOptions } from '../../../engine/types.ts';

export interface ExplainRequest extends RankedQuestion, NamedTarget {
  /** Whether to try changes of the pipeline. */
  readonly tryChanges: boolean;
  /** Whether to try other splitters, if nothing else helps. */
  readonly trySplitters?: boolean | undefined;
}

/**
 * Returns the first cause in the order of the pipeline, with its evidence, and the smallest change that helps.
 *
 * @throws ParallaxError as a search with that pipeline
 */
export async function explain(
  request: ExplainRequest,
  context: ExplainContext,
  work: WorkOptions,
): Promise<Explanation> {
  const { document, within, tryChanges, trySplitters, ...question } = request;
  const { index } = context;
  const target = await findTarget(index, document, work, within);
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
  if (target.passages.length === 0) {
    const absence =
      (await elsewhere(target, document, context)) ?? (await whyNotRead(index, target.file, work));
    const isName = absence.cause === 'unknown' && within === undefined;
    const named = isName ? index.documentsNamed(document, MAX_NAMED) : [];
    if (named.length === 1) return explain({ ...request, document: named[0]!.id }, context, work);
    return { ...basis, ...absence, ...(named.length > 1 ? { reason: severalNamed(named) } : {}) };
  }
  const passages = new AskedPassages(question, target, context, work);
  const outcome = await passages.outcome();
  const explanation = { ...basis, ...outcome, ...(await passages.evidence()) };
  if (!tryChanges) return explanation;
  const changed = { ...explanation, ...(await passages.changes(explanation)) };
  const splitters = splittersFor(changed, question.pipeline, context);
  if (splitters !== 'untried') return { ...changed, ...(splitters ? { splitters } : {}) };
  if (!trySplitters) return { ...changed, splitters };
  const { tried, ...result } = await trySplits(question, { ...target, document, within }, context, work);
  return { ...changed, ...result, tried: [...changed.tried, ...tried] };
}

/** Documents to list if a part of a name fits several. */
const MAX_NAMED = 5;

function severalNamed(named: readonly NamedDocument[]): string {
  const ids = named.map(({ id }) => id).join(', ');
  return l10n.t`Several documents have this in their path or title; type more of one: ${ids}`;
}

/** A document that another corpus has is not missing there. */
async function elsewhere(
  { file }: Target,
  document: string,
  { corporaWith }: ExplainContext,
): Promise<Absence | undefined> {
  const [corpus] = file === undefined ? [] : await corporaWith(document, file);
  if (corpus === undefined) return undefined;
  return {
    cause: 'not-read',
    reason: l10n.t`The corpus “${corpus}” has it: choose that corpus and ask again.`,
  };
}
