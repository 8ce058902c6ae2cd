/** Finds a parameter of a call by its path; src/core/call-sites/schema.ts describes the path language. */
import * as l10n from '@vscode/l10n';
import type { Provenance } from '../model.ts';
import { isComplete, type Argument, type Call, type Entry, type Expression } from '../syntax/expression.ts';
import { calleeName, chainedCalls } from './chain.ts';
import { follow, further, isBuiltIn, isDict } from './follow.ts';
import { dotted, originOf } from './origin.ts';
import type { Program } from './program.ts';
import { evaluate, isKnown } from './value.ts';

type Via = Exclude<Provenance, 'unknown'>;
type RecordExpression = Extract<Expression, { kind: 'record' }>;

/** An argument as written, and its distance from the call. */
export interface Located {
  readonly expression: Expression;
  readonly provenance: Via;
  /** Set for the call that the rule itself names, whose argument names are known. */
  readonly called?: 'before' | 'after' | undefined;
  /** The argument, entry or element with the expression. */
  readonly container: Argument | Entry | undefined;
}

export type Reached =
  | { readonly state: 'found'; readonly located: readonly Located[] }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown'; readonly why: string };

export const ABSENT: Reached = { state: 'absent' };

/** A call, and the position of its options object in JavaScript. */
export interface CallContext {
  readonly program: Program;
  readonly call: Call;
  readonly options: number;
  /** Names of the library's classes and functions whose arguments are read as entries. */
  readonly constructors?: readonly string[] | undefined;
  /** Also reads the arguments of other classes, for names of models and similar values. */
  readonly anyClass?: boolean | undefined;
}

function location(
  expression: Expression,
  provenance: Via = 'literal',
  container?: Argument | Entry,
): Extract<Reached, { state: 'found' }> {
  return { state: 'found', located: [{ expression, provenance, container }] };
}

function hidden(why = l10n.t('arguments are passed on from elsewhere')): Reached {
  return { state: 'unknown', why };
}

export function reach(callContext: CallContext, path: string): Reached {
  const [first = '', ...rest] = path.split('.');
  return rest.reduce<Reached>(
    (reached, segment) => descend(callContext, reached, segment),
    enter(callContext, first),
  );
}

/** Whether the call sets the parameter, even if a spread or a later change may replace the value. */
export function isWritten(callContext: CallContext, path: string): boolean {
  if (reach(callContext, path).state === 'found') return true;
  const { program, call, options } = callContext;
  const [first = '', ...rest] = path.split('.');
  if (first.startsWith('>') && rest.length === 0)
    return chainedCalls(program, call).some((next) => calleeName(next.call) === first.slice(1));
  const isPython = program.dialect.language === 'python';
  const args = isPython ? call.arguments : call.arguments.slice(options, options + 1);
  let values = args.flatMap((each): readonly Expression[] => {
    if (each.kind === 'named') return each.name === first ? [each.value] : [];
    if (each.kind === 'spread' || !isPython) return writtenIn(program, each.value, first);
    return [];
  });
  for (const key of rest) values = values.flatMap((value) => writtenIn(program, value, key));
  return values.length > 0;
}

/** Entries with this key in every possible object. */
function writtenIn(program: Program, container: Expression, key: string, depth = 0): readonly Expression[] {
  if (depth > 3) return [];
  switch (container.kind) {
    case 'record':
      return container.entries.flatMap((each) =>
        each.kind === 'spread'
          ? writtenIn(program, each.value, key, depth + 1)
          : each.key === key
            ? [each.value]
            : [],
      );
    case 'call':
      return container.arguments.flatMap((each) =>
        each.kind === 'named' && each.name === key ? [each.value] : [],
      );
    case 'name':
      return program
        .bindings(container.name, container.node)
        .flatMap((binding) =>
          binding.kind === 'value' && binding.access.length === 0
            ? writtenIn(program, binding.value, key, depth + 1)
            : [],
        );
    case 'choice':
      return container.options.flatMap((each) => writtenIn(program, each, key, depth + 1));
    case 'literal':
    case 'member':
    case 'subscript':
    case 'list':
    case 'binary':
    case 'template':
    case 'opaque':
      return [];
  }
}

/** The first segment, relative to the call. */
function enter(callContext: CallContext, segment: string): Reached {
  const { program, call } = callContext;
  if (segment.startsWith('#')) return positional(call, Number(segment.slice(1)));
  if (segment.startsWith('>')) {
    const chained = chainedCalls(program, call).filter((next) => calleeName(next.call) === segment.slice(1));
    const [only, second] = chained;
    if (second) return hidden(l10n.t`${segment.slice(1)} is called several times`);
    if (!only) return ABSENT;
    if (!only.certain) return hidden(l10n.t('it depends on a condition'));
    const { expression, provenance, container } = location(only.call).located[0]!;
    return { state: 'found', located: [{ expression, provenance, container, called: 'after' }] };
  }
  if (segment.startsWith('<'))
    return call.callee.kind === 'member' ? before(program, call.callee.object, segment.slice(1)) : ABSENT;
  return program.dialect.language === 'python'
    ? namedArgument(program, call, segment)
    : option(callContext, segment);
}

