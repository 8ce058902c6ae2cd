/** Combines matches: retrievers inside wrappers, rerankers on top, and calls that set k themselves. */
import * as l10n from '@vscode/l10n';
import type { Node } from '../syntax/node.ts';
import type { Field, Matching } from '../model.ts';
import { variableHolding } from '../resolve/chain.ts';
import { follow } from '../resolve/follow.ts';
import { attributeOf, originOf } from '../resolve/origin.ts';
import { firstReached } from '../resolve/parameters.ts';
import type { Reached } from '../resolve/path.ts';
import { MAX_DEPTH, type Program } from '../resolve/program.ts';
import { isKnown, unknown } from '../resolve/value.ts';
import type { Binding, Call, Expression } from '../syntax/expression.ts';
import type { RetrieverElsewhere } from '../workspace/exported.ts';
import { byCall, type Match } from './match.ts';
import type { TextMatch } from './sql-and-url-calls.ts';
import { callContextOf, readFields, type Fields } from './fields.ts';
import { consumersOf } from './retriever-arguments.ts';
import { assignedK, references, runtimeK, usesOf, type Use } from './retriever-variables.ts';

/** A call site before its places are computed. */
export interface Composed {
  readonly match: Match;
  /** The token where the site is shown. */
  readonly token: Node;
  readonly call: Call;
  readonly fields: Fields;
  readonly uses: readonly Use[];
  /** Names where the retriever is passed to chains, tools and pipes. */
  readonly consumers?: readonly Node[] | undefined;
  /** Set for a call that runs a retriever made in another file. */
  readonly madeIn?: RetrieverElsewhere | undefined;
}

export function compose(program: Program, matches: readonly TextMatch[]): Composed[] {
  const composer = new Composer(program, matches);
  const composed = matches.flatMap((match) => composer.sites(match));
  // The run of a chain belongs to the retriever in the chain.
  const consumerIds = new Set(composed.flatMap((each) => (each.consumers ?? []).map(({ id }) => id)));
  return composed.filter(({ match, token }) => match.rule.call.role !== 'use' || !consumerIds.has(token.id));
}

class Composer {
  private readonly program: Program;
  private readonly byCall: ReadonlyMap<number, TextMatch>;
  private readonly known = new Map<number, Fields>();
  private readonly nested = new Set<number>();
  /** Wrappers that return the unchanged results of their one retriever; linked to it like chains. */
  private readonly handingOn = new Set<number>();
  /** Rerankers that are passed to a wrapper of this text, and thus parts of it. */
  private readonly takenIn = new Set<number>();
  /** Calls that run a retriever or reranker of this text. */
  private readonly linked = new Set<number>();
  private readonly directly = new Map<number, Use[]>();
  private readonly through = new Map<number, readonly Use[]>();

  constructor(program: Program, matches: readonly TextMatch[]) {
    this.program = program;
    this.byCall = byCall(matches);
    for (const match of matches) {
      const children = this.children(match);
      if (this.handsOn(match, children)) this.handingOn.add(match.call.node.id);
      else
        for (const child of children)
          if (asksOnce(match, children) || isOnLineOf(match, child)) this.nested.add(child.call.node.id);
    }
    for (const match of matches)
      for (const reranker of this.rerankers(match)) this.takenIn.add(reranker.call.node.id);
    this.link(matches);
    this.linkRuns(matches);
  }

  sites(match: TextMatch): Composed[] {
    const { role } = match.rule.call;
    const { id } = match.call.node;
    if (role === 'reranker' && (!keepsBest(match) || this.takenIn.has(id))) return [];
    if (this.handingOn.has(id) || (!isMade(match) && this.linked.has(id))) return [];
    const fields = this.fields(match);
    const uses =
      role === 'search' || role === 'use' ? (this.through.get(match.call.node.id) ?? []) : this.usesOf(match);
    const plain = uses.filter(({ k }) => k === undefined);
    const ownK = uses.flatMap((use): Composed[] =>
      use.k ? [{ match, token: use.token, call: use.call, fields: { ...fields, k: use.k }, uses: [] }] : [],
    );
    const isHidden = plain.length === 0 && (ownK.length > 0 || this.nested.has(match.call.node.id));
    if (isHidden) return ownK;
    if (this.isIdle(match, uses)) return [];
    const madeIn = this.madeElsewhere(match);
    const consumers = isRetriever(match) || match.isGiven ? this.consumersOf(match) : [];
    return [{ match, token: match.token, call: match.call, fields, uses: plain, consumers, madeIn }, ...ownK];
  }

