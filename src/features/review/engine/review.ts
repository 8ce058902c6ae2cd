/** Answers the engine's requests about pairs that wait for people. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { withdrawalOf } from '../../../core/formats/labels.ts';
import { STANDARDS } from '../../../core/judging/standard.ts';
import type { Judgement } from '../../../core/model.ts';
import { agreementOfLabels, type LabelAgreement } from '../core/label-agreement.ts';
import { areDivided, countedOf } from '../core/queue.ts';
import type { ReviewAdded, ReviewEntry, ReviewQueueView, PersonsAnswer } from '../contract/review.ts';
import type { Evaluation } from '../../../evaluation/evaluation.ts';
import type { Candidate } from '../../../shared/requests/passages.ts';
import type { Params, Result } from '../../../shared/rpc.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import type { Comparisons } from '../../compare/engine/comparisons.ts';
import { asRead } from '../../../engine/judgements/cached-judge.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { JudgementCache } from '../../../engine/judgements/judgement-cache.ts';
import { aboutPair, type JudgementService } from '../../../engine/judgements/judgement-service.ts';
import type { AskedQuery } from '../../../shared/requests/questions.ts';
import type { Judges } from '../../../engine/judges/judges.ts';
import type { LabelsFile } from '../../../engine/judgements/labels-file.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import type { StoredPassage, WorkOptions } from '../../../engine/types.ts';
import { perspectiveHashes, readable } from './answered-pairs.ts';
import { mixed, newItem, type ReviewCandidate } from './review-candidate.ts';
import { PairGathering, type Noticed } from './gather-pairs.ts';
import type { NewReviewItem, ReviewItem, ReviewQueue } from './review-queue.ts';
import { verdictsOn, reviewStateFor } from './people-verdicts.ts';

export interface ReviewParts {
  readonly queue: ReviewQueue;
  readonly labels: LabelsFile;
  readonly judgementService: JudgementService;
  readonly cache: JudgementCache;
  readonly judges: Judges;
  /** The judge whose answers count. `undefined` for people's labels only. */
  readonly judgeOf: (name: string) => Judge | undefined;
  readonly comparisons: Pick<Comparisons, 'get' | 'movement'>;
  /** @throws ParallaxError `not-found`, `not-indexed` */
  readonly openIndexed: (corpus: string) => Promise<CorpusIndex>;
}

/** The most pairs that a list shows. The others move up. */
const LISTED = 1_000;
/** Characters of a passage that a list shows. */
const EXCERPT = 100;

const NONE: ReviewAdded = { found: 0, added: 0, leftOut: 0 };

export class Review {
  readonly #parts: ReviewParts;
  readonly #gathering: PairGathering;

  constructor(parts: ReviewParts) {
    this.#parts = parts;
    this.#gathering = new PairGathering(parts);
  }

  /** The items that are open for one person. */
  async queue({ by }: Params<'reviewQueue'>, work: WorkOptions): Promise<ReviewQueueView> {
    const snapshot = await this.#parts.labels.content();
    const pace = new Pace(work);
    const entries: ReviewEntry[] = [];
    let [open, waiting] = [0, 0];
    for (const item of this.#parts.queue.all()) {
      const answers = verdictsOn(item, snapshot);
      const reviewState = reviewStateFor(item, answers, by);
      if (reviewState === 'open' && ++open <= LISTED) entries.push(entryOf(item, answers));
      if (reviewState === 'waiting') waiting++;
      if (pace.due) await pace.rest();
    }
    return { entries, open, waiting };
  }

