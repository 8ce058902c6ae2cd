/** The coverage reranker as a step of a pipeline: asks for verdicts, and explains why it moved passages up. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { coverageReasons } from '../../core/rerank/coverage-reasons.ts';
import { coverageRerank, type CoveragePair, type CoverageVerdicts } from '../../core/rerank/coverage.ts';
import { CAUTIOUS_ERRORS, UNKNOWN_CORRELATION, type JudgeErrors } from '../../core/rerank/judge-errors.ts';
import {
  sequentialCoverageRerank,
  type CoverageRequest,
  type SequentialCoverageInput,
  type SequentialCoverageOrder,
} from '../../core/rerank/sequential-coverage.ts';
import { wordLikeness } from '../../core/rerank/word-likeness.ts';
import type { RerankerSpec } from '../../core/rerank/rerankers.ts';
import { mean } from '../../core/statistics/mean.ts';
import { effectiveVotes } from '../../features/validation/core/joint-errors.ts';
import type { Raised, TakenCorrelation, TakenErrors } from '../../features/validation/core/taken-errors.ts';
import type { Hit, Slot, WorkOptions } from '../types.ts';
import type { JudgeFacts, PipelineQuery, PipelineServices } from './pipeline-services.ts';
import { noPerspectives } from './query-parts.ts';

/** The error rates assumed of the first judge, and the passages that its answers moved up. */
export interface CoverageEvidence {
  readonly errors: TakenErrors;
  readonly raised: ReadonlyMap<Slot, Raised>;
}

export interface CoverageOutcome {
  readonly hits: Hit[];
  /** `undefined` if people's labels were used, which count as certain. */
  readonly evidence?: CoverageEvidence | undefined;
}

type CoverageSpec = Extract<RerankerSpec, { type: 'coverage' }>;

/** Keeps an endpoint busy. More questions at once would include some that an answer makes unnecessary. */
const ASKED_AT_A_TIME = 2;

/** People's labels count as free of errors. */
const NO_ERRORS: JudgeErrors = { yesOfSupport: 1, yesOfNone: 0 };

/**
 * @throws ParallaxError `bad-argument` without perspectives, for a judge whose yes carries no information, and for a
 *   judge named twice
 */
export async function coverageStep(
  spec: CoverageSpec,
  candidates: readonly Hit[],
  query: PipelineQuery,
  k: number,
  services: PipelineServices,
  work: WorkOptions,
): Promise<CoverageOutcome> {
  if (query.perspectives.length === 0) throw noPerspectives('coverage');
  const asking = new CoverageAsking(spec, candidates, query, k, services, work);
  return spec.judge === 'labels' ? asking.annotators() : asking.judges();
}

class CoverageAsking {
  readonly #spec: CoverageSpec;
  readonly #candidates: readonly Hit[];
  readonly #query: PipelineQuery;
  readonly #k: number;
  readonly #services: PipelineServices;
  readonly #work: WorkOptions;

  constructor(
    spec: CoverageSpec,
    candidates: readonly Hit[],
    query: PipelineQuery,
    k: number,
    services: PipelineServices,
    work: WorkOptions,
  ) {
    this.#spec = spec;
    this.#candidates = candidates;
    this.#query = query;
    this.#k = k;
    this.#services = services;
    this.#work = work;
  }

