/**
 * The syntax tree as it is read here: nodes are made when they are looked at, and stay the same from one edit to the
 * next wherever the text is. What is read of them is written down by statement; see `reading.ts`.
 */
import * as l10n from '@vscode/l10n';
import type { Node as ParsedNode, Tree } from '@vscode/tree-sitter-wasm';
import { ParallaxError } from '../../core/errors.ts';
import type { Change } from '../parsing.ts';
import { Edits, read, type Finding, type Readable } from './reading.ts';

/** These hold statements or members, of which one can be replaced and the others left. */
const HOLDERS = new Set(['module', 'block', 'program', 'statement_block', 'class_body']);

/** One text with its tree, from one edit to the next. */
export class SyntaxTree {
  readonly edits = new Edits();
  readonly root: Node;
  /** Read by whoever looks through the text as a whole. */
  readonly wholeText: Readable = { changedAt: 0 };
  text: string;
  tree: Tree;
  private statements: Statement[] = [];

  constructor(tree: Tree, text: string) {
    this.tree = tree;
    this.text = text;
    this.root = new Node(this, null, tree.rootNode, this.statementAt(0));
  }

  statementAt(at: number): Statement {
    const statement = { changedAt: this.edits.now, at, isGone: false };
    this.statements.push(statement);
    return statement;
  }

  /**
   * Takes over the tree of the text after a change. The tree before, which has to be edited, can be freed then.
   *
   * @returns false where too little is left of the tree before to tell what became of it
   */
  edit(tree: Tree, text: string, change: Change): boolean {
    const replaced = this.root.replacedBy(tree, windowOf(this.tree, tree, change));
    if (!replaced) return false;
    this.edits.now++;
    this.tree = tree;
    this.text = text;
    this.wholeText.changedAt = this.edits.now;
    this.move(replaced, change);
    replaced.holder.replace(replaced, change);
    return true;
  }

  /** Moves the statements behind a change; what is in them moves with them. */
  private move({ path }: Replaced, { oldEnd, newEnd }: Change): void {
    const around = new Set(path.map(([node]) => node.statement));
    let kept = 0;
    for (const statement of this.statements) {
      if (statement.isGone) continue;
      this.statements[kept++] = statement;
      if (statement.at >= oldEnd && !around.has(statement)) statement.at += newEnd - oldEnd;
    }
    this.statements.length = kept;
  }
}

/** The part that an edit may have changed: its own stretch, with all around it that is parsed in another way now. */
interface Window {
  readonly start: number;
  readonly oldEnd: number;
  readonly newEnd: number;
}

function windowOf(before: Tree, after: Tree, { start, oldEnd, newEnd }: Change): Window {
  const ranges = before.getChangedRanges(after);
  const end = Math.max(newEnd, ...ranges.map(({ endIndex }) => endIndex));
  return {
    start: Math.min(start, ...ranges.map(({ startIndex }) => startIndex)),
    oldEnd: end - (newEnd - oldEnd),
    newEnd: end,
  };
}

/** A statement or member, with where it begins: what is in it is placed from there. */
interface Statement extends Readable {
  at: number;
  isGone: boolean;
}

/** The part of a holder's children that an edit replaces: those from `first`, but for the last `kept`. */
interface Replaced {
  readonly holder: Node;
  readonly first: number;
  readonly kept: number;
  /** The nodes from the root to the holder, which stay, with what they are in the tree now. */
  readonly path: readonly (readonly [Node, ParsedNode])[];
}

let last = 0;

export class Node {
  /** Never that of another node. */
  readonly id = ++last;
  readonly parent: Node | null;
  private readonly file: SyntaxTree;
  private readonly kind: string;
  private readonly named: boolean;
  /** The innermost statement that it belongs to, to be read. */
  readonly statement: Statement;
  /** From where the statement begins. */
  private from: number;
  private to: number;
  private parsed: ParsedNode;
  /** The edit after which `parsed` was a node of the tree. */
  private parsedAt: number;
  private kids: readonly Node[] | undefined;
  private fields: Map<string, Node | null> | undefined;
  private broken: boolean | undefined;
  private known: Map<string, Finding<unknown>> | undefined;
  /** The node as an expression, and its place, where these were asked for. */
  expression: unknown;
  place: unknown;
  /** Read by whoever looks at all that is in it, whatever statement that belongs to. */
  private whole: Readable | undefined;

  constructor(file: SyntaxTree, parent: Node | null, parsed: ParsedNode, statement: Statement) {
    this.file = file;
    this.parent = parent;
    this.parsed = parsed;
    this.parsedAt = file.edits.now;
    this.statement = statement;
    this.kind = parsed.type;
    this.named = parsed.isNamed;
    this.from = parsed.startIndex - statement.at;
    this.to = parsed.endIndex - statement.at;
  }

