/**
 * The course of a debate (DREAM, section 3.1, equation 2): agents have opposing initial stances. If all agree in a
 * round, it ends with their label; disagreement after the last round is escalated.
 */
import { counted } from '../counted.ts';
import type { Argument, Debate, DebateTurn, DecidedVerdict, Escalation, Span, Verdict } from '../model.ts';
import { DECIDED_VERDICTS } from '../words.ts';
import { inOrder } from './replies/evidence.ts';
import { parseAnswer, unparsable, type ParsedAnswer, type Unparsable } from './replies/parse.ts';

/**
 * Agents alternate between the initial stances (DREAM, appendix B.4.1: each family of models from both). @param agent
 * from 0
 */
export function initialStance(agent: number): DecidedVerdict {
  return DECIDED_VERDICTS[agent % DECIDED_VERDICTS.length]!;
}

/** When a debate ends. */
export interface DebateRules {
  /** R, at least 1: the most rounds without agreement. */
  readonly rounds: number;
  /** Who must agree in the last round: all agents (the default) or more than half of them. */
  readonly agreement?: 'all' | 'majority' | undefined;
}

/** A parsed answer of an agent or the adjudicator. */
export type ParsedArgument = Omit<ParsedAnswer, 'verdict'> & { readonly verdict: DecidedVerdict };

/** Like {@link parseAnswer}, but rejects "unsure", as agents have to take a side. */
export function parseArgument(text: string): ParsedArgument | Unparsable {
  const parsed = parseAnswer(text);
  if ('unparsable' in parsed) return parsed;
  const { verdict } = parsed;
  return verdict === 'unsure' ? unparsable('The model took no side.') : { ...parsed, verdict };
}

export type DebateState =
  /** Another round follows. */
  | { readonly state: 'open' }
  | { readonly state: 'agreed'; readonly label: DecidedVerdict }
  | { readonly state: 'disagreed' }
  /** An agent's label could not be read. A debate without one side decides nothing. */
  | { readonly state: 'unparsable'; readonly reason: string };

export function debateState(rounds: Debate['rounds'], rules: DebateRules): DebateState {
  const turns = rounds.at(-1);
  if (!turns) return { state: 'open' };
  const unread = turns.find(({ label }) => label === undefined);
  if (unread) return { state: 'unparsable', reason: unread.unparsable ?? 'An agent gave no label.' };
  const isLast = rounds.length >= rules.rounds;
  const needed = isLast && rules.agreement === 'majority' ? Math.floor(turns.length / 2) + 1 : turns.length;
  const agreed = DECIDED_VERDICTS.find((verdict) => saying(turns, verdict).length >= needed);
  if (agreed) return { state: 'agreed', label: agreed };
  return { state: isLast ? 'disagreed' : 'open' };
}

/** The turns of a round with a label. */
function saying(turns: readonly DebateTurn[], verdict: DecidedVerdict): readonly DebateTurn[] {
  return turns.filter(({ label }) => label === verdict);
}

/** The two sides of the last round of a debate that ended in disagreement. Both are non-empty. */
export function opposingSides(
  rounds: Debate['rounds'],
): Readonly<Record<DecidedVerdict, readonly [DebateTurn, ...DebateTurn[]]>> {
  const side = (verdict: DecidedVerdict): readonly [DebateTurn, ...DebateTurn[]] => {
    const [first, ...more] = saying(rounds.at(-1) ?? [], verdict);
    if (!first) throw new Error('The agents do not stand on opposite sides.');
    return [first, ...more];
  };
  return { yes: side('yes'), no: side('no') };
}

/** The result of a debate as used in a judgement. */
export interface Conclusion {
  readonly verdict: Verdict;
  readonly evidence: readonly Span[];
  readonly rationale: string;
  readonly escalated?: Escalation | undefined;
  /** Whether the answer of an agent or the adjudicator has no readable verdict. */
  readonly unparsable: boolean;
}

/** @param debate an ended debate, with its adjudication if it had one */
export function concludeDebate(debate: Debate, rules: DebateRules): Conclusion {
  const end = debateState(debate.rounds, rules);
  switch (end.state) {
    case 'open':
      throw new Error('The debate goes on.');
    case 'agreed':
      return agreement(debate.rounds, end.label);
    case 'unparsable':
      return { verdict: 'unsure', evidence: [], rationale: end.reason, unparsable: true };
    case 'disagreed':
      return debate.adjudication
        ? adjudication(debate.adjudication, debate.rounds.length)
        : disagreement(debate.rounds);
  }
}

function agreement(rounds: Debate['rounds'], label: DecidedVerdict): Conclusion {
  const all = rounds.at(-1) ?? [];
  const turns = saying(all, label);
  // As initial stances are opposite, some agent was convinced. Its argument is the most informative.
  const [won, steadyTurn] = [...turns].sort(
    (a, b) => Number(a.initialStance === label) - Number(b.initialStance === label),
  );
  const argument = concise((won?.argument || steadyTurn?.argument) ?? '');
  return {
    verdict: label,
    // Evidence shows support, so quotes beside a "no" do not count.
    evidence: label === 'no' ? [] : inOrder(turns.flatMap(({ evidence }) => evidence)),
    rationale: sentences(`${agreeing(turns.length, all.length)} in round ${rounds.length}.`, argument),
    unparsable: false,
  };
}

function agreeing(count: number, agents: number): string {
  return count === agents ? 'The agents agreed' : `${count} of ${agents} agents agreed`;
}

function disagreement(rounds: Debate['rounds']): Conclusion {
  const {
    yes: [yes],
    no: [no],
  } = opposingSides(rounds);
  return {
    verdict: 'unsure',
    evidence: [],
    rationale: sentences(
      `${disagreed(rounds.length)}.`,
      yes.argument && `For: ${concise(yes.argument)}`,
      no.argument && `Against: ${concise(no.argument)}`,
    ),
    escalated: 'human',
    unparsable: false,
  };
}

function adjudication({ label, argument, evidence, unparsable: why }: Argument, rounds: number): Conclusion {
  const decided = `${disagreed(rounds)}; the adjudicator decided.`;
  return {
    verdict: label ?? 'unsure',
    evidence: label === 'yes' ? evidence : [],
    rationale:
      label === undefined
        ? sentences(`${disagreed(rounds)}, and the adjudicator's answer could not be read.`, why ?? '')
        : sentences(decided, concise(argument)),
    escalated: 'adjudicator',
    unparsable: label === undefined,
  };
}

function disagreed(rounds: number): string {
  return counted('The agents did not agree in [0:one round|{0} rounds]', rounds);
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

/** Rationales should be short. The debate's history contains the full arguments. */
const MAX_ARGUMENT = 300;

function concise(argument: string): string {
  const line = argument.replace(/\s+/g, ' ').trim();
  if (line.length <= MAX_ARGUMENT) return line;
  const cut = line.slice(0, MAX_ARGUMENT);
  const sentence = /^.*[.!?](?=\s)/.exec(cut)?.[0];
  return sentence ?? `${cut.slice(0, Math.max(0, cut.lastIndexOf(' '))) || cut.toWellFormed()}…`;
}