  /** Whether it is made for a tool, but never passed to one. */
  private isIdle({ rule, call: { node } }: TextMatch, uses: readonly Use[]): boolean {
    if (!rule.call.needsUse || uses.length > 0) return false;
    const held = variableHolding(node);
    // Other files may import top-level names.
    if (!held || (!this.program.isNotebook && isAtTop(this.program, held))) return false;
    return references(this.program, node).length === 0;
  }

  private usesOf(match: TextMatch): Use[] {
    return [...this.direct(match), ...(this.through.get(match.call.node.id) ?? [])];
  }

  private consumersOf({ call, rule, token }: TextMatch): readonly Node[] {
    const isMatch = ({ node: { id } }: Call): boolean => this.byCall.has(id) && !this.handingOn.has(id);
    const tokens = consumersOf(this.program, call.node, rule.call.uses?.methods ?? [], isMatch);
    // A chain may contain the retriever twice.
    return [...new Map(tokens.map((node) => [node.id, node])).values()].filter(({ id }) => id !== token.id);
  }

  private direct(match: TextMatch): Use[] {
    let known = this.directly.get(match.call.node.id);
    if (!known) {
      const used = this.program.once(match, 'uses', () => usesOf(this.program, match));
      // A method of the text's own class may use its arguments in any way.
      known = match.isOwnClass ? used.map((use) => ({ ...use, k: undefined })) : used;
      this.directly.set(match.call.node.id, known);
    }
    return known;
  }

  /** Links runs of a retriever made in this text to its site; they are not sites themselves. */
  private link(matches: readonly TextMatch[]): void {
    for (const match of matches)
      if (isMade(match)) for (const { call } of this.direct(match)) this.linked.add(call.node.id);
    const runs = matches.filter(
      ({ call, rule }) => rule.call.role === 'use' && !this.linked.has(call.node.id),
    );
    for (const match of runs)
      for (const creation of this.madeAs(match)) {
        this.linked.add(match.call.node.id);
        // If the name of the retriever has two values, either may be in the chain.
        if (!match.part || !isOneOfSeveral(this.program, match)) this.addUse(creation, match);
      }
    for (const match of runs)
      if (!this.linked.has(match.call.node.id))
        for (const inner of this.insideOf(match)) {
          this.linked.add(match.call.node.id);
          if (!isOneOfSeveral(this.program, match)) this.addUse(inner, match);
        }
  }

  private handsOn(match: TextMatch, children: readonly TextMatch[]): boolean {
    const { handsOn, rerankers = [] } = match.rule.call;
    if (!handsOn || children.length !== 1 || !isRetriever(children[0])) return false;
    return this.reached(match, rerankers).state === 'absent';
  }

  /** If a function of the program passes a statement on, the run belongs to the call of that function. */
  private linkRuns(matches: readonly TextMatch[]): void {
    for (const { call, runs = [] } of matches)
      for (const run of runs) {
        const token = run.callee.kind === 'member' ? run.callee.token : run.callee.node;
        if (!this.byCall.has(run.node.id)) this.addUse(call, { call: run, token });
      }
  }

  private addUse({ node }: Call, { call, token }: Pick<Match, 'call' | 'token'>): void {
    this.through.set(node.id, [...(this.through.get(node.id) ?? []), { call, token, k: undefined }]);
  }

  /** The calls of this text that make the retriever: one, or all in a function of this text that returns one. */
  private madeAs(match: Match): readonly Call[] {
    const object = runBy(match);
    const origin = object && originOf(this.program, object);
    if (origin?.kind === 'imported') {
      const creation = origin.calls.findLast((call) => isRetriever(this.byCall.get(call.node.id)));
      return creation ? [creation] : [];
    }
    const maker = object && this.makerOf(object);
    return maker ? this.within(maker, isRetriever) : [];
  }

  /** The function of this text that returns the object, possibly with others: `const { retriever } = make()`. */
  private makerOf(object: Expression): Node | undefined {
    const { expression } = follow(this.program, object);
    const bindings = object.kind === 'name' ? this.program.bindings(object.name, object.node) : [];
    const [only, second] = bindings;
    const parted = !second && only?.kind === 'value' && only.access.length > 0 ? only.value : undefined;
    const call = expression?.kind === 'call' ? expression : parted;
    const maker = call?.kind === 'call' ? originOf(this.program, call.callee) : undefined;
    return maker?.kind === 'function' ? maker.node : undefined;
  }

