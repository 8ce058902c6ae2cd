/** Evaluates a run against judgements: every measure per topic, and the means. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { Qrels, Run } from '../model.ts';
import { PLAIN_PERSPECTIVE } from '../words.ts';
import type { RunLikeness } from '../likeness/ranked-likeness.ts';
import { mean } from '../statistics/mean.ts';
import { topicOf, type Basis, type Topic } from './judgements.ts';
import type { MeasureDefinition } from './measure-definition.ts';
import type { Measure } from './measures.ts';
import { computeMeasure, definitionOf, measureName } from './measures.ts';

/** `plain`: one relevance per passage. `diversity`: one per passage and perspective. */
export type QrelsKind = 'plain' | 'diversity';

export interface EvaluateOptions {
  /** Whether topics that are missing from the run count 0 in the means or are left out. Defaults to `zero`. */
  readonly missing?: 'zero' | 'drop' | undefined;
  /** Defaults to the kind that the perspective ids imply. */
  readonly kind?: QrelsKind | undefined;
  /** Defaults to `pooled`. */
  readonly basis?: Basis | undefined;
  /** Needed by measures of likeness, which are left out without it. */
  readonly likeness?: RunLikeness | undefined;
}

export interface RunEvaluation {
  /** Topics with judgements. */
  readonly topics: number;
  /** How many of them are in the run. */
  readonly topicsInRun: number;
  /** Mean per measure name, over the topics of `perTopic`. */
  readonly mean: Readonly<Record<string, number>>;
  readonly perTopic: ReadonlyMap<string, Readonly<Record<string, number>>>;
  readonly warnings: readonly string[];
  /** The embedder behind the likeness measures. `undefined` without them. */
  readonly vectors?: string | undefined;
}

/** `plain` if no topic has a perspective other than {@link PLAIN_PERSPECTIVE}. */
export function qrelsKind(qrels: Qrels): QrelsKind {
  for (const judgements of qrels.values())
    for (const perspective of judgements.keys()) if (perspective !== PLAIN_PERSPECTIVE) return 'diversity';
  return 'plain';
}

/**
 * Evaluates a run, taking each ranking in the given order. Topics of the run without judgements are ignored with a
 * warning. A topic without supporting passages counts 0. Measures that need perspectives are left out for plain qrels.
 *
 * @throws ParallaxError `bad-argument` if no topic remains to average over.
 */
export function evaluateRun(
  run: Run,
  qrels: Qrels,
  measures: readonly Measure[],
  { missing = 'zero', kind = qrelsKind(qrels), basis = 'pooled', likeness }: EvaluateOptions = {},
): RunEvaluation {
  const answered = [...qrels.keys()].filter((topic) => run.has(topic));
  const evaluated = missing === 'drop' ? answered : [...qrels.keys()];
  if (evaluated.length === 0) throw new ParallaxError('bad-argument', nothingShared(run, qrels));

  const available = {
    perspectives: kind === 'diversity',
    relevance: true,
    passages: likeness !== undefined,
  } satisfies Record<MeasureDefinition['needs'], boolean>;
  const computable = measures.filter((measure) => available[definitionOf(measure).needs]);
  const perTopic = new Map<string, Record<string, number>>();
  for (const topic of evaluated)
    perTopic.set(
      topic,
      evaluateTopic(
        run.get(topic) ?? [],
        { ...topicOf(qrels.get(topic)!, basis), passages: likeness?.rankings.get(topic) },
        computable,
      ),
    );

  return {
    topics: qrels.size,
    topicsInRun: answered.length,
    mean: meansOf(run, perTopic, computable),
    perTopic,
    warnings: mismatches(run, qrels, answered.length, missing),
    ...(likeness ? { vectors: likeness.vectors } : {}),
  };
}

function evaluateTopic(
  ranked: readonly { readonly item: string }[],
  topic: Topic,
  measures: readonly Measure[],
): Record<string, number> {
  const ranking = ranked.map(({ item }) => item);
  return Object.fromEntries(
    measures.map((measure) => [measureName(measure), computeMeasure(measure, ranking, topic)]),
  );
}

function meansOf(
  run: Run,
  perTopic: ReadonlyMap<string, Readonly<Record<string, number>>>,
  measures: readonly Measure[],
): Record<string, number> {
  const all = [...perTopic.values()];
  const retrieved = [...perTopic].flatMap(([topic, values]) => (run.get(topic)?.length ? [values] : []));
  return Object.fromEntries(
    measures.flatMap((measure) => {
      const name = measureName(measure);
      const over = definitionOf(measure).ofRetrieved ? retrieved : all;
      // If no topic retrieved anything, a share of the retrieved is undefined.
      return over.length === 0 && all.length > 0 ? [] : [[name, mean(over.map((values) => values[name]!))]];
    }),
  );
}

function mismatches(run: Run, qrels: Qrels, answered: number, missing: 'zero' | 'drop'): string[] {
  if (answered === 0) return [nothingShared(run, qrels)];
  const warnings: string[] = [];
  const unanswered = qrels.size - answered;
  if (unanswered > 0)
    warnings.push(
      `${unanswered} of ${qrels.size} topics with judgements are missing from the run and ` +
        (missing === 'zero' ? 'count 0.' : 'are left out of the means.'),
    );
  const unjudged = [...run.keys()].filter((topic) => !qrels.has(topic));
  if (unjudged.length > 0)
    warnings.push(
      `${unjudged.length} of ${run.size} topics of the run have no judgements and are ignored, the first is "${unjudged[0]}".`,
    );
  return warnings;
}

function nothingShared(run: Run, qrels: Qrels): string {
  const [ofRun] = run.keys();
  const [ofQrels] = qrels.keys();
  return ofRun === undefined || ofQrels === undefined
    ? l10n.t('The run and the judgements share no topic; check that they use the same query ids.')
    : l10n.t`The run and the judgements share no topic; check that they use the same query ids (run: "${ofRun}", judgements: "${ofQrels}").`;
}