  /**
   * One pair with everything that helps to decide it. Judges' answers are shown if they are to be decided about, and
   * people's answers if they are divided or contradict a judge. Otherwise, people judge independently.
   *
   * @throws ParallaxError `not-found`; if the passage is gone, the pair leaves the queue
   */
  async item({ id }: Params<'reviewItem'>): Promise<Result<'reviewItem'>> {
    const item = this.#require(id);
    const answers = verdictsOn(item, await this.#parts.labels.content());
    const entry = entryOf(item, answers);
    const standard = Object.values(STANDARDS).find((each) => each.id === item.standard);
    const showsPeople = item.expected === undefined && (entry.divided || item.since !== undefined);
    return {
      entry,
      passage: await this.#passage(item),
      standard: { id: item.standard, summary: standard?.summary ?? '' },
      opinions: await this.#opinions(item),
      answers: showsPeople
        ? answers.map(({ note, ...each }) => ({ ...each, ...(note ? { note } : {}) }))
        : [],
    };
  }

  /**
   * A person's answer: a label, or for an attention check a line that is no label.
   *
   * @returns the time that identifies the answer for withdrawing it
   */
  async answer({ id, verdict, by, note }: Params<'reviewAnswer'>): Promise<Result<'reviewAnswer'>> {
    const item = this.#require(id);
    const { standard, expected, chance } = item;
    if (expected === undefined) {
      const informed = item.judges.length > 0;
      const split = (await this.#parts.openIndexed(item.corpus)).ref.config.split.type;
      const answer = { verdict, by, standard, note, informed, chance };
      const { at } = await this.#parts.judgementService.label({ ...item, split }, answer);
      return { at };
    }
    const check = { ...aboutPair(item, by, standard), expected, answer: verdict };
    await this.#parts.labels.append(check);
    return { at: check.at };
  }

  /**
   * Withdraws an answer by adding a line, since the labels file is append-only.
   *
   * @throws ParallaxError `not-found` if there is no such answer
   */
  async undo({ id, by, at }: Params<'reviewUndo'>): Promise<void> {
    const { passage, perspective, expected } = this.#require(id);
    const { index, checks } = await this.#parts.labels.content();
    const answers =
      expected === undefined ? index.givenAt(at, perspective.text) : checks.filter((each) => each.at === at);
    const line = answers.find(
      (each) => each.hash === passage.hash && each.by.kind === 'human' && each.by.name === by,
    );
    if (!line) throw new ParallaxError('not-found', l10n.t('This answer has already been undone.'));
    await this.#parts.labels.append(withdrawalOf(line, new Date().toISOString()));
  }

  skip({ id }: Params<'reviewSkip'>): void {
    this.#parts.queue.skip(id, new Date().toISOString());
  }

  remove({ ids }: Params<'reviewRemove'>): void {
    this.#parts.queue.remove(ids);
  }

  /** @throws ParallaxError `not-found`, `not-indexed`, `cancelled` */
  async add(params: Params<'reviewAdd'>, work: WorkOptions): Promise<ReviewAdded> {
    switch (params.from) {
      case 'memory':
        return this.#putHashed(params.corpus, await this.#gathering.fromMemory(params.queries, work), work);
      case 'sample':
        return this.#addSample(params, work);
      case 'attention':
        return this.#addChecks(params, work);
      case 'query': {
        const { corpus, judge, query, perspectives, slots } = params;
        const passages = (await this.#parts.openIndexed(corpus)).passages(slots);
        return this.#put(corpus, await this.#gathering.unjudged({ query, perspectives, passages }, judge));
      }
      case 'comparison':
        return this.#addComparison(params, (comparison, dataset) =>
          this.#gathering.unjudgedIn(comparison, dataset, work),
        );
      case 'narrowing':
        return this.#addComparison(params, (comparison, dataset) =>
          this.#gathering.narrowing(comparison, dataset, params, work),
        );
    }
  }

  /** Queues what a judge just could not decide, or decided differently from another one. */
  async noticed(
    corpus: string,
    query: AskedQuery,
    judge: Judge,
    judgedPairs: readonly Noticed[],
  ): Promise<ReviewAdded> {
    return this.#put(corpus, await this.#gathering.fromJudging(query, judge, judgedPairs));
  }

  async agreement(): Promise<LabelAgreement> {
    const { index, checks } = await this.#parts.labels.content();
    return agreementOfLabels([...index.labels()], checks);
  }

  async #addSample(
    { corpus, judge, queries, count, seed, people }: Extract<Params<'reviewAdd'>, { from: 'sample' }>,
    work: WorkOptions,
  ): Promise<ReviewAdded> {
    const judged = await this.#gathering.judged(queries, judge, people, work);
    const snapshot = await this.#parts.labels.content();
    const open = (await this.#placed(corpus, judged, work)).filter((pair) => {
      const item = newItem(corpus, pair);
      return reviewStateFor(item, verdictsOn(item, snapshot), '') !== 'done';
    });
    return this.#put(corpus, mixed(open, count, seed));
  }

  async #addChecks(
    { corpus, queries, count, seed, by }: Extract<Params<'reviewAdd'>, { from: 'attention' }>,
    work: WorkOptions,
  ): Promise<ReviewAdded> {
    const known = await this.#placed(corpus, await this.#gathering.checks(queries, by), work);
    return this.#put(corpus, mixed(known, count, seed));
  }

  async #addComparison(
    { id }: { readonly id: string },
    find: (
      comparison: Evaluation,
      dataset: Evaluation['datasets'][number],
    ) => Promise<ReviewCandidate<StoredPassage>[]>,
  ): Promise<ReviewAdded> {
    const comparison = this.#parts.comparisons.get({ id });
    let sum = NONE;
    for (const dataset of comparison.datasets) {
      const counts = await this.#put(dataset.corpus, await find(comparison, dataset));
      sum = {
        found: sum.found + counts.found,
        added: sum.added + counts.added,
        leftOut: sum.leftOut + counts.leftOut,
      };
    }
    return sum;
  }

  async #putHashed(
    corpus: string,
    candidates: readonly ReviewCandidate<string>[],
    work: WorkOptions,
  ): Promise<ReviewAdded> {
    return this.#put(corpus, await this.#placed(corpus, candidates, work));
  }

  /** Looks the passages up. Leaves out pairs of other corpora, and of texts that have changed. */
  async #placed(
    corpus: string,
    candidates: readonly ReviewCandidate<string>[],
    work: WorkOptions,
  ): Promise<ReviewCandidate<StoredPassage>[]> {
    if (candidates.length === 0) return [];
    const index = await this.#parts.openIndexed(corpus);
    const passages = await index.passagesByHash(new Set(candidates.map(({ passage }) => passage)), work);
    return candidates.flatMap((pair) => {
      const passage = passages.get(pair.passage);
      return passage ? [{ ...pair, passage }] : [];
    });
  }

  async #put(corpus: string, candidates: readonly ReviewCandidate<StoredPassage>[]): Promise<ReviewAdded> {
    if (candidates.length === 0) return NONE;
    const snapshot = await this.#parts.labels.content();
    const isDone = (item: NewReviewItem): boolean =>
      reviewStateFor(item, verdictsOn(item, snapshot), '') === 'done';
    const items = candidates.map((pair) => newItem(corpus, pair)).filter((item) => !isDone(item));
    return { found: items.length, ...this.#parts.queue.add(items, isDone) };
  }

  #require(id: string): ReviewItem {
    const item = this.#parts.queue.get(id);
    if (item) return item;
    throw new ParallaxError('not-found', l10n.t('This pair is no longer in the review queue.'));
  }

  async #passage(item: ReviewItem): Promise<Omit<Candidate, 'score' | 'retrievedRank'>> {
    const { id, hash, documentId } = item.passage;
    const index = await this.#parts.openIndexed(item.corpus);
    const sameId = index.passageById(id);
    const passage =
      sameId?.hash === hash ? sameId : index.passagesOf(documentId).find((each) => each.hash === hash);
    if (passage) return passage;
    this.#parts.queue.remove([item.id]);
    throw new ParallaxError(
      'not-found',
      l10n.t`A passage of ${documentId} changed since it was queued; the pair was removed from the queue.`,
    );
  }

  async #opinions({
    judges: keys,
    query,
    perspective,
    passage,
  }: ReviewItem): Promise<Result<'reviewItem'>['opinions']> {
    const { cache, judges } = this.#parts;
    const named = judges.remembering().filter(({ key }) => keys.includes(key));
    const configured = new Map((await readable(named)).map((judge) => [judge.key, judge]));
    const opinions: Judgement[] = [];
    for (const key of keys) {
      const answer = cache.ofPair(key, perspectiveHashes(query.text, perspective.text), passage.hash);
      if (!answer) continue;
      // The verdict is shown even if the judge is no longer configured, or the workspace is untrusted.
      const judge = configured.get(key);
      opinions.push(judge ? asRead(judge, answer.judgement) : answer.judgement);
    }
    return opinions;
  }
}

function entryOf(item: ReviewItem, answers: readonly PersonsAnswer[]): ReviewEntry {
  const { id, reason, corpus, query, perspective, passage, people, skipped, expected } = item;
  return {
    id,
    // The list must not show which of them is the check.
    reason: reason === 'attention' ? 'calibration' : reason,
    corpus,
    query,
    perspective,
    documentId: passage.documentId,
    name: passage.name ?? passage.documentId,
    excerpt: passage.text.slice(0, EXCERPT).replace(/\s+/g, ' ').trim(),
    ...(passage.lines ? { lines: passage.lines } : {}),
    people,
    answered: expected === undefined ? countedOf(answers, item).length : 0,
    divided: expected === undefined && areDivided(answers, item),
    skipped: skipped !== undefined,
  };
}