  /** The searches in the text's own class of the retriever. */
  private insideOf(match: Match): readonly Call[] {
    const object = runBy(match);
    const origin = object && originOf(this.program, object);
    if (origin?.kind !== 'instance') return [];
    return this.within(origin.node, (inner) => {
      const { id } = inner.call.node;
      const isHidden = this.linked.has(id) || this.nested.has(id) || inner.rule.call.role === 'reranker';
      return id !== match.call.node.id && !isHidden;
    });
  }

  private within({ startIndex, endIndex }: Node, fits: (match: TextMatch) => boolean): readonly Call[] {
    return [...this.byCall.values()]
      .filter((match) => fits(match))
      .map(({ call }) => call)
      .filter(({ node }) => startIndex <= node.startIndex && node.endIndex <= endIndex);
  }

  private fields(match: TextMatch, depth = 0): Fields {
    const id = match.call.node.id;
    const knownFields = this.known.get(id);
    if (knownFields) return knownFields;
    const ownFields = this.program.once(match, 'own fields', () =>
      readFields(this.program, match, match.textFields),
    );
    if (match.isOwnClass) {
      this.known.set(id, ownFields);
      return ownFields;
    }
    const after =
      keptBy(match, ownFields) ??
      this.madeElsewhere(match)?.k ??
      this.program.once(
        match,
        'k set later',
        () => runtimeK(this.program, match) ?? assignedK(this.program, match),
      );
    const whole = this.reranked(
      match,
      this.wrapped(match, after ? { ...ownFields, k: after } : ownFields, depth),
    );
    this.known.set(id, whole);
    return whole;
  }

  /** The retriever of another file that the call runs. */
  private madeElsewhere(match: TextMatch): RetrieverElsewhere | undefined {
    const { rule, call } = match;
    const object = match.isGiven === true ? call.callee : runBy({ ...match, part: undefined });
    if (rule.call.role !== 'use' || !object) return undefined;
    const origin = originOf(this.program, object);
    if (origin?.kind !== 'imported' || !origin.retriever) return undefined;
    return !origin.ambiguous || origin.retriever.isOneOfSeveral === true ? origin.retriever : undefined;
  }

  /** A wrapper inherits from its retrievers what it does not set. */
  private wrapped(match: TextMatch, ownFields: Fields, depth: number): Fields {
    if (match.rule.call.role !== 'wrapper' || depth > MAX_DEPTH) return ownFields;
    const children = this.children(match).map((child) => this.fields(child, depth + 1));
    const [first] = children;
    return {
      ...ownFields,
      matching: ownFields.matching ?? commonMatching(children),
      k: this.wrappedK(match, ownFields, children),
      embedModel: ownFields.embedModel ?? children.find(({ embedModel }) => embedModel)?.embedModel,
      index: ownFields.index ?? children.find(({ index }) => index)?.index,
      filtered: ownFields.filtered || children.some(({ filtered }) => filtered),
      ...(children.length === 1 && first
        ? {
            pool: ownFields.pool ?? first.pool,
            mmr: ownFields.mmr ?? first.mmr,
            hybridDense: ownFields.hybridDense ?? first.hybridDense,
            rerank: ownFields.rerank ?? first.rerank,
          }
        : {}),
    };
  }

  private wrappedK(match: TextMatch, ownFields: Fields, children: readonly Fields[]): Field<number> {
    const { childK, k } = match.rule.call;
    if (k.from.length > 0 || childK === undefined) return ownFields.k;
    if (childK === 'union') return unknown(l10n.t('it returns everything that the retrievers inside find'));
    return children.length === 1 && children[0]
      ? children[0].k
      : unknown(l10n.t('the retriever inside is not made in this file'));
  }

  /** A reranker keeps the best n of the previous results. */
  private reranked(match: TextMatch, before: Fields): Fields {
    const paths = match.rule.call.rerankers;
    if (!paths) return before;
    const reached = this.reached(match, paths);
    if (reached.state === 'absent') return before;
    if (reached.state === 'unknown')
      return { ...before, k: unknown(l10n.t('its reranker is not made in this file')) };
    return reached.located.reduce((fields, { expression }) => this.rerankedBy(fields, expression), before);
  }

  private rerankedBy(fields: Fields, expression: Expression): Fields {
    const reranker = this.matchBehind(expression);
    if (reranker?.rule.call.role !== 'reranker')
      return { ...fields, k: unknown(l10n.t('its reranker is not known')) };
    const { rerank } = readFields(this.program, reranker, undefined);
    if (!rerank?.topN) return fields;
    const keeps = rerank.topN;
    const isAll = isKnown(keeps) && isKnown(fields.k) && keeps.value > fields.k.value;
    return { ...fields, k: isAll ? fields.k : keeps, pool: fields.pool ?? fields.k, rerank };
  }

