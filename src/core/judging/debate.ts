/**
 * The course of a debate (DREAM, section 3.1, equation 2): agents with opposing initial stances; agreement of all in
 * any round ends it with the agreed label, disagreement after the last one is escalated.
 */
import type { Argument, Debate, DebateTurn, DecidedVerdict, Escalation, Span, Verdict } from '../model.ts';
import { DECIDED_VERDICTS } from '../words.ts';
import { inOrder } from './replies/evidence.ts';
import { parseAnswer, unparsable, type ParsedAnswer, type Unparsable } from './replies/parse.ts';

/** Agents begin from either stance in turn (DREAM, appendix B.4.1: each family of models from both). @param agent from 0 */
export function initialStance(agent: number): DecidedVerdict {
  return DECIDED_VERDICTS[agent % DECIDED_VERDICTS.length]!;
}

/** When a debate ends. */
export interface DebateRules {
  /** R, at least 1: after so many rounds without agreement it is over. */
  readonly rounds: number;
  /** How the last round is decided: by agreement of all as before (when left out), or by more than half of the agents. */
  readonly agreement?: 'all' | 'majority' | undefined;
}

/** A parsed answer of an agent or the adjudicator. */
export type ParsedArgument = Omit<ParsedAnswer, 'verdict'> & { readonly verdict: DecidedVerdict };

/** Like {@link parseAnswer}; "unsure" is no label, since agents have to take a side. */
export function parseArgument(text: string): ParsedArgument | Unparsable {
  const parsed = parseAnswer(text);
  if ('unparsable' in parsed) return parsed;
  const { verdict } = parsed;
  return verdict === 'unsure' ? unparsable('The model took no side.') : { ...parsed, verdict };
}

export type DebateState =
  /** Another round is due. */
  | { readonly state: 'open' }
  | { readonly state: 'agreed'; readonly label: DecidedVerdict }
  | { readonly state: 'disagreed' }
  /** An agent's label could not be read; a debate with one side missing decides nothing. */
  | { readonly state: 'unparsable'; readonly reason: string };

export function debateState(rounds: Debate['rounds'], rules: DebateRules): DebateState {
  const turns = rounds.at(-1);
  if (!turns) return { state: 'open' };
  const unread = turns.find(({ label }) => label === undefined);
  if (unread) return { state: 'unparsable', reason: unread.unparsable ?? 'An agent gave no label.' };
  const isLast = rounds.length >= rules.rounds;
  const needed = isLast && rules.agreement === 'majority' ? Math.floor(turns.length / 2) + 1 : turns.length;
  const agreed = DECIDED_VERDICTS.find((wanted) => saying(turns, wanted).length >= needed);
  if (agreed) return { state: 'agreed', label: agreed };
  return { state: isLast ? 'disagreed' : 'open' };
}

/** Who said so in a round. */
function saying(turns: readonly DebateTurn[], wanted: DecidedVerdict): readonly DebateTurn[] {
  return turns.filter(({ label }) => label === wanted);
}

/** Both sides of the last round of a debate that ended in disagreement, neither of them empty. */
export function opposingSides(
  rounds: Debate['rounds'],
): Readonly<Record<DecidedVerdict, readonly [DebateTurn, ...DebateTurn[]]>> {
  const side = (wanted: DecidedVerdict): readonly [DebateTurn, ...DebateTurn[]] => {
    const [first, ...more] = saying(rounds.at(-1) ?? [], wanted);
    if (!first) throw new Error('The agents do not stand on opposite sides.');
    return [first, ...more];
  };
  return { yes: side('yes'), no: side('no') };
}

/** The result of a debate, as a judgement states it. */
export interface Conclusion {
  readonly verdict: Verdict;
  readonly evidence: readonly Span[];
  readonly rationale: string;
  readonly escalated?: Escalation | undefined;
  /** No verdict could be read from what an agent, or the adjudicator, answered. */
  readonly unparsable: boolean;
}

/** @param debate one that has ended, with its adjudication if it had one */
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
  // Stances are opposite, so somebody was won over. What convinced them tells most.
  const [won, kept] = [...turns].sort(
    (a, b) => Number(a.initialStance === label) - Number(b.initialStance === label),
  );
  const argument = concise((won?.argument || kept?.argument) ?? '');
  return {
    verdict: label,
    // Evidence is where the support stands; what is quoted beside a "no" is something else.
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
  return `The agents did not agree in ${rounds === 1 ? 'one round' : `${rounds} rounds`}`;
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

/** A rationale is read at a glance; the whole arguments stand in the history. */
const MAX_ARGUMENT = 300;

function concise(argument: string): string {
  const line = argument.replace(/\s+/g, ' ').trim();
  if (line.length <= MAX_ARGUMENT) return line;
  const cut = line.slice(0, MAX_ARGUMENT);
  const sentence = /^.*[.!?](?=\s)/.exec(cut)?.[0];
  return sentence ?? `${cut.slice(0, Math.max(0, cut.lastIndexOf(' '))) || cut.toWellFormed()}…`;
}
