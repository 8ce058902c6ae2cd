/** Chat models that debate each pair as a judge (DREAM, section 3.1). */
import * as l10n from '@vscode/l10n';
import { ARGUMENT_FORM } from '../../core/judging/answer-form.ts';
import { atOnce, inTurn } from '../../core/judging/cost.ts';
import {
  concludeDebate,
  debateState,
  initialStance,
  opposingSides,
  parseArgument,
  type DebateRules,
} from '../../core/judging/debate.ts';
import {
  adjudicatorPrompt,
  agentPrompt,
  DEBATE_PROMPT_VERSION,
  debateCut,
  GROUP_PROMPT_VERSION,
  type DebateCase,
} from '../../core/judging/prompts/debate-prompt.ts';
import { inOrder, locateEvidence } from '../../core/judging/replies/evidence.ts';
import { askedAgain, type Messages } from '../../core/judging/prompts/instructions.ts';
import { unparsable } from '../../core/judging/replies/parse.ts';
import { allOf } from '../../core/text/enumeration.ts';
import type { SupportStandard } from '../../core/judging/standard.ts';
import type { Argument, Debate, DebateTurn, Judgement, JudgementCost } from '../../core/model.ts';
import type { ChatModel } from '../models/chat-model.ts';
import {
  judgeOf,
  type Judge,
  type JudgeIdentity,
  type JudgeOptions,
  type JudgePair,
  type JudgeReport,
} from './judge.ts';
import { recordTitle } from './record-title.ts';
import { JudgingRun, type Answered } from '../judgements/judging-run.ts';
import { costOf, type AskOptions, type PaidReplies } from '../models/paid-replies.ts';
import type { PaidReply } from '../models/reply-cache.ts';

export interface DebateAgent {
  readonly model: ChatModel;
  /** For each attempt. */
  readonly timeoutMs: number;
}

export interface DebateJudgeSettings extends DebateRules {
  readonly name: string;
  /** At least two, which begin alternately with "yes" and "no". All may be the same model. */
  readonly agents: readonly DebateAgent[];
  /** Decides if the agents do not agree. Without one, people decide. */
  readonly adjudicator?: DebateAgent | undefined;
  /** The round to which a debate continues after an agreement (DREAM, appendix B.3). */
  readonly continueTo?: number | undefined;
  readonly standard: SupportStandard;
  /** Whether the models see the question of the perspective. */
  readonly includeQuestion: boolean;
  /** Whether it is named DREAM, because it has the same settings. */
  readonly isDream?: boolean | undefined;
  /** Concurrent debates. Each has at most as many concurrent requests as agents. */
  readonly concurrency: number;
  readonly replies: PaidReplies;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

export function createDebateJudge(settings: DebateJudgeSettings): Judge {
  const {
    name,
    agents,
    adjudicator,
    rounds,
    agreement = 'all',
    continueTo,
    standard,
    includeQuestion,
  } = settings;
  const identity: JudgeIdentity = {
    name,
    label: labelOf(settings),
    source: 'debate',
    expense: 'paid',
    heuristic: false,
    key: JSON.stringify([
      'debate',
      promptVersionOf(agents),
      standard.id,
      agents.map(({ model }) => model.id),
      rounds,
      adjudicator?.model.id ?? null,
      includeQuestion,
      ...(continueTo === undefined ? [] : [continueTo]),
      ...(agreement === 'all' ? [] : [agreement]),
    ]),
    usesQuestion: includeQuestion,
    titleOf: recordTitle,
    standard: standard.id,
  };
  return judgeOf(identity, new Debating(settings));
}

function labelOf({ agents, isDream }: DebateJudgeSettings): string {
  const models = allOf(distinct(agents.map(({ model }) => model.label)));
  return isDream ? l10n.t`DREAM with ${models}` : l10n.t`Debate of ${models}`;
}

function promptVersionOf(agents: readonly DebateAgent[]): string {
  return agents.length > 2 ? GROUP_PROMPT_VERSION : DEBATE_PROMPT_VERSION;
}

/** A model's argument, and its cost. */
interface AgentReply {
  readonly argument: Argument;
  readonly cost: JudgementCost;
  /** Whether none of its quotations is in the passage. */
  readonly evidenceNotFound: boolean;
}

interface DebateRound {
  readonly turns: readonly DebateTurn[];
  readonly replies: readonly AgentReply[];
}

type Asking = Omit<AskOptions, 'timeoutMs'>;

class Debating {
  readonly #settings: DebateJudgeSettings;
  readonly #models: string;
  readonly #now: () => number;

  constructor(settings: DebateJudgeSettings) {
    this.#settings = settings;
    this.#now = settings.now ?? Date.now;
    this.#models = distinct(settings.agents.map(({ model }) => model.model)).join(' + ');
  }

  judge(pairs: readonly JudgePair[], options: JudgeOptions = {}): Promise<JudgeReport> {
    const run = new JudgingRun(pairs.length, options);
    const units = pairs.map((_, index) => [index]);
    return run.through(units, this.#settings.concurrency, async (unit, signal) => {
      const { tally, onRetry, onRequest } = run;
      const accepts = options.repeatUnparsable ? isReadable : undefined;
      const asking = { signal, tally, onRetry, onRequest, accepts };
      for (const index of unit) run.deliver(index, await this.#debate(pairs[index]!, asking));
    });
  }