  /** The findings about the node, by the question. */
  get findings(): Map<string, Finding<unknown>> {
    return (this.known ??= new Map());
  }

  get type(): string {
    read(this.statement);
    return this.kind;
  }

  /** Offsets are compared, and never kept: edits elsewhere move them. */
  get startIndex(): number {
    return this.statement.at + this.from;
  }

  get endIndex(): number {
    return this.statement.at + this.to;
  }

  private get start(): number {
    return this.statement.at + this.from;
  }

  private get end(): number {
    return this.statement.at + this.to;
  }

  get text(): string {
    this.readWhole();
    return this.file.text.slice(this.start, this.end);
  }

  /** Whether something in it does not parse. */
  get hasError(): boolean {
    this.readWhole();
    return (this.broken ??= this.current().hasError);
  }

  /** The line that it begins in, counted from 0. */
  get row(): number {
    read(this.file.wholeText);
    let row = 0;
    for (let at = this.file.text.indexOf('\n'); at >= 0 && at < this.start; row++)
      at = this.file.text.indexOf('\n', at + 1);
    return row;
  }

  get children(): readonly Node[] {
    read(this.statement);
    // Which statements there are is another matter than what is in one.
    if (HOLDERS.has(this.kind)) this.readWhole();
    return this.made();
  }

  get namedChildren(): readonly Node[] {
    return this.children.filter((child) => child.named);
  }

  get firstChild(): Node | null {
    return this.children[0] ?? null;
  }

  get firstNamedChild(): Node | null {
    return this.children.find((child) => child.named) ?? null;
  }

  get lastNamedChild(): Node | null {
    return this.children.findLast((child) => child.named) ?? null;
  }

  /** The first child in the field. */
  childForFieldName(name: string): Node | null {
    read(this.statement);
    const known = this.fields?.get(name);
    if (known !== undefined) return known;
    const parsed = this.current().childForFieldName(name);
    const child = parsed ? (this.made().find((each) => each.current().id === parsed.id) ?? null) : null;
    (this.fields ??= new Map()).set(name, child);
    return child;
  }

  childrenForFieldName(name: string): readonly Node[] {
    read(this.statement);
    const ids = new Set(
      this.current()
        .childrenForFieldName(name)
        .map((each) => each?.id),
    );
    return this.made().filter((each) => ids.has(each.current().id));
  }

  /** The smallest node around this stretch of the text. */
  descendantForIndex(start: number, end = start): Node {
    const child = this.childReaching(start, end);
    if (child && child.start <= start) return child.descendantForIndex(start, end);
    if (HOLDERS.has(this.kind)) this.readWhole();
    else read(this.statement);
    return this;
  }

  /** The first child that does not end before the stretch does. */
  private childReaching(start: number, end: number): Node | undefined {
    const children = this.made();
    let [low, high] = [0, children.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const each = children[middle]!;
      if (each.end >= end && each.end > start) high = middle;
      else low = middle + 1;
    }
    return children[low];
  }

  descendantsOfType(type: string | string[]): readonly Node[] {
    this.readWhole();
    return this.current()
      .descendantsOfType(type)
      .flatMap((each) => (each ? this.madeFrom(each) : []));
  }

  private madeFrom(parsed: ParsedNode): Node[] {
    if (this.current().id === parsed.id) return [this];
    const [start, end] = [parsed.startIndex, parsed.endIndex];
    const around = this.made().find((each) => each.start <= start && end <= each.end && each.end > start);
    return around?.madeFrom(parsed) ?? [];
  }

  private readWhole(): void {
    read(this.statement);
    // An empty node belongs to one statement.
    if (this.kids?.length !== 0) read((this.whole ??= { changedAt: 0 }));
  }

  /** For the root: the innermost statements that an edit replaces; undefined where nothing else is as it was. */
  replacedBy(tree: Tree, window: Window): Replaced | undefined {
    if (tree.rootNode.type !== this.kind) return undefined;
    const path: [Node, ParsedNode][] = [];
    let holders = 0;
    let inner: readonly [Node, ParsedNode] | undefined = [this, tree.rootNode];
    while (inner) {
      path.push([inner[0], inner[1]]);
      if (HOLDERS.has(inner[0].kind)) holders = path.length;
      inner = inner[0].childAround(inner[1], window);
    }
    const last = path[holders - 1];
    return last && { holder: last[0], ...last[0].kept(last[1], window), path: path.slice(0, holders) };
  }