/** Every further segment, relative to the previous one. */
function descend(callContext: CallContext, reached: Reached, segment: string): Reached {
  if (reached.state !== 'found') return reached;
  const located: Located[] = [];
  for (const each of reached.located) {
    const inner = into(callContext, each, segment);
    if (inner.state !== 'found') return inner;
    located.push(
      ...inner.located.map((next) => ({ ...next, provenance: further(each.provenance, next.provenance) })),
    );
  }
  return { state: 'found', located };
}

function into(callContext: CallContext, { expression, called }: Located, segment: string): Reached {
  const { program } = callContext;
  if (segment.startsWith('<')) return before(program, expression, segment.slice(1));
  if (called && expression.kind === 'call') {
    const argument = argumentOf(program, expression, segment);
    // `.limit(n=5)`: passed under a name that the rule does not contain.
    return called === 'after' && argument.state === 'absent' && expression.arguments.length > 0
      ? hidden()
      : argument;
  }
  const followed = follow(program, expression);
  if (!followed.expression) return hidden(followed.why);
  const inner = member(callContext, followed.expression, segment);
  if (inner.state !== 'found') return inner;
  return {
    state: 'found',
    located: inner.located.map((each) => ({
      ...each,
      provenance: further(followed.provenance, each.provenance),
    })),
  };
}

const computed = (): Reached => hidden(l10n.t('it is computed when the program runs'));

function member(callContext: CallContext, container: Expression, segment: string, depth = 0): Reached {
  const { program } = callContext;
  if (container.kind === 'call') return memberOfCall(callContext, container, segment, depth);
  if (segment === '[]') return elements(container);
  if (segment.startsWith('#')) {
    const position = Number(segment.slice(1));
    if (container.kind === 'list')
      return container.ordered && position < container.certain()
        ? element(container.items()[position])
        : hidden(l10n.t('the list is not written here'));
    return container.kind === 'literal' || container.kind === 'record' ? ABSENT : computed();
  }
  switch (container.kind) {
    case 'record':
      return segment === '*' ? anyEntry(container) : entry(program, container, segment);
    case 'literal':
      // A string may be the JSON of an object.
      return typeof container.value === 'string' ? computed() : ABSENT;
    case 'list':
    case 'template':
    case 'name':
    case 'member':
    case 'subscript':
    case 'binary':
    case 'choice':
    case 'opaque':
      return computed();
  }
}

/** Only `dict(…)`, JSON of an object, and classes that a rule names are objects; other calls are unknown. */
function memberOfCall(callContext: CallContext, call: Call, segment: string, depth: number): Reached {
  const { program } = callContext;
  if (isDict(program, call)) return segment.startsWith('#') ? ABSENT : dictEntry(program, call, segment);
  const [first] = call.arguments;
  if (isJson(program, call) && first?.kind === 'positional') {
    const text = follow(program, first.value, depth);
    return text.expression ? member(callContext, text.expression, segment, depth + 1) : hidden(text.why);
  }
  return isConstructor(callContext, call) ? argumentOf(program, call, segment) : computed();
}

const JSON_TEXT = /^(?:JSON\.stringify|json\.dumps)$/u;

function isJson(program: Program, { callee }: Call): boolean {
  return JSON_TEXT.test(callee.node.text) && isBuiltIn(program, callee);
}

function isConstructor({ program, constructors, anyClass }: CallContext, call: Call): boolean {
  const origin = originOf(program, call.callee);
  if (origin?.kind !== 'imported') return false;
  const name = calleeName(call);
  if (anyClass === true && /^\p{Lu}/u.test(name)) return true;
  const full = dotted(origin);
  return constructors?.some((each) => each === name || full.endsWith(`.${each}`)) === true;
}

function argumentOf(program: Program, call: Call, segment: string): Reached {
  return segment.startsWith('#')
    ? positional(call, Number(segment.slice(1)))
    : namedArgument(program, call, segment);
}

function dictEntry(program: Program, call: Call, key: string, depth = 0): Reached {
  const argument = namedArgument(program, call, key, depth);
  if (argument.state !== 'absent') return argument;
  return call.arguments.some(({ kind }) => kind === 'positional') ? hidden() : ABSENT;
}

function element(expression: Expression | undefined): Reached {
  return expression ? location(expression) : ABSENT;
}

