/**
 * Guesses which argument of a call is the question, by the names of arguments and variables. Rules do not contain it,
 * because only live calls need it. At run time the values decide.
 */
import type { Argument, Call, Expression } from '../syntax/expression.ts';
import type { Node } from '../syntax/node.ts';

export interface ArgumentPlace {
  /** As in the protocol: positions and names, from the call inwards. Ends at a value that is passed to another call. */
  readonly path: readonly (string | number)[];
  /** The chained call that gets it. */
  readonly chained?: string | undefined;
  readonly node: Node;
  /** Whether another argument, such as a vector, also derives from the question. */
  readonly isOneOfSeveral: boolean;
}

interface Candidate extends Omit<ArgumentPlace, 'isOneOfSeveral'> {
  readonly score: number;
  readonly isVector: boolean;
}

const TEXT_NAME =
  /^(?:[a-z]*_?)?(?:query|queries|question|questions|q|prompt|input|inputs|term|search|message|utterance|text|texts|concepts|keyword|keywords|content)(?:_?(?:str|string|text|texts|term|value))?$/iu;
const SURE_NAME = /(?:query|question|searchterm|prompt|utterance|search_?text)/iu;
const VECTOR_NAME = /vec|embed/iu;
/** The vector itself, not its model. */
const A_VECTOR = /(?:vec|vector|embedding|embedded)s?$/iu;
const MAKES_VECTORS = /^embeddings$/iu;
/** Arguments with other meanings. */
const OTHER_NAME =
  /^(?:k|top_?k|limit|n_?results|where|filter|filters|include|select|namespace|collection(?:_?name)?|table(?:_?name)?|index(?:_?name)?|model|path|fields?|columns?|_?source|with_?payload|params_?|search_?params|score_?threshold|using|alpha|fusion_?type|type|kind|mode|size|from|offset|timeout|headers|method|output_?fields|num_?candidates|api_?key|queryType|query_type|max_?results)$/iu;
/** Chained calls that narrow a search. */
const NARROWS =
  /^(?:where|filter|eq|in|limit|offset|select|from|with_?limit|with_?where|sort|project|order_?by(?:_?raw)?|group_?by|join)$/iu;

const MAX_DEPTH = 6;
const MIN_SCORE = 1;

/**
 * @param calls the call and the calls chained to it in the same expression, with their names
 * @param takesStatement whether its first argument is a statement in a query language
 * @returns `undefined` if no argument looks like a question
 */
export function questionArgument(
  calls: readonly { readonly call: Call; readonly chained: string | undefined }[],
  takesStatement: boolean,
): ArgumentPlace | undefined {
  const candidates: Candidate[] = [];
  for (const { call, chained } of calls) {
    if (chained !== undefined && NARROWS.test(chained)) continue;
    const isStatement = takesStatement && chained === undefined;
    for (const [place, argument] of call.arguments.entries())
      candidates.push(...fromArgument(argument, { place, isStatement, chained }));
  }
  const [best] = candidates.toSorted((a, b) => b.score - a.score);
  if (!best || best.score < MIN_SCORE) return undefined;
  const { path, node, chained } = best;
  const isOneOfSeveral = candidates.some((each) => each.node.id !== node.id && isOfQuestion(each, best));
  return { path, node, isOneOfSeveral, ...(chained === undefined ? {} : { chained }) };
}

/** `[question, vector]`, `[question, await embed(question)]` */
function isOfQuestion({ isVector, node }: Candidate, question: Candidate): boolean {
  return !question.isVector && (isVector || node.text === question.node.text);
}

function fromArgument(
  argument: Argument,
  { place, isStatement, chained }: { place: number; isStatement: boolean; chained: string | undefined },
): Candidate[] {
  if (argument.kind === 'spread') return [];
  const isFirst = argument.kind === 'positional' && place === 0;
  if (isStatement && isFirst && argument.value.kind !== 'template') return [];
  const name = argument.kind === 'named' ? argument.name : undefined;
  if (name !== undefined && OTHER_NAME.test(name)) return [];
  const path = [name ?? place];
  return within(argument.value, {
    path,
    name,
    bonus: isFirst && !isStatement ? 1.5 : 0,
    depth: 0,
    isOpen: true,
  }).map((each) => ({ ...each, ...(chained === undefined ? {} : { chained }) }));
}

