/** Checks an eval set against its corpus: what it can show, and what weakens its figures. */
import {
  mostOnOneDocument,
  uncoverable,
  type Supporting,
} from '../../features/eval-set-check/core/ceiling.ts';
import type { EvalSetReport, Showable } from '../../features/eval-set-check/core/report.ts';
import { sameStatements, type SameOptions } from '../../features/eval-set-check/core/same-statement.ts';
import { sharedWords } from '../../features/eval-set-check/core/shared-words.ts';
import { showableOf } from '../../features/eval-set-check/core/showable.ts';
import { throwIfCancelled } from '../../core/errors.ts';
import { MIN_JUDGED_TO_COMPARE, supports } from '../../core/metrics/judgements.ts';
import { TIE } from '../../core/metrics/differences.ts';
import { definitionOf, familiesShown, measureName, type Measure } from '../../core/metrics/measures.ts';
import type { Query } from '../../core/model.ts';
import { BUILT_IN_PIPELINES, type NamedPipeline } from '../../core/pipeline.ts';
import { passageName } from '../../core/text/passage-name.ts';
import { Pace } from '../concurrency/pace.ts';
import type { JudgementService } from '../judgements/judgement-service.ts';
import { lostInQrels, type LostLabels } from '../judgements/lost-labels.ts';
import type { WorkOptions } from '../types.ts';
import { scoresOf } from './analyses.ts';
import type { CollectedJudgements } from './collected-judgements.ts';
import { judgementsOf, type RanDataset } from './experiments.ts';
import type { PipelineRuns } from './pipeline-runs.ts';

/** A search for the words of each question. It runs beside the pipelines. */
export const WORDS_SEARCH: NamedPipeline = { name: '\0words', pipeline: BUILT_IN_PIPELINES.bm25 };

/** Passages that a search for words finds are compared with the one that answers. */
const COMPARED = 10;

/** The number of documents with lost labels that a message names. */
const EXAMPLES = 10;

export interface CheckParts {
  readonly judgementService: Pick<JudgementService, 'lostLabels'>;
  readonly k: number;
}

/**
 * @param ran the pipelines and, last, {@link WORDS_SEARCH}
 * @throws ParallaxError `cancelled`
 */
export async function checkEvalSet(
  ran: RanDataset,
  { judgementService, k }: CheckParts,
  work: WorkOptions,
): Promise<EvalSetReport> {
  const { dataset, index } = ran;
  const { queries } = dataset;
  const runs = ran.runs.filter(({ name }) => name !== WORDS_SEARCH.name);
  const words = ran.runs.find(({ name }) => name === WORDS_SEARCH.name);
  const judgements = await judgementsOf(ran, { k }, work);
  const supporting = supportingOf(queries, judgements, (id) => index.passageById(id)?.documentId ?? id);
  const hanging = mostOnOneDocument(supporting, k);
  const lost = dataset.qrels
    ? lostInQrels(dataset.qrels, queries, index)
    : await judgementService.lostLabels(queries, index, work);
  return {
    questions: queries.length,
    k,
    pipelines: runs.filter(({ error }) => error === undefined).map(({ name }) => name),
    failed: runs.flatMap(({ name, error }) => (error ? [{ name, error: error.message }] : [])),
    tests: Math.max(1, runs.length - 1),
    ...outcomesOf(runs, judgements, queries.length, k),
    ...coverableOf(supporting, judgements, k),
    perspectives: [...supporting.values()].reduce((sum, { size }) => sum + size, 0),
    ...(words && words.error === undefined
      ? { sharedWords: await withSharedWords(ran, words, judgements, work) }
      : {}),
    sameQuestions: sameIn(queries, { inOrder: false }).map(([one, other]) => ({
      query: one.id,
      as: other.id,
    })),
    samePerspectives: queries.flatMap(({ id, perspectives }) =>
      sameIn(perspectives, { inOrder: true })
        .filter(([one, other]) => one.stance === other.stance)
        .map(([one, other]) => ({ query: id, perspective: one.id, as: other.id })),
    ),
    lostLabels: lostOf(lost),
    ...(hanging ? { onOneDocument: { document: hanging.document, queries: [...hanging.queries] } } : {}),
  };
}

function lostOf({ labels, lost }: LostLabels): EvalSetReport['lostLabels'] {
  const byDocument = [...Map.groupBy(lost, (document) => document)];
  const examples = byDocument.slice(0, EXAMPLES).map(([document, own]) => ({ document, labels: own.length }));
  return { labels, lost: lost.length, examples };
}

function sameIn<T extends { readonly text: string }>(all: readonly T[], options: SameOptions): [T, T][] {
  return sameStatements(
    all.map(({ text }) => text),
    options,
  ).flatMap((first, place): [T, T][] => (first === undefined ? [] : [[all[place]!, all[first]!]]));
}

