/** A chat model as a judge: one request for each pair of passage and perspective. */
import { ParallaxError } from '../../core/errors.ts';
import { inOrder, locateEvidence } from '../../core/judging/evidence.ts';
import { parseAnswer, unparsable, type ParsedAnswer, type Unparsable } from '../../core/judging/parse.ts';
import { PAIR_PROMPT_VERSION, pairPrompt, type ChatMessage } from '../../core/judging/prompt.ts';
import type { SupportStandard } from '../../core/judging/standard.ts';
import type { Judgement, Span } from '../../core/model.ts';
import { isHopeless, type ChatAnswer, type ChatModel } from './chat-model.ts';
import {
  emptyTally,
  type Judge,
  type JudgeOptions,
  type JudgePair,
  type JudgeReport,
  type Tally,
} from './judge.ts';
import { runPool } from './pool.ts';
import { SharedRequests } from './shared-requests.ts';

export interface ChatJudgeSettings {
  readonly name: string;
  readonly model: ChatModel;
  readonly standard: SupportStandard;
  /** Requests in flight at a time. */
  readonly concurrency: number;
  /** For each attempt. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/** When so many pairs in a row have failed with all their retries, the rest would too. */
const STOP_AFTER_FAILURES = 3;

export function createChatJudge(settings: ChatJudgeSettings): Judge {
  return new ChatJudge(settings);
}

class ChatJudge implements Judge {
  readonly name: string;
  readonly label: string;
  readonly source = 'llm';
  readonly heuristic = false;
  readonly key: string;
  readonly #settings: ChatJudgeSettings;
  readonly #requests = new SharedRequests<ChatAnswer>();
  readonly #now: () => number;

  constructor(settings: ChatJudgeSettings) {
    this.#settings = settings;
    this.#now = settings.now ?? Date.now;
    this.name = settings.name;
    this.label = settings.model.label;
    this.key = JSON.stringify(['chat', settings.model.id, PAIR_PROMPT_VERSION, settings.standard.id]);
  }

  async judge(pairs: readonly JudgePair[], options: JudgeOptions = {}): Promise<JudgeReport> {
    const tally = emptyTally();
    const stop = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
    let failuresInARow = 0;
    await runPool(pairs.length, this.#settings.concurrency, signal, async (index) => {
      if (options.isAnswered?.(index)) return;
      try {
        await this.#ask(pairs[index]!, signal, tally, (answer) =>
          this.#deliver(index, answer, tally, options),
        );
        failuresInARow = 0;
      } catch (error) {
        if (!ParallaxError.is(error)) {
          stop.abort();
          throw error;
        }
        if (error.id === 'cancelled') return;
        countFailure(tally, error);
        if (++failuresInARow >= STOP_AFTER_FAILURES || isHopeless(error)) stop.abort();
      }
      options.onProgress?.({ done: tally.asked, total: pairs.length });
    });
    tally.cancelled = options.signal?.aborted ?? false;
    return tally;
  }

  #ask(
    { passage, perspective }: JudgePair,
    signal: AbortSignal,
    tally: Tally,
    deliver: (answer: Answer) => void,
  ): Promise<void> {
    const { messages, cut } = pairPrompt(passage.text, perspective.text, this.#settings.standard);
    return this.#requests.share(messages[1].content, {
      begin: (sharedSignal) => this.#complete(messages, sharedSignal, tally),
      use: (answer, first) => {
        if (first) addTokens(tally, answer);
        const parsed =
          answer.incomplete === undefined ? parseAnswer(answer.text) : unparsable(answer.incomplete);
        deliver({ parsed, evidence: evidenceOf(passage.text, parsed), cut });
      },
      signal,
    });
  }

  #complete(messages: readonly ChatMessage[], signal: AbortSignal, tally: Tally): Promise<ChatAnswer> {
    return this.#settings.model.complete(messages, {
      signal,
      timeoutMs: this.#settings.timeoutMs,
      onRequest: () => tally.requests++,
    });
  }

  #deliver(index: number, answer: Answer, tally: Tally, options: JudgeOptions): void {
    const isUnparsable = 'unparsable' in answer.parsed;
    tally.asked++;
    tally.answered++;
    if (isUnparsable) tally.unparsable++;
    else if (answer.parsed.evidence.length > 0 && answer.evidence.length === 0) tally.evidenceNotFound++;
    options.onJudgement?.(index, this.#judgement(answer), { unparsable: isUnparsable, cached: false });
  }

  #judgement({ parsed, evidence, cut }: Answer): Judgement {
    const { model, standard } = this.#settings;
    const verdict = 'unparsable' in parsed ? 'unsure' : parsed.verdict;
    const rationale = ['unparsable' in parsed ? parsed.reason : parsed.rationale, cut]
      .filter(Boolean)
      .join(' ');
    return {
      verdict,
      // Evidence is where the support stands; what a model quotes beside a "no" is something else.
      evidence: verdict === 'no' ? [] : evidence,
      source: this.source,
      judge: this.name,
      rationale: rationale || undefined,
      model: model.model,
      promptVersion: PAIR_PROMPT_VERSION,
      standard: standard.id,
      at: new Date(this.#now()).toISOString(),
    };
  }
}

interface Answer {
  readonly parsed: ParsedAnswer | Unparsable;
  readonly evidence: readonly Span[];
  readonly cut?: string | undefined;
}

function evidenceOf(passage: string, parsed: ParsedAnswer | Unparsable): readonly Span[] {
  if ('unparsable' in parsed) return [];
  return inOrder(parsed.evidence.flatMap((quote) => locateEvidence(passage, quote)));
}

function countFailure(tally: Tally, error: ParallaxError): void {
  tally.asked++;
  tally.failed++;
  tally.error ??= error;
}

function addTokens(tally: Tally, { usage }: ChatAnswer): void {
  if (!usage) return;
  tally.tokens = {
    prompt: tally.tokens.prompt + usage.prompt,
    completion: tally.tokens.completion + usage.completion,
  };
}