interface Inside {
  readonly path: readonly (string | number)[];
  /** The nearest name of an argument or entry. */
  readonly name: string | undefined;
  readonly bonus: number;
  readonly depth: number;
  /** Whether the path still leads to the value. */
  readonly isOpen: boolean;
}

function within(expression: Expression, inside: Inside): Candidate[] {
  const { path, depth, isOpen } = inside;
  if (depth > MAX_DEPTH) return [];
  const into = (value: Expression, more: Partial<Inside>): Candidate[] =>
    within(value, { ...inside, depth: depth + 1, ...more });
  const at = (step: string | number): readonly (string | number)[] => (isOpen ? [...path, step] : path);
  switch (expression.kind) {
    case 'record':
      return expression.entries.flatMap((entry) =>
        entry.kind === 'pair' && !OTHER_NAME.test(entry.key)
          ? into(entry.value, { path: at(entry.key), name: entry.key, bonus: 0 })
          : [],
      );
    case 'list':
      return expression.items().flatMap((item, place) => into(item, { path: at(place) }));
    case 'call':
      return ofCall(expression, inside, into);
    case 'template':
      return expression.parts.flatMap((part) =>
        typeof part === 'string' ? [] : into(part, { isOpen: false, bonus: inside.bonus - 0.25 }),
      );
    case 'binary':
      return /^(?:\|\||\?\?|or)$/u.test(expression.operator)
        ? scored(expression, inside)
        : [expression.left, expression.right].flatMap((side) => into(side, { isOpen: false }));
    case 'literal':
      return typeof expression.value === 'string' ? scoredText(expression, inside) : [];
    case 'name':
    case 'member':
    case 'subscript':
    case 'choice':
      return scored(expression, inside);
    case 'opaque':
      return [];
  }
}

/** `embed(question)`: an argument of the call is the question, if any looks like one. */
function ofCall(
  call: Call,
  inside: Inside,
  into: (value: Expression, more: Partial<Inside>) => Candidate[],
): Candidate[] {
  const inner = call.arguments.flatMap((argument) =>
    argument.kind === 'spread'
      ? []
      : into(argument.value, {
          isOpen: false,
          bonus: inside.bonus - 0.5,
          name: argument.kind === 'named' ? argument.name : undefined,
        }),
  );
  // `question.trim()`
  const receiver =
    call.callee.kind === 'member' && call.arguments.length === 0
      ? into(call.callee.object, { isOpen: false, bonus: inside.bonus - 0.25 })
      : [];
  const vectors = inner.filter(({ isVector }) => isVector);
  const all = [...inner, ...receiver].filter(({ score, isVector }) => score >= 2 && !isVector);
  if (all.length > 0) return [...all, ...vectors];
  return scored(call, inside).map((each) => ({ ...each, isVector: each.isVector || vectors.length > 0 }));
}

function scored(expression: Expression, { path, name, bonus }: Inside): Candidate[] {
  const expressionName = ownName(expression);
  const isVector = [name, expressionName].some(
    (each) => each !== undefined && A_VECTOR.test(each) && !MAKES_VECTORS.test(each),
  );
  return [
    { path, node: expression.node, score: bonus + nameScore(name) + nameScore(expressionName), isVector },
  ];
}

/** A string literal in the call is a question if the argument's name or position suggests it. */
function scoredText(
  expression: Expression & { kind: 'literal' },
  { path, name, bonus }: Inside,
): Candidate[] {
  const score = bonus + nameScore(name) + (/\s/u.test(String(expression.value)) ? 0.5 : -0.5);
  return [{ path, node: expression.node, score, isVector: false }];
}

function nameScore(name: string | undefined): number {
  if (name === undefined) return 0;
  if (VECTOR_NAME.test(name)) return 1.5;
  if (OTHER_NAME.test(name)) return -2;
  return SURE_NAME.test(name) ? 3 : TEXT_NAME.test(name) ? 2.5 : 0;
}

function ownName(expression: Expression): string | undefined {
  if (expression.kind === 'name') return expression.name;
  if (expression.kind === 'member') return expression.property;
  return expression.kind === 'call' ? ownName(expression.callee) : undefined;
}