  /** One debate from its first round to its conclusion. */
  async #debate(pair: JudgePair, asking: Asking): Promise<Answered> {
    const { continueTo = 0, adjudicator } = this.#settings;
    const debateCase = this.#debateCase(pair);
    const rounds: (readonly DebateTurn[])[] = [];
    const costs: JudgementCost[] = [];
    const holdRound = async (before: readonly DebateTurn[] | undefined): Promise<DebateRound> => {
      const held = await this.#round(debateCase, before, asking);
      costs.push(atOnce(held.replies.map(({ cost }) => cost)));
      return held;
    };
    let last: readonly AgentReply[] = [];
    while (debateState(rounds, this.#settings).state === 'open') {
      const { turns, replies } = await holdRound(rounds.at(-1));
      rounds.push(turns);
      last = replies;
    }
    const end = debateState(rounds, this.#settings).state;
    const further = end === 'agreed' ? await roundsBeyond(rounds, continueTo, holdRound) : [];
    if (!adjudicator || end !== 'disagreed') {
      const debate = { rounds, ...(further.length > 0 ? { further } : {}) };
      return this.#answered(debateCase, debate, inTurn(costs), last);
    }
    const prompt = adjudicatorPrompt(debateCase, opposingSides(rounds));
    const reply = await this.#ask(adjudicator, debateCase, prompt, asking);
    const debate = { rounds, adjudication: reply.argument };
    return this.#answered(debateCase, debate, inTurn([...costs, reply.cost]), [reply]);
  }

  #debateCase({ passage, perspective, question }: JudgePair): DebateCase {
    const { standard, includeQuestion } = this.#settings;
    return {
      passage: passage.text,
      title: recordTitle(passage),
      perspective: perspective.text,
      question: includeQuestion ? question : undefined,
      standard,
    };
  }

  /** Asks all agents at once. Their replies are stored even if another agent fails. */
  async #round(
    debateCase: DebateCase,
    before: readonly DebateTurn[] | undefined,
    asking: Asking,
  ): Promise<DebateRound> {
    const { agents } = this.#settings;
    const outcomes = await Promise.allSettled(
      agents.map((agent, i) => {
        const roundBefore = before && {
          ownArgument: before[i]!,
          otherArguments: before.filter((_, index) => index !== i),
        };
        const seat = agents.length > 2 ? { number: i + 1, of: agents.length } : undefined;
        return this.#ask(
          agent,
          debateCase,
          agentPrompt(debateCase, initialStance(i), roundBefore, seat),
          asking,
        );
      }),
    );
    const replies = outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
    const turns = replies.map(({ argument }, i) => ({ ...argument, initialStance: initialStance(i) }));
    return { turns, replies };
  }

  /** Asks once, and once more if the reply has no readable label. */
  async #ask(
    agent: DebateAgent,
    debateCase: DebateCase,
    messages: Messages,
    asking: Asking,
  ): Promise<AgentReply> {
    const ask = (prompt: Messages): Promise<AgentReply> =>
      this.#settings.replies.ask(
        agent.model,
        prompt,
        { ...asking, timeoutMs: agent.timeoutMs, form: ARGUMENT_FORM },
        (reply) => givenBy(agent, debateCase.passage, reply),
      );
    const answer = await ask(messages);
    if (answer.argument.label !== undefined) return answer;
    const again = await ask(askedAgain(messages));
    return { ...again, cost: inTurn([answer.cost, again.cost]) };
  }

  /** @param last what decided: the arguments of the last round, or the adjudicator's */
  #answered(
    debateCase: DebateCase,
    debate: Debate,
    cost: JudgementCost,
    last: readonly AgentReply[],
  ): Answered {
    const {
      verdict,
      evidence,
      rationale,
      escalated,
      unparsable: unread,
    } = concludeDebate(debate, this.#settings);
    const isUnfounded =
      verdict === 'yes' && evidence.length === 0 && last.some(({ evidenceNotFound }) => evidenceNotFound);
    const judgement: Judgement = {
      verdict,
      evidence,
      ...(isUnfounded ? { evidenceNotFound: true } : {}),
      source: 'debate',
      judge: this.#settings.name,
      rationale: [rationale, debateCut(debateCase)].filter(Boolean).join(' '),
      model: this.#models,
      promptVersion: promptVersionOf(this.#settings.agents),
      standard: debateCase.standard.id,
      at: new Date(this.#now()).toISOString(),
      cost,
      debate,
      escalated,
    };
    return { judgement, unparsable: unread };
  }
}

/** The rounds after the agreement, up to the given one or to the first without a label of an agent. */
async function roundsBeyond(
  agreed: Debate['rounds'],
  continueTo: number,
  holdRound: (before: readonly DebateTurn[] | undefined) => Promise<DebateRound>,
): Promise<readonly (readonly DebateTurn[])[]> {
  const rounds = [...agreed];
  while (rounds.length < continueTo && rounds.at(-1)?.every(({ label }) => label !== undefined))
    rounds.push((await holdRound(rounds.at(-1))).turns);
  return rounds.slice(agreed.length);
}

function givenBy({ model }: DebateAgent, passage: string, reply: PaidReply): AgentReply {
  const parsed = reply.incomplete === undefined ? parseArgument(reply.text) : unparsable(reply.incomplete);
  const cost = costOf(reply);
  if ('unparsable' in parsed)
    return {
      argument: { model: model.model, argument: '', evidence: [], unparsable: parsed.reason },
      cost,
      evidenceNotFound: false,
    };
  const evidence = inOrder(parsed.evidence.flatMap((quote) => locateEvidence(passage, quote)));
  return {
    argument: {
      model: model.model,
      label: parsed.verdict,
      argument: parsed.rationale ?? '',
      evidence,
    },
    cost,
    evidenceNotFound: parsed.evidence.length > 0 && evidence.length === 0,
  };
}

function isReadable({ incomplete, text }: PaidReply): boolean {
  return incomplete === undefined && !('unparsable' in parseArgument(text));
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}