  async annotators(): Promise<CoverageOutcome> {
    const { aim = 'MRecall', requests } = this.#spec;
    if (aim !== 'MRecall') {
      const { order } = await this.#tested({ errors: [NO_ERRORS] }, ['labels']);
      return { hits: this.#inOrder(order) };
    }
    const steps = coverageRerank({ ...this.#size(), calls: requests });
    let step = steps.next();
    while (!step.done) step = steps.next(await this.#verdicts(['labels'], 0, step.value));
    return { hits: this.#inOrder(step.value.order) };
  }

  async judges(): Promise<CoverageOutcome> {
    const names = [this.#spec.judge, ...(this.#spec.also ?? [])];
    const facts: JudgeFacts[] = [];
    for (const name of names) facts.push(await this.#services.judgeFacts(name, this.#query));
    requireDifferent(names, facts);
    const errorRates = names.map((judge, place) => this.#takenOf(judge, facts[place]!, place === 0));
    const together = await this.#togetherOf(names, facts);
    const coverage = await this.#tested(
      {
        errors: errorRates,
        correlation: together?.correlation,
        // A judge of single pairs needs one request per pair, whichever judges are asked beside it.
        unit: facts.every(({ byPassage }) => byPassage) ? 'passage' : 'pair',
        likeness: wordLikeness(this.#services.texts(this.#candidates.map(({ item }) => item))),
      },
      names,
    );
    const raised = new Map(
      coverageReasons(coverage, this.#k).map(({ candidate, perspective, supports, only }) => [
        this.#candidates[candidate]!.item,
        { perspectiveId: this.#query.perspectives[perspective]!.id, supports, only },
      ]),
    );
    return {
      hits: this.#inOrder(coverage.order),
      evidence: { errors: { ...errorRates[0]!, ...(together && { together }) }, raised },
    };
  }

  /** Rates of the pipeline, for the first judge only; else those that a validation measured; else cautious ones. */
  #takenOf(judge: string, { errors: measured }: JudgeFacts, isFirst: boolean): TakenErrors {
    const { errors: specErrors } = this.#spec;
    if (specErrors && isFirst) return { judge, ...specErrors, from: 'pipeline' };
    return measured
      ? { judge, ...measured, from: 'validation' }
      : { judge, ...CAUTIOUS_ERRORS, from: 'default' };
  }

  /** As {@link #takenOf}. Two judges that were not validated together get the default correlation of unknown judges. */
  async #togetherOf(judges: string[], facts: readonly JudgeFacts[]): Promise<TakenCorrelation | undefined> {
    if (judges.length < 2) return undefined;
    const stated = (correlation: number, from: TakenCorrelation['from']): TakenCorrelation => ({
      judges,
      correlation,
      votes: effectiveVotes(judges.length, correlation),
      from,
    });
    const { correlation } = this.#spec;
    if (correlation !== undefined) return stated(correlation, 'pipeline');
    const keys = facts.map(({ key }) => key!);
    const measured = await Promise.all(
      keys.flatMap((first, at) =>
        keys.slice(at + 1).map((second) => this.#services.measuredCorrelation([first, second], this.#query)),
      ),
    );
    const correlations = measured.filter((each) => each !== undefined);
    if (correlations.length === 0) return stated(UNKNOWN_CORRELATION, 'default');
    const average = mean(measured.map((each) => each?.correlation ?? UNKNOWN_CORRELATION));
    return { ...stated(average, 'validation'), pairs: Math.min(...correlations.map(({ pairs }) => pairs)) };
  }

  async #tested(
    judged: Pick<SequentialCoverageInput, 'errors' | 'correlation' | 'unit' | 'likeness'>,
    names: readonly string[],
  ): Promise<SequentialCoverageOrder> {
    const { aim, requests } = this.#spec;
    const { share } = this.#services;
    const steps = sequentialCoverageRerank({
      ...this.#size(),
      ...judged,
      k: this.#k,
      aim,
      requests,
      // Known answers cost nothing, so it ends with the first request that is refused. The number of requests at a
      // time stays, because another one would ask about other passages.
      left: share && (() => (share.isShort ? 0 : Infinity)),
      lookahead: ASKED_AT_A_TIME,
    });
    let step = steps.next([]);
    while (!step.done)
      step = steps.next(
        await Promise.all(
          step.value.map(({ judge, candidate, perspectives }: CoverageRequest) =>
            this.#verdicts(
              names,
              judge,
              perspectives.map((perspective) => ({ candidate, perspective })),
            ),
          ),
        ),
      );
    if (step.value.end === 'budget' && step.value.requests < (requests ?? Infinity)) share?.refuse();
    return step.value;
  }

  /** A judge that is named again is asked again. */
  #verdicts(
    names: readonly string[],
    place: number,
    pairs: readonly CoveragePair[],
  ): Promise<CoverageVerdicts> {
    const judge = names[place]!;
    return this.#services.verdicts(
      judge,
      this.#query,
      pairs.map(({ candidate, perspective }) => ({
        slot: this.#candidates[candidate]!.item,
        perspective: this.#query.perspectives[perspective]!,
      })),
      this.#work,
      names.slice(0, place + 1).filter((name) => name === judge).length,
    );
  }

  #size(): { readonly candidates: number; readonly perspectives: number } {
    return { candidates: this.#candidates.length, perspectives: this.#query.perspectives.length };
  }

  #inOrder(order: readonly number[]): Hit[] {
    return order.map((item, index) => ({ item: this.#candidates[item]!.item, score: 1 / (index + 1) }));
  }
}

/** A second answer of a judge that is not sampled would count the first one twice. */
function requireDifferent(names: readonly string[], facts: readonly JudgeFacts[]): void {
  for (const [place, { key, isSampled }] of facts.entries()) {
    const first = facts.findIndex((judgeFacts) => judgeFacts.key === key);
    if (key === undefined)
      throw new ParallaxError(
        'bad-argument',
        l10n.t`"${names[place]!}" has only human labels. In "also", name judges that can be asked.`,
      );
    if (first < place && !(isSampled && names[first] === names[place]))
      throw new ParallaxError(
        'bad-argument',
        l10n.t`"${names[first]!}" and "${names[place]!}" are the same model with the same prompt, so both give the same answer. Name another model in "also", or give the judge a "temperature" above 0 and repeat its name.`,
      );
  }
}
