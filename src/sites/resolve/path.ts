/** Finds a parameter of a call by its path; the path language is described in rules/schema.ts. */
import * as l10n from '@vscode/l10n';
import type { Provenance } from '../model.ts';
import type { Argument, Call, Entry, Expression } from '../syntax/expression.ts';
import { calleeName, chainedCalls } from './chain.ts';
import { follow, further } from './follow.ts';
import { originOf } from './origin.ts';
import type { Program } from './program.ts';
import { evaluate, isKnown } from './value.ts';

type Via = Exclude<Provenance, 'unknown'>;

/** An argument as it stands, and how far it is from the call that was asked about. */
export interface Located {
  readonly expression: Expression;
  readonly provenance: Via;
  /** The argument, entry or element that holds the expression. */
  readonly holder: Argument | Entry | undefined;
}

export type Reached =
  | { readonly state: 'found'; readonly located: readonly Located[] }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown'; readonly why: string };

export const ABSENT: Reached = { state: 'absent' };

/** A call and where its options object stands in JavaScript. */
export interface Asked {
  readonly program: Program;
  readonly call: Call;
  readonly options: number;
}

function found(
  expression: Expression,
  provenance: Via = 'literal',
  holder?: Argument | Entry,
): Extract<Reached, { state: 'found' }> {
  return { state: 'found', located: [{ expression, provenance, holder }] };
}

function hidden(why = l10n.t('arguments are passed on from elsewhere')): Reached {
  return { state: 'unknown', why };
}

export function reach(asked: Asked, path: string): Reached {
  const [first = '', ...rest] = path.split('.');
  return rest.reduce<Reached>(
    (reached, segment) => descend(asked.program, reached, segment),
    enter(asked, first),
  );
}

/** The first segment: from the call itself. */
function enter(asked: Asked, segment: string): Reached {
  const { program, call } = asked;
  if (segment.startsWith('#')) return positional(call, Number(segment.slice(1)));
  if (segment.startsWith('>')) {
    const chained = chainedCalls(program, call).filter((next) => calleeName(next) === segment.slice(1));
    if (chained.length > 1) return hidden(l10n.t`${segment.slice(1)} is called several times`);
    return chained[0] ? found(chained[0]) : ABSENT;
  }
  if (segment.startsWith('<'))
    return call.callee.kind === 'member' ? before(program, call.callee.object, segment.slice(1)) : ABSENT;
  return program.dialect.language === 'python'
    ? namedArgument(program, call, segment)
    : option(asked, segment);
}

/** Every further segment: into what was found. */
function descend(program: Program, reached: Reached, segment: string): Reached {
  if (reached.state !== 'found') return reached;
  const located: Located[] = [];
  for (const each of reached.located) {
    const inner = into(program, each, segment);
    if (inner.state !== 'found') return inner;
    located.push(
      ...inner.located.map((next) => ({ ...next, provenance: further(each.provenance, next.provenance) })),
    );
  }
  return { state: 'found', located };
}

function into(program: Program, { expression }: Located, segment: string): Reached {
  if (segment.startsWith('<')) return before(program, expression, segment.slice(1));
  const followed = follow(program, expression);
  if (!followed.expression) return hidden(followed.why);
  const inner = member(program, followed.expression, segment);
  if (inner.state !== 'found') return inner;
  return {
    state: 'found',
    located: inner.located.map((each) => ({
      ...each,
      provenance: further(followed.provenance, each.provenance),
    })),
  };
}

function member(program: Program, container: Expression, segment: string): Reached {
  if (segment === '[]') return elements(container);
  if (segment.startsWith('#'))
    return container.kind === 'call'
      ? positional(container, Number(segment.slice(1)))
      : container.kind === 'list'
        ? element(container.items()[Number(segment.slice(1))])
        : ABSENT;
  switch (container.kind) {
    case 'record':
      return segment === '*'
        ? anyEntry(container)
        : entry(program, container.entries, container.complete, segment);
    case 'call':
      return namedArgument(program, container, segment);
    case 'literal':
    case 'list':
    case 'template':
      return ABSENT;
    case 'name':
    case 'member':
    case 'subscript':
    case 'binary':
    case 'choice':
    case 'opaque':
      return hidden(l10n.t('it is computed when the program runs'));
  }
}

function element(expression: Expression | undefined): Reached {
  return expression ? found(expression) : ABSENT;
}