function elements(container: Expression): Reached {
  if (container.kind === 'literal') return ABSENT;
  if (container.kind !== 'list' || Number.isFinite(container.certain()))
    return hidden(l10n.t('the list is not written here'));
  const items = container.items();
  return items.length === 0
    ? ABSENT
    : {
        state: 'found',
        located: items.map((expression) => ({ expression, provenance: 'literal', container: undefined })),
      };
}

function anyEntry({ entries }: RecordExpression): Reached {
  const [only, second] = entries;
  if (!only || second || only.kind === 'spread') return hidden(l10n.t('the key is not known'));
  return location(only.value, 'literal', only);
}

function entry(program: Program, record: RecordExpression, key: string, depth = 0): Reached {
  for (const each of record.entries.toReversed()) {
    if (each.kind === 'pair') {
      if (each.key === key) return location(each.value, 'literal', each);
      continue;
    }
    const spread = throughSpread(program, each.value, key, depth);
    if (spread.state !== 'absent') return spread;
  }
  return isComplete(record) ? ABSENT : hidden();
}

/** `**kwargs`, `...options` */
function throughSpread(program: Program, value: Expression, key: string, depth: number): Reached {
  const { expression } = follow(program, value, depth);
  const inner =
    expression?.kind === 'record'
      ? entry(program, expression, key, depth + 1)
      : expression?.kind === 'call' && isDict(program, expression)
        ? dictEntry(program, expression, key, depth + 1)
        : hidden();
  if (inner.state !== 'found') return inner;
  return { state: 'found', located: inner.located.map((each) => ({ ...each, provenance: 'spread' })) };
}

/** A named argument counts despite spreads beside it, because Python does not accept an argument twice. */
function namedArgument(program: Program, call: Call, name: string, depth = 0): Reached {
  if (program.dialect.language === 'javascript') return optionOf(program, call, name);
  const written = call.arguments.find((each) => each.kind === 'named' && each.name === name);
  if (written) return location(written.value, 'literal', written);
  for (const each of call.arguments)
    if (each.kind === 'spread' && each.fills === 'names') {
      const spread = throughSpread(program, each.value, name, depth);
      if (spread.state !== 'absent') return spread;
    }
  return isComplete(call) ? ABSENT : hidden(l10n.t('the call is not finished'));
}

/** An option of a call inside the options, such as `cohere.reranking({…})`, in any of its arguments. */
function optionOf(program: Program, call: Call, name: string): Reached {
  let missed: Reached | undefined;
  for (const { kind, value } of call.arguments) {
    const { expression } = kind === 'spread' ? {} : follow(program, value);
    const inner =
      expression?.kind === 'record'
        ? entry(program, expression, name)
        : expression?.kind === 'literal'
          ? ABSENT
          : hidden();
    if (inner.state === 'found') return inner;
    if (inner.state === 'unknown') missed ??= inner;
  }
  return missed ?? (isComplete(call) ? ABSENT : hidden(l10n.t('the call is not finished')));
}

/** A property of the options object of a JavaScript call. */
function option({ program, call, options }: CallContext, name: string): Reached {
  const at = call.arguments.slice(0, options + 1);
  if (at.some(({ kind }) => kind === 'spread')) return hidden();
  const argument = at[options];
  if (!argument) return isComplete(call) ? ABSENT : hidden(l10n.t('the call is not finished'));
  const followed = follow(program, argument.value);
  if (!followed.expression) return hidden(followed.why);
  if (followed.expression.kind === 'record') {
    const inner = entry(program, followed.expression, name);
    if (inner.state !== 'found') return inner;
    return {
      state: 'found',
      located: inner.located.map((each) => ({
        ...each,
        provenance: further(followed.provenance, each.provenance),
      })),
    };
  }
  const value = evaluate(program, argument.value);
  return isKnown(value) ? ABSENT : hidden(value.why);
}

function positional(call: Call, position: number): Reached {
  const ordered = call.arguments.filter(
    (each) => each.kind === 'positional' || (each.kind === 'spread' && each.fills === 'positions'),
  );
  if (ordered.slice(0, position + 1).some(({ kind }) => kind === 'spread')) return hidden();
  const argument = ordered[position];
  if (argument) return location(argument.value, 'literal', argument);
  return isComplete(call) ? ABSENT : hidden(l10n.t('the call is not finished'));
}

/** The last call of this name on the way to the value. */
function before(program: Program, expression: Expression, name: string): Reached {
  const origin = originOf(program, expression);
  if (origin?.kind !== 'imported') return ABSENT;
  const calls = origin.calls.filter((call) => name === '*' || calleeName(call) === name);
  if (calls.length === 0) return ABSENT;
  if (origin.ambiguous) return hidden(l10n.t('it is made in several ways'));
  return {
    state: 'found',
    located: [{ expression: calls.at(-1)!, provenance: 'literal', container: undefined, called: 'before' }],
  };
}
