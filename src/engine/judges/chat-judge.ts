/** A chat model as a judge: one request for each pair, or for each passage with all its perspectives. */
import { ParallaxError } from '../../core/errors.ts';
import { pairForm, passageForm, type AnswerForm } from '../../core/judging/answer-form.ts';
import { inOrder, locateEvidence } from '../../core/judging/replies/evidence.ts';
import { inTurn, sharedBy } from '../../core/judging/cost.ts';
import { askedAgain, askedForItsWords, type Messages } from '../../core/judging/prompts/instructions.ts';
import {
  parseAnswer,
  unparsable,
  type ParsedAnswer,
  type Unparsable,
} from '../../core/judging/replies/parse.ts';
import { parsePassageAnswer } from '../../core/judging/replies/passage-parse.ts';
import { MAX_STATEMENTS, passagePrompt } from '../../core/judging/prompts/passage-prompt.ts';
import { pairPrompt } from '../../core/judging/prompts/prompt.ts';
import { DEFAULT_FORM, promptVersion, type PromptForm } from '../../core/judging/prompts/prompt-form.ts';
import type { Judgement, JudgementCost } from '../../core/model.ts';
import {
  judgeOf,
  type Judge,
  type JudgeIdentity,
  type JudgeOptions,
  type JudgePair,
  type JudgeReport,
} from './judge.ts';
import type { ModelJudgeSettings } from './model-judge.ts';
import { recordTitle } from './record-title.ts';
import { JudgingRun, type Answered, type Unit } from '../judgements/judging-run.ts';
import { costOf, PaidReplies } from '../models/paid-replies.ts';
import type { PaidReply } from '../models/reply-cache.ts';

export interface ChatJudgeSettings extends ModelJudgeSettings {
  /** Defaults to {@link DEFAULT_FORM}. */
  readonly form?: PromptForm | undefined;
  /** Whether to ask again about a "yes" whose quotation is not in the passage. Defaults to true. */
  readonly askAgain?: boolean | undefined;
}

export function createChatJudge(settings: ChatJudgeSettings): Judge {
  const { name, model, standard, form = DEFAULT_FORM, askAgain = true } = settings;
  const identity: JudgeIdentity = {
    name,
    label: model.label,
    source: 'llm',
    expense: 'paid',
    heuristic: false,
    key: JSON.stringify([
      'chat',
      model.id,
      promptVersion(form),
      standard.id,
      ...(askAgain ? [] : ['asked once']),
    ]),
    usesQuestion: form.mode === 'passage',
    ...(form.mode === 'pair' && { titleOf: recordTitle }),
    byPassage: form.mode === 'passage',
    standard: standard.id,
  };
  return judgeOf(identity, new ChatJudging(settings));
}

type Parsed = ParsedAnswer | Unparsable;

/** One request, and how to read its reply: an answer for each pair of the unit, in their order. */
interface Question {
  readonly messages: Messages;
  readonly form: AnswerForm;
  readonly cuts: readonly (string | undefined)[];
  readonly parse: (text: string) => readonly Parsed[];
}

/** An answer, before it becomes a judgement. */
interface Read {
  readonly parsed: Parsed;
  readonly cut: string | undefined;
  readonly cost: JudgementCost;
}

class ChatJudging {
  readonly #settings: ChatJudgeSettings;
  readonly #form: PromptForm;
  readonly #askAgain: boolean;
  readonly #now: () => number;
  readonly #replies: PaidReplies;

  constructor(settings: ChatJudgeSettings) {
    this.#settings = settings;
    this.#form = settings.form ?? DEFAULT_FORM;
    this.#askAgain = settings.askAgain ?? true;
    this.#now = settings.now ?? Date.now;
    this.#replies = new PaidReplies(undefined, this.#now);
  }

