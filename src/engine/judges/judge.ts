/**
 * The interface of every judge: asked about lists of pairs, it answers one by one as answers arrive, and reports the
 * cost.
 */
import type { ParallaxError } from '../../core/errors.ts';
import type { PassageContext } from '../../core/judging/prompts/passage-context.ts';
import type { Judgement, JudgementSource } from '../../core/model.ts';
import type { Expense } from '../../shared/judge-config.ts';
import type { Progress } from '../../shared/requests/progress.ts';
import type { WorkOptions } from '../types.ts';

/** The sentences before and after a passage in its document. */
export type Neighbours = Pick<PassageContext, 'before' | 'after'>;

/** One question: does this passage support this perspective? */
export interface JudgePair {
  /**
   * `hash` is the store's hash of the text, if known; `title` that of the document, `section` the headings above. The
   * others distinguish records from documents of other kinds.
   */
  readonly passage: {
    readonly text: string;
    readonly hash?: string | undefined;
    readonly title?: string | undefined;
    readonly section?: string | undefined;
    readonly recordLine?: number | undefined;
    readonly verbatim?: boolean | undefined;
    readonly path?: string | undefined;
  };
  /** Looks up the sentences next to the passage, for judges that show them. Not part of the key of stored answers. */
  readonly neighbours?: (() => Neighbours) | undefined;
  /** `anyOf`: the gold answers of which any is enough. */
  readonly perspective: { readonly text: string; readonly anyOf?: readonly string[] | undefined };
  /** The query of the perspective. Judges that show it to a model set {@link Judge.usesQuestion}. */
  readonly question?: string | undefined;
}

/** The origin of a judgement. */
export interface Delivery {
  /** Whether the answer had no readable verdict, so that the judgement is "unsure". */
  readonly unparsable: boolean;
  /** Whether the answer was paid for earlier. */
  readonly cached: boolean;
}

/** Pairs whose request `onRequest` refused as `cancelled` are neither answered nor failed. */
export interface JudgeOptions extends WorkOptions {
  /** Called once for each answered pair, in the order of arrival. `index` is the pair's index in the list. */
  readonly onJudgement?: ((index: number, judgement: Judgement, delivery: Delivery) => void) | undefined;
  /** Called right before a pair's turn. If it returns true, the pair needs no answer and is skipped. */
  readonly isAnswered?: ((index: number) => boolean) | undefined;
  /** Whether to ask again about pairs whose stored answer could not be read. */
  readonly repeatUnparsable?: boolean | undefined;
}

export interface TokenUsage {
  readonly prompt: number;
  readonly completion: number;
}

/** Pairs neither answered nor failed were not asked, because the work was cancelled or had to stop. */
export interface JudgeReport {
  /** Pairs that the judge itself was asked about: answered ones without the cached, and failed ones. */
  readonly asked: number;
  /** Pairs with a judgement, including cached and unparsable ones. */
  readonly answered: number;
  readonly cached: number;
  /** Pairs of this call that are "unsure" only because the answer could not be read. */
  readonly unparsable: number;
  readonly failed: number;
  /** Pairs of this call, including cached ones, that the judge could not decide by itself. */
  readonly escalated: number;
  /** How many debates of this call ended in the first, second, … round. Empty if there were none. */
  readonly rounds: readonly number[];
  /** Why the first pair failed. */
  readonly error?: ParallaxError | undefined;
  /** Requests sent, including repeated ones. Shared ones count where they were sent. */
  readonly requests: number;
  /** The tokens that the endpoint reports. */
  readonly tokens: TokenUsage;
  /** Pairs of this call, including cached ones, with {@link Judgement.evidenceNotFound}. */
  readonly evidenceNotFound: number;
  readonly cancelled: boolean;
}

/** Reads stored answers by present settings, so that nothing has to be asked again. */
export interface Reading {
  /**
   * Loads what is new, before answers are read.
   *
   * @throws ParallaxError `bad-config`, `bad-file`
   */
  refresh(): Promise<void>;
  read(stored: Judgement): Judgement;
  /** The number of people's labels by which answers are read, for a judge that learns from them. */
  labels?(): number;
  /**
   * Reads as if these perspectives had no labels (cross-fitting), since an answer can be compared with labels only if
   * it was not fitted to them. Only for judges whose labels can be removed.
   *
   * @param perspectives their texts
   */
  without?(perspectives: ReadonlySet<string>): Pick<Reading, 'read'>;
  /** Whether it was fitted to labels that cannot be removed. */
  readonly isFitted?: boolean | undefined;
}

