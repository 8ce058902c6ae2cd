/**
 * A judge behind cheap ones: a pair is discarded, as a "no", only if all of them say no. Everything else goes to the
 * main judge (DREAM, appendix E). If all judges that discard a pair guess, it stays unjudged.
 */
import * as l10n from '@vscode/l10n';
import { inTurn } from '../../core/judging/cost.ts';
import type { Judgement, JudgementCost } from '../../core/model.ts';
import { isHopeless } from '../models/chat-model.ts';
import {
  countAnswer,
  detailsOnly,
  emptyTally,
  type Delivery,
  type Judge,
  type JudgeOptions,
  type JudgePair,
  type JudgeReport,
  type Tally,
} from './judge.ts';

export interface FilterJudgeSettings {
  readonly name: string;
  /** At least one, asked in this order. Each is asked only about pairs that the ones before would discard. */
  readonly cheap: readonly Judge[];
  readonly then: Judge;
}

export function createFilterJudge(settings: FilterJudgeSettings): Judge {
  const { name, cheap, then } = settings;
  const stages = [...cheap, then];
  return {
    name,
    label: l10n.t`${then.label}, behind a filter`,
    source: then.source,
    expense: then.expense,
    heuristic: then.heuristic,
    // Earlier versions stored discarded pairs as judged even if the filters guess.
    key: JSON.stringify([
      cheap.some(({ heuristic }) => heuristic) ? 'filter-2' : 'filter',
      cheap.map(({ key }) => key),
      then.key,
    ]),
    usesQuestion: stages.some(({ usesQuestion }) => usesQuestion),
    titleOf: (passage) =>
      stages.map(({ titleOf }) => titleOf?.(passage)).find((title) => title !== undefined),
    byPassage: stages.some(({ byPassage }) => byPassage),
    discardsWith: cheap.map((judge) => judge.name),
    standard: then.standard,
    judge: (pairs, options = {}) => new Filtering(settings, pairs, options).run(),
  };
}

/** One call of a filter. Pairs are identified by their indexes in its list. */
class Filtering {
  readonly #settings: FilterJudgeSettings;
  readonly #pairs: readonly JudgePair[];
  readonly #options: JudgeOptions;
  readonly #tally: Tally = emptyTally();
  /** Cost of the stages so far, for each pair. */
  readonly #costs = new Map<number, JudgementCost[]>();
  /** The last "no" of a judge that does not guess. */
  readonly #discards = new Map<number, Judgement>();

  constructor(settings: FilterJudgeSettings, pairs: readonly JudgePair[], options: JudgeOptions) {
    this.#settings = settings;
    this.#pairs = pairs;
    this.#options = options;
  }

  async run(): Promise<JudgeReport> {
    const { cheap, then } = this.#settings;
    const survivors: number[] = [];
    let suspected: readonly number[] = [...this.#pairs.keys()];
    for (const [i, judge] of cheap.entries()) {
      const isLast = i === cheap.length - 1;
      suspected = await this.#sift(judge, suspected, survivors, isLast);
    }
    await this.#judge(
      then,
      survivors.sort((a, b) => a - b),
    );
    this.#tally.cancelled = this.#options.signal?.aborted ?? false;
    return this.#tally;
  }

  /**
   * Asks a cheap judge. Pairs to which it does not say no are added to `survivors`, and so are pairs on which it failed.
   * If it had to stop, or cannot be asked at all, the pairs without its answer stay unjudged, so that an unreachable
   * endpoint does not send everything to the costly judge.
   *
   * @returns what it would discard; empty after the last judge, since its discards are delivered
   */
  async #sift(
    judge: Judge,
    places: readonly number[],
    survivors: number[],
    isLast: boolean,
  ): Promise<readonly number[]> {
    const suspected: number[] = [];
    const unanswered = new Set(this.#open(places));
    const report = await this.#ask(judge, [...unanswered], (place, judgement) => {
      unanswered.delete(place);
      if (judgement.verdict !== 'no') survivors.push(place);
      else {
        if (!judge.heuristic) this.#discards.set(place, judgement);
        if (isLast) this.#discard(place);
        else suspected.push(place);
      }
    });
    const isAlive = !report.error || !isHopeless(report.error);
    if (isAlive && report.failed === unanswered.size) survivors.push(...unanswered);
    else this.#countFailures(report);
    return suspected;
  }

  /** Asks the main judge. */
  async #judge(judge: Judge, places: readonly number[]): Promise<void> {
    const report = await this.#ask(judge, this.#open(places), (place, judgement, { unparsable }) =>
      this.#deliver(place, judgement, unparsable),
    );
    this.#countFailures(report);
  }

  /** Passes on each judgement with its stage and the cost of all stages. */
  async #ask(
    judge: Judge,
    places: readonly number[],
    onJudgement: (place: number, judgement: Judgement, delivery: Delivery) => void,
  ): Promise<JudgeReport> {
    const { signal, repeatUnparsable, onRequest } = this.#options;
    const report = await judge.judge(
      places.map((place) => this.#pairs[place]!),
      {
        signal,
        repeatUnparsable,
        onRequest,
        onProgress: detailsOnly(this.#options.onProgress, () => ({
          done: this.#tally.asked,
          total: this.#pairs.length,
        })),
        onJudgement: (i, judgement, delivery) => {
          const place = places[i]!;
          const stage = judgement.stage ?? judge.name;
          onJudgement(place, { ...judgement, stage, cost: this.#costSoFar(place, judgement) }, delivery);
        },
      },
    );
    this.#tally.requests += report.requests;
    this.#tally.tokens = {
      prompt: this.#tally.tokens.prompt + report.tokens.prompt,
      completion: this.#tally.tokens.completion + report.tokens.completion,
    };
    return report;
  }

  #costSoFar(place: number, { cost }: Judgement): JudgementCost | undefined {
    const costs = this.#costs.get(place) ?? [];
    if (cost) this.#costs.set(place, [...costs, cost]);
    const known = this.#costs.get(place);
    return known && inTurn(known);
  }

  /** Pairs that have not been answered elsewhere in the meantime. */
  #open(places: readonly number[]): number[] {
    if (this.#options.signal?.aborted) return [];
    return places.filter((place) => !this.#options.isAnswered?.(place));
  }

  /** All cheap judges said no. Delivers the last "no" of a judge that does not guess. */
  #discard(place: number): void {
    const judgement = this.#discards.get(place);
    if (!judgement) return;
    const names = this.#settings.cheap.map(({ name }) => name).join(', ');
    const rationale = [`Discarded by the filter (${names}).`, judgement.rationale].filter(Boolean).join(' ');
    this.#deliver(place, { ...judgement, rationale }, false);
  }

  #deliver(place: number, judgement: Judgement, unparsable: boolean): void {
    const named = { ...judgement, judge: this.#settings.name };
    const delivery = { unparsable, cached: false };
    this.#tally.asked++;
    countAnswer(this.#tally, named, delivery);
    this.#options.onJudgement?.(place, named, delivery);
    this.#options.onProgress?.({ done: this.#tally.asked, total: this.#pairs.length });
  }

  #countFailures({ failed, error }: JudgeReport): void {
    this.#tally.asked += failed;
    this.#tally.failed += failed;
    this.#tally.error ??= error;
  }
}