/** By question, the documents of the corpus that support each perspective. */
function supportingOf(
  queries: readonly Query[],
  { qrelsWithinCorpus: qrels }: CollectedJudgements,
  documentOf: (passage: string) => string,
): Map<string, Supporting> {
  return new Map(
    queries.map(({ id }) => [
      id,
      new Map(
        [...(qrels.get(id) ?? [])].map(([perspective, judged]) => [
          perspective,
          new Set([...judged].flatMap(([passage, value]) => (supports(value) ? [documentOf(passage)] : []))),
        ]),
      ),
    ]),
  );
}

/** In open judgements, unjudged passages may support a perspective that has no support yet. */
function coverableOf(
  supporting: ReadonlyMap<string, Supporting>,
  judgements: CollectedJudgements,
  k: number,
): Pick<EvalSetReport, 'unwinnable' | 'unsupported'> {
  const { isOpen, qrels, passages } = judgements;
  const isKnown = (query: string, perspective: string): boolean =>
    !isOpen || (passages > 0 && (qrels.get(query)?.get(perspective)?.size ?? 0) >= passages);
  const unwinnable: EvalSetReport['unwinnable'][number][] = [];
  let unsupported = 0;
  for (const [query, perspectives] of supporting) {
    const without = [...perspectives].flatMap(([id, documents]) => (documents.size === 0 ? [id] : []));
    unsupported += without.filter((id) => !isKnown(query, id)).length;
    const lacking = uncoverable(perspectives, k);
    if (lacking.length > 0 && lacking.every((id) => isKnown(query, id)))
      unwinnable.push({ query, perspectives: lacking });
  }
  return { unwinnable, unsupported };
}

/**
 * What the pipelines' outcomes show. With fewer than two sufficiently judged pipelines, only what the number
 * of questions shows.
 */
function outcomesOf(
  runs: readonly PipelineRuns[],
  judgements: CollectedJudgements,
  questions: number,
  k: number,
): Pick<EvalSetReport, 'showable' | 'won'> {
  const ran = runs.filter(({ error }) => error === undefined);
  const isPlain = judgements.kind === 'plain';
  const measures = familiesShown('beside-calls')
    .map((family): Measure => ({ family, k }))
    .filter((measure) => !(isPlain && definitionOf(measure).needs === 'perspectives'));
  const judged: Measure = { family: 'Judged', k };
  const scores = ran.map((own) => scoresOf(own, [...measures, judged], { judgements }));
  const isJudged =
    !judgements.isOpen ||
    scores.every(({ mean }) => (mean[measureName(judged)] ?? 0) >= MIN_JUDGED_TO_COMPARE);
  const compared = ran.length > 1 && isJudged ? scores : [];
  const tests = Math.max(1, runs.length - 1);
  const valuesOf = (measure: Measure): number[][] =>
    compared.map(({ perTopic }) => [...perTopic.values()].map((values) => values[measureName(measure)]!));
  const showable = measures.flatMap((measure): Showable[] => {
    const [baseline, ...others] = valuesOf(measure);
    const differences = others.map((own) =>
      own.map((value, place) => {
        const difference = value - baseline![place]!;
        return Math.abs(difference) <= TIE ? 0 : difference;
      }),
    );
    const shown = showableOf(measure, questions, tests, differences);
    return shown ? [shown] : [];
  });
  if (compared.length === 0 || isPlain) return { showable };
  const won = [...compared[0]!.perTopic.keys()].filter((query) =>
    compared.every(({ perTopic }) => perTopic.get(query)![measureName({ family: 'MRecall', k })] === 1),
  );
  return { showable, won };
}

/**
 * Questions with a perspective that only one passage supports, if that passage shares the question's words as
 * no other does.
 */
async function withSharedWords(
  { dataset, index }: RanDataset,
  words: PipelineRuns,
  { qrelsWithinCorpus: qrels }: CollectedJudgements,
  { signal }: WorkOptions,
): Promise<NonNullable<EvalSetReport['sharedWords']>> {
  const found: NonNullable<EvalSetReport['sharedWords']>[number][] = [];
  const pace = new Pace({ signal });
  for (const { id, text } of dataset.queries) {
    const supporters = [...(qrels.get(id)?.values() ?? [])].map((judged) =>
      [...judged].flatMap(([passage, value]) => (supports(value) ? [passage] : [])),
    );
    const all = new Set(supporters.flat());
    const slots = words.questions.get(id)?.slice(0, COMPARED + all.size) ?? [];
    const others = index.passages(slots).filter((passage) => !all.has(passage.id));
    const alone = new Set(supporters.flatMap((own) => (own.length === 1 ? own : [])));
    for (const only of alone) {
      const passage = index.passageById(only)!;
      const shared = sharedWords(
        text,
        passage.text,
        others.slice(0, COMPARED).map((other) => other.text),
      );
      if (shared) found.push({ query: id, passage: only, name: passageName(passage), ...shared });
    }
    throwIfCancelled(signal);
    if (pace.due) await pace.rest();
  }
  return found;
}
