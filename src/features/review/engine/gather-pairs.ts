/** Collects pairs for people: from running judges, stored answers, random samples and unjudged pairs. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { STANDARDS } from '../../../core/judging/standard.ts';
import type { Judgement, Perspective, Query } from '../../../core/model.ts';
import { drawnAlike } from '../core/draw.ts';
import { seededRandom } from '../../../core/statistics/random.ts';
import type { Evaluation } from '../../../evaluation/evaluation.ts';
import type { Comparisons } from '../../compare/engine/comparisons.ts';
import { judgingTasks, type LookedUp, type TopTask } from '../../compare/engine/judging-tasks.ts';
import { isOfPeople } from '../../../engine/experiment/label-source.ts';
import { answerKey, asRead } from '../../../engine/judgements/cached-judge.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { JudgementCache } from '../../../engine/judgements/judgement-cache.ts';
import type { JudgementService, JudgingTask } from '../../../engine/judgements/judgement-service.ts';
import type { AskedQuery } from '../../../shared/requests/questions.ts';
import type { Judges } from '../../../engine/judges/judges.ts';
import type { LabelsFile } from '../../../engine/judgements/labels-file.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import type { StoredPassage, WorkOptions } from '../../../engine/types.ts';
import { answeredPairs, briefly, readable, type BriefAnswer } from './answered-pairs.ts';
import { findingOf } from './find-pairs.ts';
import { hashedPair, type ReviewCandidate } from './review-candidate.ts';
import { areOpenlyDivided, labelledPairs, reliable } from './known-answers.ts';

export interface GatheringParts {
  readonly labels: LabelsFile;
  readonly judgementService: Pick<JudgementService, 'known'>;
  readonly cache: Pick<JudgementCache, 'get' | 'ofPerspective'>;
  readonly judges: Pick<Judges, 'remembering'>;
  /** The judge whose answers count. `undefined` for people's labels only. */
  readonly judgeOf: (name: string) => Judge | undefined;
  readonly comparisons: Pick<Comparisons, 'movement'>;
  /** @throws ParallaxError `not-found`, `not-indexed` */
  readonly openIndexed: (corpus: string) => Promise<LookedUp>;
}

type ComparedDataset = Evaluation['datasets'][number];

/** A new judgement. */
export interface Noticed {
  readonly passage: StoredPassage;
  readonly perspective: Perspective;
  readonly judgement: Judgement;
}

export class PairGathering {
  readonly #parts: GatheringParts;

  constructor(parts: GatheringParts) {
    this.#parts = parts;
  }