export interface JudgeIdentity {
  /** As in `parallax.json`. */
  readonly name: string;
  /** The name for messages. */
  readonly label: string;
  readonly source: JudgementSource;
  /** Only one window at a time asks about pairs that cost something. */
  readonly expense: Expense;
  /**
   * Whether its answers are guesses. They count in no figure, unless the user names the judge (see
   * {@link countingJudge}).
   */
  readonly heuristic: boolean;
  /**
   * Identity for the cache. Changes with everything that changes answers (model, prompt version, standard,
   * parameters).
   */
  readonly key: string;
  /**
   * For judges whose answers change when people label more, or when a threshold is moved. The judge itself returns
   * answers in the form to be stored; the cache reads them before showing them.
   */
  readonly reading?: Reading | undefined;
  /** Whether answers depend on {@link JudgePair.question}, which is then part of the key of stored answers. */
  readonly usesQuestion?: boolean | undefined;
  /**
   * The title that its answer about a passage depends on, which is then part of the key of stored answers.
   * `undefined` for judges that see no title, or only as part of a passage's surroundings.
   */
  readonly titleOf?: ((passage: JudgePair['passage']) => string | undefined) | undefined;
  /** Whether it answers all pairs of a passage in one request, so that it is best asked about all of them. */
  readonly byPassage?: boolean | undefined;
  /** Names of the cheap judges that must all say no before a filter discards a pair. `undefined` for other judges. */
  readonly discardsWith?: readonly string[] | undefined;
  /** Id of the support standard that it applies. `undefined` for judges without one. */
  readonly standard?: string | undefined;
}

export interface Judge extends JudgeIdentity {
  /**
   * Answers as many pairs as it can. Failures and cancellation do not throw: they are in the report.
   *
   * @throws what `onJudgement` throws
   */
  judge(pairs: readonly JudgePair[], options?: JudgeOptions): Promise<JudgeReport>;
}

/** Combines a judge's identity and its way of answering. */
export function judgeOf(identity: JudgeIdentity, answering: Pick<Judge, 'judge'>): Judge {
  return { ...identity, judge: (pairs, options) => answering.judge(pairs, options) };
}

/** The judge if its answers count as judgements. `undefined` for one that guesses. */
export function countingJudge(judge: Judge | undefined): Judge | undefined {
  return judge?.heuristic ? undefined : judge;
}

/**
 * For a judge that asks another one and counts by itself: passes on only the details of the other's progress, such as
 * a repeated request.
 */
export function detailsOnly(
  onProgress: WorkOptions['onProgress'],
  progress: () => Progress,
): WorkOptions['onProgress'] {
  return onProgress && (({ detail }) => void (detail !== undefined && onProgress({ ...progress(), detail })));
}

/** A report that is being counted. */
export type Tally = { -readonly [K in keyof JudgeReport]: JudgeReport[K] };

export function emptyTally(): Tally {
  return {
    asked: 0,
    answered: 0,
    cached: 0,
    unparsable: 0,
    failed: 0,
    escalated: 0,
    rounds: [],
    requests: 0,
    tokens: { prompt: 0, completion: 0 },
    evidenceNotFound: 0,
    cancelled: false,
  };
}

export function countAnswer(
  tally: Tally,
  { escalated, debate, evidenceNotFound }: Judgement,
  { cached, unparsable }: Delivery,
): void {
  tally.answered++;
  if (cached) tally.cached++;
  if (unparsable) tally.unparsable++;
  if (escalated !== undefined) tally.escalated++;
  if (evidenceNotFound) tally.evidenceNotFound++;
  if (debate) tally.rounds = counted(tally.rounds, debate.rounds.length);
}

/** @param round from 1 */
function counted(rounds: readonly number[], round: number): number[] {
  return Array.from(
    { length: Math.max(rounds.length, round) },
    (_, i) => (rounds[i] ?? 0) + (i + 1 === round ? 1 : 0),
  );
}
