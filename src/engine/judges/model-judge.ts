/** What judges with one chat model share, and those judges that ask about one pair at a time. */
import type { AnswerForm } from '../../core/judging/answer-form.ts';
import type { ChatMessage } from '../../core/judging/chat-message.ts';
import type { Unparsable } from '../../core/judging/replies/parse.ts';
import type { SupportStandard } from '../../core/judging/standard.ts';
import type { JudgementCost, Verdict } from '../../core/model.ts';
import { JudgingRun, type Answered } from '../judgements/judging-run.ts';
import type { ChatModel } from '../models/chat-model.ts';
import { costOf, PaidReplies } from '../models/paid-replies.ts';
import type { PaidReply } from '../models/reply-cache.ts';
import { judgeOf, type Judge, type JudgeIdentity, type JudgePair } from './judge.ts';

export interface ModelJudgeSettings {
  readonly name: string;
  readonly model: ChatModel;
  readonly standard: SupportStandard;
  /** Concurrent requests. */
  readonly concurrency: number;
  /** For each attempt. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/** A judge whose model is asked about one pair at a time, and returns only a verdict. */
interface PairJudge {
  /** Its identity, apart from its settings. */
  readonly identity: Pick<JudgeIdentity, 'label' | 'key' | 'usesQuestion' | 'titleOf'>;
  readonly promptVersion: string;
  readonly form: AnswerForm;
  /** @returns the prompt, with a note on what was cut, or why there is none */
  readonly promptOf: (pair: JudgePair) => Prompt | Unparsable;
  readonly read: (reply: PaidReply) => Verdicted | Unparsable;
}

interface Prompt {
  readonly messages: readonly ChatMessage[];
  readonly cut?: string | undefined;
}

interface Verdicted {
  readonly verdict: Verdict;
  readonly confidence?: number;
}

export function pairJudge(settings: ModelJudgeSettings, judge: PairJudge): Judge {
  const { name, model, standard, concurrency, timeoutMs, now = Date.now } = settings;
  const { identity, promptVersion, form, promptOf, read } = judge;
  const replies = new PaidReplies(undefined, now);
  const answered = (reply: Verdicted | Unparsable, cut?: string, cost?: JudgementCost): Answered => {
    const isRead = 'verdict' in reply;
    const judgement = {
      verdict: isRead ? reply.verdict : 'unsure',
      evidence: [],
      source: 'llm',
      judge: name,
      rationale: [isRead ? '' : reply.reason, cut].filter(Boolean).join(' ') || undefined,
      ...(isRead && reply.confidence !== undefined ? { confidence: reply.confidence } : {}),
      model: model.model,
      promptVersion,
      standard: standard.id,
      at: new Date(now()).toISOString(),
      ...(cost ? { cost } : {}),
    } as const;
    return { judgement, unparsable: !isRead };
  };
  return judgeOf(
    { name, source: 'llm', expense: 'paid', heuristic: false, standard: standard.id, ...identity },
    {
      judge(pairs, options = {}) {
        const run = new JudgingRun(pairs.length, options);
        const units = pairs.map((_, index) => [index]);
        return run.through(units, concurrency, async ([index = 0], signal) => {
          const prompt = promptOf(pairs[index]!);
          if ('unparsable' in prompt) return run.deliver(index, answered(prompt));
          const { tally, onRetry, onRequest } = run;
          const asking = { timeoutMs, signal, tally, onRetry, onRequest, form };
          await replies.ask(model, prompt.messages, asking, (reply) =>
            run.deliver(index, answered(read(reply), prompt.cut, costOf(reply))),
          );
        });
      },
    },
  );
}
