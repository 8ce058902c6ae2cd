/** Builds drafts of an eval set from a corpus, a list of questions or a query log. */
import * as l10n from '@vscode/l10n';
import type { DistinctQuestion } from '../core/questions.ts';
import { inContext, messageOf, ParallaxError } from '../../../core/errors.ts';
import type { Random } from '../../../core/statistics/random.ts';
import type { BuildReportView } from '../contract/building.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import { isHopeless } from '../../../engine/models/chat-model.ts';
import type { PaidReplies } from '../../../engine/models/paid-replies.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import { passagePairs, type CorpusPassages } from './corpus-passages.ts';
import type { DraftsFile } from './drafts-file.ts';
import { Generator, UnusableAnswer } from './generator.ts';
import type { LentModel } from '../../../engine/judges/judges.ts';
import {
  proposeFromPair,
  proposeFromQuestion,
  type Proposal,
  type Proposers,
  type QuestionOptions,
} from './propose.ts';
import type { RequestBudget } from './request-budget.ts';

/** The source of drafts. */
export type Material =
  | { readonly from: 'corpus'; readonly corpus: CorpusPassages; readonly random: Random }
  | (QuestionOptions & {
      readonly questions: readonly DistinctQuestion[];
      /** The corpus to search for gold passages. Needed by `contrast`. */
      readonly corpus?: CorpusPassages | undefined;
    });

export interface BuildParts {
  readonly generator: LentModel;
  readonly judge?: Judge | undefined;
  readonly replies: PaidReplies;
  readonly drafts: DraftsFile;
  readonly budget: RequestBudget;
  /** The present time in ISO 8601. */
  readonly now: () => string;
}

/** The number of consecutive failures despite retries, after which the rest would fail, too. */
const STOP_AFTER_FAILURES = 3;
const SHOWN_PROBLEMS = 10;

/**
 * Adds drafts until `count` of them wait for a person. Whatever stops it, proposed drafts stay in the file, and
 * repeating it continues there, with the stored replies.
 *
 * @param count drafts to have waiting, including those of earlier runs
 * @throws ParallaxError `bad-file` if the drafts cannot be written, `store-unusable`, `bad-argument`
 */
export async function buildDrafts(
  material: Material,
  count: number,
  parts: BuildParts,
  work: WorkOptions = {},
): Promise<BuildReportView> {
  return new Building(count, parts, work).run(material);
}

/** One question or pair of passages. Nothing is asked before its turn. */
interface Unit {
  /** For messages. */
  readonly name: string;
  propose(proposers: Proposers): Promise<Proposal>;
}

class Building {
  readonly #count: number;
  readonly #parts: BuildParts;
  readonly #work: WorkOptions;
  readonly #generator: Generator;
  readonly #leftOut = new Map<string, number>();
  readonly #problems: string[] = [];
  #underWay = 0;
  #proposed = 0;
  #filtered = 0;
  #known = 0;
  #failed = 0;
  #failuresInARow = 0;
  /** Whether to start no further unit. Running ones finish, since they are paid for. */
  #isOver = false;
  #isHopeless = false;
  /** The first error that ends the whole build. Thrown after the running work has stopped. */
  #fatal: unknown;

  constructor(count: number, parts: BuildParts, work: WorkOptions) {
    this.#count = count;
    this.#parts = parts;
    this.#work = work;
    this.#generator = new Generator(parts.generator, parts.replies, parts.budget);
  }

  async run(material: Material): Promise<BuildReportView> {
    const { signal = new AbortController().signal } = this.#work;
    const { judge, budget, now } = this.#parts;
    const proposers = { generator: this.#generator, judge, corpus: material.corpus, budget, signal, now };
    const units = this.#units(material, signal);
    const worker = async (): Promise<void> => {
      while (this.#wantsMore && !signal.aborted) {
        this.#underWay++;
        await this.#turn(units, proposers);
        this.#underWay--;
      }
    };
    this.#progress();
    await Promise.all(Array.from({ length: this.#generator.concurrency }, worker));
    if (this.#fatal !== undefined) throw this.#fatal;
    return this.#report();
  }

  /** Never runs more units than there are drafts to add. */
  get #wantsMore(): boolean {
    return !this.#isOver && this.#parts.drafts.waiting + this.#underWay < this.#count;
  }

  async #turn(units: AsyncGenerator<Unit>, proposers: Proposers): Promise<void> {
    let name = l10n.t('The corpus');
    try {
      const next = await units.next();
      if (next.done) {
        this.#isOver = true;
        return;
      }
      name = next.value.name;
      await this.#take(await next.value.propose(proposers));
      this.#failuresInARow = 0;
    } catch (error) {
      this.#fail(name, error);
    }
    this.#progress();
  }

  async #take(proposal: Proposal): Promise<void> {
    if ('leftOut' in proposal) {
      const { leftOut } = proposal;
      this.#leftOut.set(leftOut, (this.#leftOut.get(leftOut) ?? 0) + 1);
      return;
    }
    const { draft } = proposal;
    if (!(await this.#parts.drafts.add(draft))) this.#known++;
    else if (draft.review === 'filtered') this.#filtered++;
    else this.#proposed++;
  }

  #fail(name: string, error: unknown): void {
    if (ParallaxError.is(error, 'cancelled')) {
      this.#isOver = true;
      return;
    }
    if (!ParallaxError.is(error) || !(error.id === 'model-answer' || isHopeless(error))) {
      this.#fatal ??= error;
      this.#isOver = true;
      return;
    }
    this.#failed++;
    if (this.#problems.length < SHOWN_PROBLEMS)
      this.#problems.push(messageOf(inContext((sentence) => l10n.t`${name}: ${sentence}`, error)));
    // An endpoint that answers is reachable, however useless its answer.
    if (error instanceof UnusableAnswer) return;
    this.#isHopeless ||= isHopeless(error) || ++this.#failuresInARow >= STOP_AFTER_FAILURES;
    this.#isOver ||= this.#isHopeless;
  }

  async *#units(material: Material, signal: AbortSignal): AsyncGenerator<Unit> {
    if (material.from === 'corpus') {
      for await (const pair of passagePairs(material.corpus, material.random, { signal }))
        yield {
          name: `${pair[0].documentId} and ${pair[1].documentId}`,
          propose: (proposers) => proposeFromPair(pair, proposers),
        };
      return;
    }
    for (const question of material.questions)
      if (this.#parts.drafts.knows(question.text)) this.#known++;
      else
        yield {
          name: `"${question.text}"`,
          propose: (proposers) => proposeFromQuestion(question, material, proposers),
        };
  }

  #progress(): void {
    const { drafts, budget } = this.#parts;
    this.#work.onProgress?.({
      done: Math.min(drafts.waiting, this.#count),
      total: this.#count,
      detail: l10n.t`${budget.used} requests`,
    });
  }

  #report(): BuildReportView {
    const { drafts, budget } = this.#parts;
    return {
      end: this.#end(),
      proposed: this.#proposed,
      filtered: this.#filtered,
      known: this.#known,
      leftOut: Object.fromEntries(this.#leftOut),
      waiting: drafts.waiting,
      requests: budget.used,
      tokens: this.#generator.tokens,
      problems: this.#problems,
      failed: this.#failed,
    };
  }

  #end(): BuildReportView['end'] {
    if (this.#isHopeless) return 'failed';
    if (this.#work.signal?.aborted) return 'cancelled';
    if (this.#parts.budget.wasReached) return 'budget';
    return this.#parts.drafts.waiting >= this.#count ? 'enough' : 'exhausted';
  }
}