  /**
   * The one child that holds the edit, where it is the same but for what is within. What is beside it, outside of all that
   * is parsed in another way, is the same if there is as much of it.
   */
  private childAround(parsed: ParsedNode, window: Window): [Node, ParsedNode] | undefined {
    const { kids = [] } = this;
    const at = kids.findIndex(({ start, end }) => start <= window.start && window.oldEnd <= end);
    const [kid, child] = [kids[at], parsed.childCount === kids.length ? parsed.child(at) : null];
    if (!kid || !child) return undefined;
    const isSame =
      child.type === kid.kind &&
      child.startIndex === kid.start &&
      child.endIndex === kid.end + window.newEnd - window.oldEnd;
    return isSame ? [kid, child] : undefined;
  }

  /** How many children before and after the edit stay. */
  private kept(parsed: ParsedNode, window: Window): { readonly first: number; readonly kept: number } {
    const { kids = [] } = this;
    const by = window.newEnd - window.oldEnd;
    const most = Math.min(kids.length, parsed.childCount);
    let first = 0;
    while (first < most && kids[first]!.end < window.start) first++;
    while (first > 0 && !isSameStretch(kids[first - 1]!, parsed.child(first - 1), 0)) first--;
    let kept = 0;
    while (kept < most - first && kids.at(-1 - kept)!.start > window.oldEnd) kept++;
    while (kept > 0 && !isSameStretch(kids.at(-kept)!, parsed.child(parsed.childCount - kept), by)) kept--;
    return { first, kept };
  }

  replace({ first, kept, path }: Replaced, change: Change): void {
    const { now } = this.file.edits;
    for (const [at, [node, parsed]] of path.entries()) {
      node.meet(parsed);
      node.moveBehind(change, path[at + 1]?.[0]);
      node.placeAs(parsed);
      node.broken = undefined;
      if (node.whole) node.whole.changedAt = now;
    }
    const { kids } = this;
    if (!kids) return;
    for (const gone of kids.slice(first, kids.length - kept)) gone.leave(now);
    const parsed = this.current();
    const made: Node[] = [];
    for (let at = first; at < parsed.childCount - kept; at++) made.push(this.child(parsed.child(at)!));
    this.kids = [...kids.slice(0, first), ...made, ...kids.slice(kids.length - kept)];
    this.fields = undefined;
  }

  private placeAs({ startIndex, endIndex }: ParsedNode): void {
    this.from = startIndex - this.statement.at;
    this.to = endIndex - this.statement.at;
  }

  /** Moves the part of a statement behind the edit, where the edit is in this node. */
  private moveBehind({ oldEnd, newEnd }: Change, around: Node | undefined): void {
    for (const kid of this.kids ?? [])
      if (kid !== around && kid.statement === this.statement && kid.start >= oldEnd)
        kid.moveBy(newEnd - oldEnd);
  }

  private moveBy(by: number): void {
    this.from += by;
    this.to += by;
    for (const kid of this.kids ?? []) if (kid.statement === this.statement) kid.moveBy(by);
  }

  private leave(now: number): void {
    this.statement.changedAt = now;
    this.statement.isGone = true;
    for (const kid of this.kids ?? []) kid.leave(now);
    // Whatever still points at it keeps little alive.
    this.known = undefined;
    this.expression = undefined;
    this.place = undefined;
  }

  private made(): readonly Node[] {
    if (!this.kids) {
      const kids: Node[] = [];
      for (const each of this.current().children) if (each) kids.push(this.child(each));
      this.kids = kids;
    }
    return this.kids;
  }

  private child(parsed: ParsedNode): Node {
    const statement = HOLDERS.has(this.kind) ? this.file.statementAt(parsed.startIndex) : this.statement;
    return new Node(this.file, this, parsed, statement);
  }

  /** The node of the parser's tree as it is now. */
  private current(): ParsedNode {
    const { now } = this.file.edits;
    if (this.parsedAt !== now) {
      if (this.parent) this.parent.meetChildren();
      else this.meet(this.file.tree.rootNode);
      if (this.parsedAt !== now)
        throw new ParallaxError(
          'internal',
          l10n.t('A part of the program was looked at that is no longer there.'),
        );
    }
    return this.parsed;
  }

  private meetChildren(): void {
    const children = this.current().children.filter((each) => each !== null);
    this.kids?.forEach((kid, at) => kid.meet(children[at]!));
  }

  private meet(parsed: ParsedNode): void {
    this.parsed = parsed;
    this.parsedAt = this.file.edits.now;
  }
}

/** Whether a child is what it was, moved by so much. */
function isSameStretch(kid: Node, parsed: ParsedNode | null, by: number): boolean {
  return parsed?.startIndex === kid.startIndex + by && parsed.endIndex === kid.endIndex + by;
}