  judge(pairs: readonly JudgePair[], options: JudgeOptions = {}): Promise<JudgeReport> {
    const run = new JudgingRun(pairs.length, options);
    const byPassage = this.#form.mode === 'passage';
    const units = byPassage ? unitsByPassage(pairs) : pairs.map((_, index) => [index]);
    return run.through(units, this.#settings.concurrency, async (unit, signal) => {
      const unreadable = byPassage ? 'leave-unread' : 'deliver-all';
      const { unread, doubtful } = await this.#ask(pairs, unit, run, signal, unreadable);
      if (doubtful.length > 0) await this.#askDoubtful(pairs, doubtful, run, signal);
      for (const part of askedAgainAs(unread, unit)) await this.#askUnread(pairs, part, run, signal);
    });
  }

  /**
   * Asks about a unit and delivers the readable answers.
   *
   * @returns the remaining pairs, to ask about once more
   */
  #ask(
    pairs: readonly JudgePair[],
    unit: Unit,
    run: JudgingRun,
    signal: AbortSignal,
    unreadable: 'leave-unread' | 'deliver-all',
  ): Promise<Left> {
    const question = this.#question(pairs, unit);
    return this.#reply(question.messages, question.form, run, signal, (reply) => {
      const answers = readReply(question, reply, unit.length);
      const unread: Unread[] = [];
      const doubtful: Doubtful[] = [];
      for (const [place, index] of unit.entries()) {
        const read = answers[place]!;
        const answered = this.#answered(pairs[index]!, read);
        if (answered.unparsable && unreadable === 'leave-unread') unread.push({ index, read });
        else if (answered.judgement.evidenceNotFound && this.#askAgain) doubtful.push({ index, read });
        else run.deliver(index, answered);
      }
      return { unread, doubtful };
    });
  }

  /**
   * Asks once more, in one request, about each "yes" whose quotation is not in the passage. If the second answer is
   * no better or missing, the first one counts, with a note about its quotation, since it was paid for.
   */
  async #askDoubtful(
    pairs: readonly JudgePair[],
    doubtful: readonly Doubtful[],
    run: JudgingRun,
    signal: AbortSignal,
  ): Promise<void> {
    const question = this.#question(
      pairs,
      doubtful.map(({ index }) => index),
    );
    const read = (reply: PaidReply): readonly Read[] => readReply(question, reply, doubtful.length);
    const answers = await this.#reply(
      askedForItsWords(question.messages),
      question.form,
      run,
      signal,
      read,
    ).catch((error: unknown) => {
      if (!ParallaxError.is(error)) throw error;
      return [];
    });
    for (const [place, { index, read: first }] of doubtful.entries())
      run.deliver(index, this.#better(pairs[index]!, first, answers[place]));
  }

  /** The second answer, unless it cannot be read or is another "yes" without evidence in the passage. */
  #better(pair: JudgePair, first: Read, second: Read | undefined): Answered {
    if (!second) return this.#answered(pair, first);
    const cost = inTurn([first.cost, second.cost]);
    const again = this.#answered(pair, { ...second, cost });
    const { verdict, evidence } = again.judgement;
    const isBetter = !again.unparsable && (verdict !== 'yes' || evidence.length > 0);
    return isBetter ? again : this.#answered(pair, { ...first, cost });
  }

  /**
   * Asks once more about those pairs only. Delivers as unreadable what cannot be read then, and the first answer if
   * no second one may be asked for.
   */
  async #askUnread(
    pairs: readonly JudgePair[],
    unread: readonly Unread[],
    run: JudgingRun,
    signal: AbortSignal,
  ): Promise<void> {
    const question = this.#question(
      pairs,
      unread.map(({ index }) => index),
    );
    const read = (reply: PaidReply): readonly Read[] => readReply(question, reply, unread.length);
    const answers = await this.#reply(askedAgain(question.messages), question.form, run, signal, read).catch(
      (error: unknown) => {
        if (!ParallaxError.is(error, 'cancelled') || signal.aborted) throw error;
        return [];
      },
    );
    for (const [place, { index, read: first }] of unread.entries()) {
      const second = answers[place];
      const cost = second ? inTurn([first.cost, second.cost]) : first.cost;
      run.deliver(index, this.#answered(pairs[index]!, { ...(second ?? first), cost }));
    }
  }

  #reply<R>(
    messages: Messages,
    form: AnswerForm,
    { tally, onRetry, onRequest }: JudgingRun,
    signal: AbortSignal,
    use: (reply: PaidReply) => R,
  ): Promise<R> {
    const { model, timeoutMs } = this.#settings;
    return this.#replies.ask(model, messages, { timeoutMs, signal, tally, onRetry, onRequest, form }, use);
  }

  #question(pairs: readonly JudgePair[], unit: Unit): Question {
    const { standard } = this.#settings;
    const { passage, perspective, question, neighbours } = pairs[unit[0]!]!;
    if (this.#form.mode === 'pair') {
      const texts = { passage: passage.text, perspective: perspective.text, title: recordTitle(passage) };
      const { messages, cut } = pairPrompt(texts, standard, this.#form);
      return { messages, form: pairForm(this.#form), cuts: [cut], parse: (text) => [parseAnswer(text)] };
    }
    const perspectives = unit.map((index) => pairs[index]!.perspective.text);
    const { title, section } = passage;
    const context = { title, section, ...neighbours?.() };
    return {
      ...passagePrompt({ passage: passage.text, perspectives, question, context }, standard, this.#form),
      form: passageForm(this.#form, perspectives.length),
      parse: (text) => parsePassageAnswer(text, perspectives.length),
    };
  }

  #answered({ passage }: JudgePair, { parsed, cut, cost }: Read): Answered {
    const { name, model, standard } = this.#settings;
    const quotes = 'unparsable' in parsed ? [] : parsed.evidence;
    const evidence = inOrder(quotes.flatMap((quote) => locateEvidence(passage.text, quote)));
    const verdict = 'unparsable' in parsed ? 'unsure' : parsed.verdict;
    const rationale = ['unparsable' in parsed ? parsed.reason : parsed.rationale, cut]
      .filter(Boolean)
      .join(' ');
    const judgement: Judgement = {
      verdict,
      // Evidence is the place of the support. What a model quotes beside a "no" is something else.
      evidence: verdict === 'no' ? [] : evidence,
      ...(verdict === 'yes' && quotes.length > 0 && evidence.length === 0 ? { evidenceNotFound: true } : {}),
      source: 'llm',
      judge: name,
      rationale: rationale || undefined,
      model: model.model,
      promptVersion: promptVersion(this.#form),
      standard: standard.id,
      at: new Date(this.#now()).toISOString(),
      cost,
    };
    return { judgement, unparsable: 'unparsable' in parsed };
  }
}

/** The most pairs of a passage to ask about again one by one. */
const ASKED_SINGLY = 3;

/** A pair without a readable verdict. */
interface Unread {
  readonly index: number;
  readonly read: Read;
}

/** A "yes" whose quotation is not in the passage. */
interface Doubtful {
  readonly index: number;
  readonly read: Read;
}

interface Left {
  readonly unread: readonly Unread[];
  readonly doubtful: readonly Doubtful[];
}

function readReply({ parse, cuts }: Question, reply: PaidReply, pairs: number): readonly Read[] {
  const { text, incomplete } = reply;
  const parsed = incomplete === undefined ? parse(text) : undefined;
  const cost = sharedBy(pairs, costOf(reply));
  return cuts.map((cut, place) => ({
    parsed: parsed?.[place] ?? unparsable(incomplete ?? 'The model gave no answer.'),
    cut,
    cost,
  }));
}

/** Pairs of one passage and question together, in the order of the list, at most {@link MAX_STATEMENTS} in a unit. */
function unitsByPassage(pairs: readonly JudgePair[]): Unit[] {
  const units: number[][] = [];
  const open = new Map<string, number[]>();
  for (const [index, { passage, question }] of pairs.entries()) {
    const about = JSON.stringify([question, passage.text]);
    const unit = open.get(about);
    if (unit && unit.length < MAX_STATEMENTS) unit.push(index);
    else {
      const begun = [index];
      units.push(begun);
      open.set(about, begun);
    }
  }
  return units;
}

/**
 * The pairs of each repeated request: one by one if few are missing, since a model that skipped some may skip them
 * again; all together if the answer as a whole was unusable.
 */
function askedAgainAs(unread: readonly Unread[], { length: count }: Unit): (readonly Unread[])[] {
  if (unread.length === 0) return [];
  const isFew = unread.length < count && unread.length <= ASKED_SINGLY;
  return isFew ? unread.map((each) => [each]) : [unread];
}
