/** A plain copy of a syntax tree, because each access to a tree-sitter node is a call into WebAssembly. */
import * as l10n from '@vscode/l10n';
import type { Tree, TreeCursor } from '@vscode/tree-sitter-wasm';
import { ParallaxError } from '../../core/errors.ts';

/** Expressions are read recursively, which needs stack space for each level of a tree. */
const MAX_DEPTH = 600;

export class Node {
  readonly id: number;
  readonly parent: Node | null;
  readonly type: string;
  readonly isNamed: boolean;
  /** UTF-16 code units. */
  readonly startIndex: number;
  readonly endIndex: number;
  readonly children: Node[] = [];
  /** Whether a part of it does not parse. */
  hasError = false;
  /** Its field in the parent. */
  private readonly field: string | null;
  private readonly source: string;

  constructor(cursor: TreeCursor, id: number, parent: Node | null, source: string) {
    this.id = id;
    this.parent = parent;
    this.type = cursor.nodeType;
    this.isNamed = cursor.nodeIsNamed;
    this.startIndex = cursor.startIndex;
    this.endIndex = cursor.endIndex;
    this.field = cursor.currentFieldName;
    this.source = source;
  }

  get text(): string {
    return this.source.slice(this.startIndex, this.endIndex);
  }

  /** The line of its start, from 0. */
  get row(): number {
    let row = 0;
    for (let at = this.source.indexOf('\n'); at >= 0 && at < this.startIndex; row++)
      at = this.source.indexOf('\n', at + 1);
    return row;
  }

  get namedChildren(): readonly Node[] {
    return this.children.filter((child) => child.isNamed);
  }

  get firstChild(): Node | null {
    return this.children[0] ?? null;
  }

  get firstNamedChild(): Node | null {
    return this.children.find((child) => child.isNamed) ?? null;
  }

  get lastNamedChild(): Node | null {
    return this.children.findLast((child) => child.isNamed) ?? null;
  }

  /** The first child with the field. */
  childForFieldName(name: string): Node | null {
    return this.children.find(({ field }) => field === name) ?? null;
  }

  childrenForFieldName(name: string): readonly Node[] {
    return this.children.filter(({ field }) => field === name);
  }

  /** The smallest node around this range of the text. */
  descendantForIndex(start: number, end = start): Node {
    let child = this.firstReaching(start, end);
    if (!child || child.startIndex > start) return this;
    for (;;) {
      const inner: Node | undefined = child.firstReaching(start, end);
      if (!inner || inner.startIndex > start) return child;
      child = inner;
    }
  }

  /** The first child that does not end before the range. */
  private firstReaching(start: number, end: number): Node | undefined {
    let [low, high] = [0, this.children.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { endIndex } = this.children[middle]!;
      if (endIndex >= end && endIndex > start) high = middle;
      else low = middle + 1;
    }
    return this.children[low];
  }

  /** Nodes of these types in the order of the text, including this one. */
  descendantsOfType(type: string | readonly string[]): readonly Node[] {
    const types = typeof type === 'string' ? [type] : type;
    const nodes: Node[] = [];
    const visit = (node: Node): void => {
      if (types.includes(node.type)) nodes.push(node);
      for (const child of node.children) visit(child);
    };
    visit(this);
    return nodes;
  }
}

/**
 * Copies a tree, which can be freed afterwards.
 *
 * @throws ParallaxError `too-large` for a tree that is nested too deeply to be read recursively
 */
export function copyOf(tree: Tree, source: string): Node {
  const hasErrors = tree.rootNode.hasError;
  const cursor = tree.walk();
  let last = 0;
  let depth = 0;
  const copy = (parent: Node | null): Node => {
    const node = new Node(cursor, ++last, parent, source);
    if (hasErrors && (node.type === 'ERROR' || cursor.nodeIsMissing)) markError(node);
    parent?.children.push(node);
    return node;
  };
  try {
    const root = copy(null);
    let node = root;
    for (;;) {
      if (cursor.gotoFirstChild()) {
        if (++depth > MAX_DEPTH) throw tooDeep();
        node = copy(node);
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return root;
        node = node.parent ?? root;
        depth--;
      }
      node = copy(node.parent);
    }
  } finally {
    cursor.delete();
  }
}

function markError(node: Node): void {
  for (let up: Node | null = node; up && !up.hasError; up = up.parent) up.hasError = true;
}

function tooDeep(): ParallaxError {
  return new ParallaxError(
    'too-large',
    l10n.t`Parallax does not look for calls in a program that is nested more than ${MAX_DEPTH} levels deep.`,
  );
}