  /** Queues pairs that a judge has just left undecided, or decided differently from another judge. */
  async fromJudging(
    query: AskedQuery,
    judge: Judge,
    judgedPairs: readonly Noticed[],
  ): Promise<ReviewCandidate<StoredPassage>[]> {
    if (judge.heuristic) return [];
    const all = this.#parts.judges.remembering();
    const otherJudges = await readable(all.filter(({ key }) => key !== judge.key));
    const labels = await this.#parts.labels.read();
    const now = new Date().toISOString();
    return judgedPairs.flatMap(({ passage, perspective, judgement }) => {
      const answers = [
        briefly(judge.key, judgement),
        ...otherJudges.flatMap((otherJudge) => this.#remembered(otherJudge, query, perspective, passage)),
      ];
      const pair = { query, perspective, passageHash: passage.hash };
      const finding = findingOf(pair, answers, labels, now);
      return finding ? [{ ...finding, query, perspective, passage }] : [];
    });
  }

  /** All stored answers that people should decide about, and pairs on which people are divided. */
  async fromMemory(queries: readonly Query[], work: WorkOptions): Promise<ReviewCandidate<string>[]> {
    const { judges, cache, labels: file } = this.#parts;
    const { index } = await file.content();
    const now = new Date().toISOString();
    const pace = new Pace(work);
    const candidates: ReviewCandidate<string>[] = [];
    for (const pair of await answeredPairs(queries, await readable(judges.remembering()), cache, work)) {
      const finding = findingOf(pair, pair.answers, index, now);
      if (finding) candidates.push({ ...finding, ...hashedPair(pair) });
      if (pace.due) await pace.rest();
    }
    for (const pair of labelledPairs(index, queries).filter(areOpenlyDivided)) {
      const { standard } = pair;
      candidates.push({ reason: 'disagreement', judges: [], people: 2, standard, ...hashedPair(pair) });
    }
    return candidates;
  }

  /**
   * Everything that a judge has answered, for drawing a sample.
   *
   * @param people if more than one is needed, pairs that people labelled are included
   */
  async judged(
    queries: readonly Query[],
    judgeName: string,
    people: number,
    work: WorkOptions,
  ): Promise<ReviewCandidate<string>[]> {
    const { judgeOf, cache, labels: file } = this.#parts;
    const judge = judgeOf(judgeName);
    const { index } = await file.content();
    await judge?.reading?.refresh();
    const answered = judge ? await answeredPairs(queries, [judge], cache, work) : [];
    const shared = { reason: 'calibration' as const, judges: [], people };
    return [
      ...answered.map((pair) => ({ ...shared, standard: pair.answers[0]!.standard, ...hashedPair(pair) })),
      ...(people === 1 ? [] : labelledPairs(index, queries)).map((pair) => ({
        ...shared,
        standard: pair.standard,
        ...hashedPair(pair),
      })),
    ];
  }

  /** Pairs with a known answer, as questions for a person. */
  async checks(queries: readonly Query[], person: string): Promise<ReviewCandidate<string>[]> {
    const { index } = await this.#parts.labels.content();
    const since = new Date().toISOString();
    return reliable(labelledPairs(index, queries), person).map((pair) => ({
      reason: 'attention',
      judges: [],
      people: 1,
      since,
      standard: pair.standard,
      ...hashedPair(pair),
      expected: pair.verdict === 'yes' ? 'yes' : 'no',
    }));
  }

  /** Pairs without a verdict of people or the judge. */
  unjudged(judgingTask: JudgingTask, judgeName: string): Promise<ReviewCandidate<StoredPassage>[]> {
    return this.#unsaid(judgingTask, this.#parts.judgeOf(judgeName));
  }

  /** @param judge whose verdicts count, too */
  async #unsaid(
    judgingTask: JudgingTask,
    judge: Judge | undefined,
    counts: (judgement: Judgement) => boolean = () => true,
  ): Promise<ReviewCandidate<StoredPassage>[]> {
    const known = new Set(
      (await this.#parts.judgementService.known(judgingTask, judge))
        .filter(({ judgement }) => counts(judgement))
        .map(({ slot, perspectiveId }) => `${slot} ${perspectiveId}`),
    );
    const { query } = judgingTask;
    const standard = judge?.standard ?? STANDARDS.berds.id;
    return judgingTask.passages.flatMap((passage) =>
      judgingTask.perspectives
        // A foreign retriever may return an id without its text, which cannot be judged.
        .filter(({ id }) => passage.text !== '' && !known.has(`${passage.slot} ${id}`))
        .map((perspective) => ({
          reason: 'hole' as const,
          judges: [],
          people: 1,
          standard,
          query,
          perspective,
          passage,
        })),
    );
  }

  /** The {@link unjudged} pairs in the top k of any pipeline of a comparison, for each of its data sets. */
  async unjudgedIn(
    comparison: Evaluation,
    dataset: ComparedDataset,
    work: WorkOptions,
  ): Promise<ReviewCandidate<StoredPassage>[]> {
    const pace = new Pace(work);
    const candidates: ReviewCandidate<StoredPassage>[] = [];
    for (const judgingTask of await this.#tasksOf(comparison, dataset)) {
      candidates.push(...(await this.unjudged(judgingTask, comparison.judge)));
      if (pace.due) await pace.rest();
    }
    return candidates;
  }

  /**
   * Queries of a comparison, drawn with equal probability among those that people have not decided, with all pairs
   * that their top k under any pipeline depends on. People judge them without seeing the judge's answers.
   *
   * @throws ParallaxError `bad-argument` if no judge counts in the comparison
   */
  async narrowing(
    comparison: Evaluation,
    dataset: ComparedDataset,
    { count, seed }: { readonly count: number; readonly seed: number },
    work: WorkOptions,
  ): Promise<ReviewCandidate<StoredPassage>[]> {
    const judge = this.#parts.judgeOf(comparison.judge);
    if (!judge || judge.heuristic)
      throw new ParallaxError(
        'bad-argument',
        l10n.t('Only the figures of a judge are corrected, and this comparison uses none.'),
      );
    const pace = new Pace(work);
    const open: ReviewCandidate<StoredPassage>[][] = [];
    for (const judgingTask of await this.#tasksOf(comparison, dataset)) {
      const pairs = await this.#unsaid(judgingTask, judge, isOfPeople);
      if (pairs.length > 0) open.push(pairs);
      if (pace.due) await pace.rest();
    }
    return drawnAlike(open, count, seededRandom(seed)).flatMap(({ item, chance }, place) =>
      item.map((pair) => ({ ...pair, reason: 'narrowing' as const, place, chance })),
    );
  }

  async #tasksOf(comparison: Evaluation, dataset: ComparedDataset): Promise<TopTask[]> {
    const index = await this.#parts.openIndexed(dataset.corpus);
    return judgingTasks(this.#parts.comparisons, comparison, dataset, index);
  }

  #remembered(
    judge: Judge,
    query: AskedQuery,
    perspective: Perspective,
    passage: StoredPassage,
  ): BriefAnswer[] {
    const key = answerKey(judge, { passage, perspective, question: query.text });
    const answer = this.#parts.cache.get(judge.key, key);
    return answer && !answer.unparsable ? [briefly(judge.key, asRead(judge, answer.judgement))] : [];
  }
}
