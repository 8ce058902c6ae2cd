/** Finds runs of chains: `qa(question)`, `qa.run(question)`, `create_retrieval_chain(retriever, answer).invoke(…)`. */
import type { Node } from '../syntax/node.ts';
import { dotted, originOf } from '../resolve/origin.ts';
import type { Program } from '../resolve/program.ts';
import type { Rule } from '../rules/library.ts';
import { enclosing, isField } from '../syntax/dialect.ts';
import type { Call } from '../syntax/expression.ts';
import { RETRIEVAL_CHAIN } from '../workspace/exported.ts';
import { calledAt } from './call-of-token.ts';
import { retrieverAmong } from './chain-parts.ts';
import { calledOn, isRebound, lastToken, methodCalled, references } from './retriever-variables.ts';
import type { Match } from './match.ts';

/** Methods that run a chain or an engine with everything in it. */
export const RUNS =
  /^(?:a?(?:invoke|stream|batch|run|call|apply|stream_events|stream_log|query|chat|stream_chat)|streamEvents|streamLog)$/u;
/** The ending of names of calls that may make a chain around a retriever. */
const MAKERS = /(?:[cC]hain|QA|\bfrom_chain_type|\bfrom_llm|\bfromLLM)(?=[ \t]*(?:<[^()<>]{0,80}>)?\()/u;
const MAX_NAME = 80;

/** A call that runs a chain, with the name where it is shown. */
export interface Run {
  readonly call: Call;
  readonly token: Node;
}

/**
 * Runs of chains whose arguments include a retriever, or whose class is known to retrieve.
 *
 * @param isMatch whether a rule applies to a call, so that it is a retrieval itself
 */
export function chainRuns(program: Program, rule: Rule, isMatch: (call: Call) => boolean): readonly Match[] {
  const { receiverText } = rule.call;
  if (!rule.call.chains || receiverText === undefined) return [];
  const makers = new Set([...namesOfMakers(program), ...(program.otherFiles?.chainMakers ?? [])]);
  return [...makers].flatMap((name) =>
    program.tokens(name).flatMap((token): readonly Match[] => {
      const call = calledAt(program, token);
      if (!call || isMatch(call)) return [];
      const part = retrieverAmong(call, receiverText);
      if (!part && !isRetrievalChain(program, call)) return [];
      return runsOf(program, call.node, true)
        .filter((run) => !isMatch(run.call))
        .map((run) => ({ rule, ...run, ambiguous: false, part }));
    }),
  );
}

function namesOfMakers(program: Program): readonly string[] {
  return program.onceInText('makers of chains', () => {
    const names = program
      .matchesOf(MAKERS)
      .map(
        ({ 0: end, index, input }) =>
          (/[\w$]*$/u.exec(input.slice(Math.max(0, index - MAX_NAME), index))?.[0] ?? '') + end,
      );
    return [...new Set(names)];
  });
}

function isRetrievalChain(program: Program, call: Call): boolean {
  const origin = originOf(program, call);
  return origin?.kind === 'imported' && RETRIEVAL_CHAIN.test(dotted(origin));
}

/**
 * Calls that run the chain made at the node. Empty if its name also has another value.
 *
 * @param isCallable whether it may be called like a function
 */
export function runsOf(program: Program, chain: Node, isCallable: boolean): readonly Run[] {
  return [chain, ...callsGiving(program, chain)].flatMap((creation) => {
    const spoken = references(program, creation);
    if (isRebound(creation, spoken)) return [];
    return [creation, ...spoken].flatMap(
      (each) => runAt(program, each, each.id === creation.id, isCallable) ?? [],
    );
  });
}

function runAt(program: Program, held: Node, isMade: boolean, isCallable: boolean): Run | undefined {
  const run = methodCalled(program, held);
  if (run) return RUNS.test(run.token.text) ? run : undefined;
  if (!isCallable || program.dialect.language !== 'python') return undefined;
  const token = lastToken(isMade ? (held.childForFieldName('function') ?? held) : held);
  const call = isMade ? calledOn(program, held) : calledAt(program, token);
  return call && { call, token };
}

/** Calls of the function in this text that returns what is made at the node. */
export function callsGiving(program: Program, creation: Node): readonly Node[] {
  const returned = [creation, ...references(program, creation)].find(
    (each) => each.parent?.type === 'return_statement',
  );
  const giver = returned && enclosing(returned, ({ type }) => /function|method/u.test(type));
  const name =
    giver?.childForFieldName('name') ??
    (giver && giver.parent?.type === 'variable_declarator' && giver.parent?.childForFieldName('name'));
  if (!giver || !name) return [];
  return program.tokens(name.text).flatMap((token) => {
    const parent = token.parent;
    if (parent && isField(parent, 'name', token)) return [];
    const call = calledAt(program, token);
    const origin = call && originOf(program, call.callee);
    return call && origin?.kind === 'function' && origin.node.id === giver.id ? [call.node] : [];
  });
}