  private rerankers(match: Match): readonly TextMatch[] {
    const paths = match.rule.call.rerankers;
    const reached = paths && this.reached(match, paths);
    if (reached?.state !== 'found') return [];
    return reached.located.flatMap(({ expression }) => this.matchBehind(expression) ?? []);
  }

  private children(match: Match): readonly TextMatch[] {
    const paths = match.rule.call.children;
    if (!paths) return [];
    const reached = this.reached(match, paths);
    if (reached.state !== 'found') return [];
    return reached.located.flatMap(({ expression }) => this.matchBehind(expression) ?? []);
  }

  private reached(match: Match, paths: readonly string[]): Reached {
    return this.program.once(match, paths.join(), () =>
      firstReached(callContextOf(this.program, match), paths),
    );
  }

  private matchBehind(expression: Expression): TextMatch | undefined {
    const call = this.program.once(expression, 'call behind', () => callBehind(this.program, expression));
    return call && this.byCall.get(call.node.id);
  }
}

/** Whether the wrapper and its retriever are one retrieval, with one figure at the wrapper. */
function asksOnce({ rule: { call } }: Match, children: readonly Match[]): boolean {
  return call.hidesChildren || (call.childK === 'child' && children.length === 1);
}

/** A call on the wrapper's line is not shown separately. */
function isOnLineOf({ token }: Match, inner: Match): boolean {
  return token.row === inner.token.row;
}

function isAtTop(program: Program, name: Node): boolean {
  return program.scopeNode(name.text, name)?.id === program.root.id;
}

/** The retriever that a call of the role `use` runs, or the one in its chain. */
function runBy({ part, call: { callee } }: Match): Expression | undefined {
  return part ?? (callee.kind === 'member' ? callee.object : undefined);
}

function isRetriever(match: TextMatch | undefined): boolean {
  return match?.rule.call.role === 'retriever' || match?.rule.call.role === 'wrapper';
}

/** Whether the call makes a retriever, or a standalone reranker. */
function isMade(match: TextMatch): boolean {
  return isRetriever(match) || keepsBest(match);
}

/** Whether a reranker keeps its best passages; others of this role only filter or shorten passages. */
function keepsBest({ rule: { call } }: Match): boolean {
  return call.role === 'reranker' && call.rerank?.topN !== undefined;
}

/** The number of passages that a reranker keeps. */
function keptBy(match: Match, { rerank }: Fields): Field<number> | undefined {
  if (!keepsBest(match)) return undefined;
  return rerank?.topN ?? unknown(l10n.t('the class has its own default'));
}

/** Whether the run's retriever may have another value than the one found first. */
function isOneOfSeveral(program: Program, match: Match): boolean {
  const object = runBy(match);
  const origin = object && originOf(program, object);
  return origin !== undefined && origin.kind !== 'function' && origin.ambiguous === true;
}

/** How the wrapped retrievers search; `both` if some search by words and some by vectors. */
function commonMatching(children: readonly Fields[]): Matching | undefined {
  const [first, ...otherKinds] = new Set(children.map(({ matching }) => matching));
  if (otherKinds.length === 0) return first;
  return [first, ...otherKinds].every((one) => one !== undefined && one !== 'passages') ? 'both' : undefined;
}

/** The call that made an object, through names and attributes with a single binding. */
function callBehind(program: Program, expression: Expression, depth = 0): Call | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (expression.kind === 'call') return expression;
  if (expression.kind === 'name') {
    const [only, second] = program
      .bindings(expression.name, expression.node)
      .filter(({ kind }) => kind !== 'declared');
    return only && !second ? callBound(program, only, depth) : undefined;
  }
  if (expression.kind !== 'member') return undefined;
  const owner = originOf(program, expression.object);
  if (owner?.kind !== 'instance' && owner?.kind !== 'class') return undefined;
  const attribute = attributeOf(program, owner, expression.property, depth);
  return attribute.kind === 'bound' ? callBound(program, attribute.binding, depth) : undefined;
}

function callBound(program: Program, binding: Binding, depth: number): Call | undefined {
  return binding.kind === 'value' && binding.access.length === 0
    ? callBehind(program, binding.value, depth + 1)
    : undefined;
}