function elements(container: Expression): Reached {
  if (container.kind === 'literal') return ABSENT;
  if (container.kind !== 'list') return hidden(l10n.t('the list is not written here'));
  const items = container.items();
  return items.length === 0
    ? ABSENT
    : {
        state: 'found',
        located: items.map((expression) => ({ expression, provenance: 'literal', holder: undefined })),
      };
}

function anyEntry({ entries }: Extract<Expression, { kind: 'record' }>): Reached {
  const [only, second] = entries;
  if (!only || second) return hidden(l10n.t('the key is not known'));
  return found(only.value, 'literal', only);
}

function entry(program: Program, entries: readonly Entry[], complete: boolean, key: string): Reached {
  for (const each of entries.toReversed()) {
    if (each.kind === 'pair') {
      if (each.key === key) return found(each.value, 'literal', each);
      continue;
    }
    const spread = throughSpread(program, each.value, key);
    if (spread.state !== 'absent') return spread;
  }
  return complete ? ABSENT : hidden();
}

/** `**kwargs`, `...options` */
function throughSpread(program: Program, value: Expression, key: string): Reached {
  const followed = follow(program, value);
  if (followed.expression?.kind !== 'record' && followed.expression?.kind !== 'call') return hidden();
  if (followed.expression.kind === 'call' && calleeName(followed.expression) !== 'dict') return hidden();
  const inner = member(program, followed.expression, key);
  if (inner.state !== 'found') return inner;
  return { state: 'found', located: inner.located.map((each) => ({ ...each, provenance: 'spread' })) };
}

function namedArgument(program: Program, call: Call, name: string): Reached {
  for (const each of call.arguments.toReversed()) {
    if (each.kind === 'named' && each.name === name) return found(each.value, 'literal', each);
    if (each.kind === 'spread' && each.fills === 'names') {
      const spread = throughSpread(program, each.value, name);
      if (spread.state !== 'absent') return spread;
    }
  }
  if (program.dialect.language === 'javascript') {
    // A call within options, such as `cohere.reranking(…)`: its own options object comes first.
    const [first] = call.arguments;
    return first?.value.kind === 'record'
      ? entry(program, first.value.entries, first.value.complete, name)
      : optionIn(call, name);
  }
  return call.complete ? ABSENT : hidden(l10n.t('the call is not finished'));
}

function optionIn(call: Call, name: string): Reached {
  const record = call.arguments.find(({ value }) => value.kind === 'record')?.value;
  const pair =
    record?.kind === 'record'
      ? record.entries.find((each) => each.kind === 'pair' && each.key === name)
      : undefined;
  return pair ? found(pair.value, 'literal', pair) : ABSENT;
}

/** A property of the options object of a JavaScript call. */
function option({ program, call, options }: Asked, name: string): Reached {
  const at = call.arguments.slice(0, options + 1);
  if (at.some(({ kind }) => kind === 'spread')) return hidden();
  const holder = at[options];
  if (!holder) return call.complete ? ABSENT : hidden(l10n.t('the call is not finished'));
  const followed = follow(program, holder.value);
  if (!followed.expression) return hidden(followed.why);
  if (followed.expression.kind === 'record') {
    const inner = entry(program, followed.expression.entries, followed.expression.complete, name);
    if (inner.state !== 'found') return inner;
    return {
      state: 'found',
      located: inner.located.map((each) => ({
        ...each,
        provenance: further(followed.provenance, each.provenance),
      })),
    };
  }
  return isKnown(evaluate(program, holder.value)) ? ABSENT : hidden();
}

function positional(call: Call, position: number): Reached {
  const ordered = call.arguments.filter(
    (each) => each.kind === 'positional' || (each.kind === 'spread' && each.fills === 'positions'),
  );
  if (ordered.slice(0, position + 1).some(({ kind }) => kind === 'spread')) return hidden();
  const argument = ordered[position];
  if (argument) return found(argument.value, 'literal', argument);
  return call.complete ? ABSENT : hidden(l10n.t('the call is not finished'));
}

/** A call on the way to this value: the last one with this name. */
function before(program: Program, expression: Expression, name: string): Reached {
  const origin = originOf(program, expression);
  if (origin?.kind !== 'imported') return ABSENT;
  const made = origin.calls.filter((call) => name === '*' || calleeName(call) === name);
  if (made.length === 0) return ABSENT;
  if (origin.ambiguous) return hidden(l10n.t('it is made in several ways'));
  return found(made.at(-1)!, 'literal');
}
