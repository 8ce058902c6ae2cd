/** The interface of every judge: asked in lists, answers one by one as answers arrive, and reports the cost. */
import type { ParallaxError } from '../../core/errors.ts';
import type { PassageContext } from '../../core/judging/prompts/passage-context.ts';
import type { Judgement, JudgementSource } from '../../core/model.ts';
import type { Expense } from '../../shared/judge-types.ts';
import type { Progress } from '../../shared/requests/progress.ts';
import type { WorkOptions } from '../types.ts';

/** The sentence before a passage in its document, and the one after it. */
export type Neighbours = Pick<PassageContext, 'before' | 'after'>;

/** One question: does this passage support this perspective? */
export interface JudgePair {
  /**
   * `hash` is the store's hash of the text, where it is known already; `title` that of the document, `section` the
   * headings above; the others tell records from documents of other kinds.
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
  /** Looks up what stands next to the passage, for judges that show it. It is no part of what answers are kept by. */
  readonly neighbours?: (() => Neighbours) | undefined;
  readonly perspective: { readonly text: string };
  /** The query that the perspective belongs to. Judges that show it to a model say so: {@link Judge.usesQuestion}. */
  readonly question?: string | undefined;
}

/** How a judgement came about. */
export interface Delivery {
  /** The judge answered, but no verdict could be read from it; the judgement is "unsure". */
  readonly unparsable: boolean;
  /** The answer was paid for earlier. */
  readonly cached: boolean;
}

/** Pairs whose request `onRequest` refused as `cancelled` are neither answered nor failed. */
export interface JudgeOptions extends WorkOptions {
  /** Called once for each pair that is answered, in the order of arrival; `index` is the pair's place in the list. */
  readonly onJudgement?: ((index: number, judgement: Judgement, delivery: Delivery) => void) | undefined;
  /** Asked right before a pair's turn: true when it needs no answer any more, and is then passed over. */
  readonly isAnswered?: ((index: number) => boolean) | undefined;
  /** Also asks pairs again whose remembered answer could not be read. */
  readonly repeatUnparsable?: boolean | undefined;
}

export interface TokenUsage {
  readonly prompt: number;
  readonly completion: number;
}

/** Pairs neither answered nor failed were not asked, because the work was cancelled or had to stop. */
export interface JudgeReport {
  /** Pairs put to the judge itself: answered ones without the cached, and failed ones. */
  readonly asked: number;
  /** Pairs with a judgement, cached and unparsable ones included. */
  readonly answered: number;
  readonly cached: number;
  /** Pairs of this call that are "unsure" only because the answer could not be read. */
  readonly unparsable: number;
  readonly failed: number;
  /** Pairs of this call, cached ones included, that the judge could not decide by itself. */
  readonly escalated: number;
  /** How many debates of this call ended in the first, second, … round; empty where there were none. */
  readonly rounds: readonly number[];
  /** Why the first pair failed. */
  readonly error?: ParallaxError | undefined;
  /** Requests sent, repeated ones included; shared ones count where they were sent. */
  readonly requests: number;
  /** As far as the endpoint says. */
  readonly tokens: TokenUsage;
  /** Pairs of this call, cached ones included, with {@link Judgement.evidenceNotFound}. */
  readonly evidenceNotFound: number;
  readonly cancelled: boolean;
}

/** How stored answers are read, so that nothing has to be asked again. */
export interface Reading {
  /**
   * Takes in what is new, before answers are read.
   *
   * @throws ParallaxError `bad-config`, `bad-file`
   */
  refresh(): Promise<void>;
  /** Reads a stored answer. */
  read(stored: Judgement): Judgement;
  /** People's labels that answers are read with, by a judge that learns from them. */
  labels?(): number;
  /**
   * Reads as if people had labelled nothing of these perspectives (cross-fitting): an answer can be held against labels
   * only where it was not fitted to them. Of such judges alone, whose labels can be taken out again.
   *
   * @param perspectives their texts
   */
  without?(perspectives: ReadonlySet<string>): Pick<Reading, 'read'>;
  /** Labels have fitted it, and cannot be taken out again. */
  readonly isFitted?: boolean | undefined;
}

/** Who a judge is. */
export interface JudgeIdentity {
  /** As in `parallax.json`. */
  readonly name: string;
  /** For people. */
  readonly label: string;
  readonly source: JudgementSource;
  /** Pairs that somebody pays for are asked about by one window at a time. */
  readonly expense: Expense;
  /** Its answers are guesses: they count in no figure, unless {@link countingJudge} is passed over by name. */
  readonly heuristic: boolean;
  /** Identity for the cache: whatever changes answers (model, prompt version, standard, parameters) changes it. */
  readonly key: string;
  /**
   * For judges whose answers say something else once people have labelled more, or a threshold was moved. The
   * judge itself hands out answers as they are to be stored; who remembers them reads them before showing them.
   */
  readonly reading?: Reading | undefined;
  /** Whether answers depend on {@link JudgePair.question}, which is then part of what they are remembered by. */
  readonly usesQuestion?: boolean | undefined;
  /**
   * The title that its answer about a passage depends on, which is then part of what the answer is remembered by.
   * Absent for judges that see none, or only among a passage's surroundings.
   */
  readonly titleOf?: ((passage: JudgePair['passage']) => string | undefined) | undefined;
  /** It answers all pairs of a passage in one request: whoever asks it about one of them had better ask about all. */
  readonly byPassage?: boolean | undefined;
  /** Names of the cheap judges that must all say no before a filter discards a pair; absent for other judges. */
  readonly discardsWith?: readonly string[] | undefined;
  /** Id of the support standard that it is told to apply; absent for judges that read no standard. */
  readonly standard?: string | undefined;
}

export interface Judge extends JudgeIdentity {
  /**
   * Answers as many pairs as it can. Failures and cancelling do not throw: the report tells.
   *
   * @throws whatever `onJudgement` throws
   */
  judge(pairs: readonly JudgePair[], options?: JudgeOptions): Promise<JudgeReport>;
}

/** A judge from who it is and how it answers. */
export function judgeOf(identity: JudgeIdentity, answering: Pick<Judge, 'judge'>): Judge {
  return { ...identity, judge: (pairs, options) => answering.judge(pairs, options) };
}

/** The judge whose answers count as judgements: nobody in the place of one that guesses. */
export function countingJudge(judge: Judge | undefined): Judge | undefined {
  return judge?.heuristic ? undefined : judge;
}

/**
 * For a judge that asks another one and counts by itself: passes on what the other says beside its numbers, such as
 * that a request is repeated.
 */
export function detailsOnly(
  onProgress: WorkOptions['onProgress'],
  own: () => Progress,
): WorkOptions['onProgress'] {
  return onProgress && (({ detail }) => void (detail !== undefined && onProgress({ ...own(), detail })));
}

/** A report in the making. */
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

/** Counts a pair that is answered. */
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
