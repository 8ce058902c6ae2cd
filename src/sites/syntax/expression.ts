/**
 * Expressions as rules and resolution see them: the same for Python and JavaScript. Parentheses, `await`,
 * `as`, `!` and the like are already gone. `node` is the syntax node behind an expression.
 */
import type { Node } from './node.ts';

export type Constant = string | number | boolean | null;

interface Literal {
  readonly kind: 'literal';
  readonly value: Constant;
  /** Where it is written, or the name that stands for what another file holds. */
  readonly node: Node;
  readonly isElsewhere?: boolean;
}

interface Name {
  readonly kind: 'name';
  readonly name: string;
  readonly node: Node;
}

interface Member {
  readonly kind: 'member';
  readonly object: Expression;
  readonly property: string;
  /** The property's own token. */
  readonly token: Node;
  readonly node: Node;
}

/** `object[key]` */
interface Subscript {
  readonly kind: 'subscript';
  readonly object: Expression;
  readonly key: Expression;
  readonly node: Node;
}

export type Argument =
  | { readonly kind: 'positional'; readonly value: Expression; readonly node: Node }
  | {
      readonly kind: 'named';
      readonly name: string;
      readonly token: Node;
      readonly value: Expression;
      readonly node: Node;
    }
  | {
      readonly kind: 'spread';
      /** `*args` and `...args` fill positions, `**kwargs` fills names. */
      readonly fills: 'positions' | 'names';
      readonly value: Expression;
      readonly node: Node;
    };

/** A call, `new X(…)` or a tagged template. */
export interface Call {
  readonly kind: 'call';
  readonly callee: Expression;
  readonly arguments: readonly Argument[];
  readonly node: Node;
}

export type Entry =
  | {
      readonly kind: 'pair';
      readonly key: string;
      readonly token: Node;
      readonly value: Expression;
      readonly node: Node;
    }
  | { readonly kind: 'spread'; readonly value: Expression; readonly node: Node };

/**
 * A dict or object literal. An entry whose key is computed may be any key, like a spread of something that is
 * not known.
 */
interface Record {
  readonly kind: 'record';
  readonly entries: readonly Entry[];
  readonly node: Node;
}

interface List {
  readonly kind: 'list';
  /** Read when asked for: lists of texts can be long. Empty for holes, and from a spread on positions are not known. */
  readonly items: () => readonly Expression[];
  /** Position of the first item that may stand for none or several, or that is not there. */
  readonly certain: () => number;
  /** Sets have no positions. */
  readonly ordered: boolean;
  readonly node: Node;
}

interface Binary {
  readonly kind: 'binary';
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
  readonly node: Node;
}

/** `a if c else b`, `c ? a : b` */
interface Choice {
  readonly kind: 'choice';
  readonly options: readonly [Expression, Expression];
  readonly node: Node;
}

/** A string with interpolated expressions. */
interface Template {
  readonly kind: 'template';
  readonly parts: readonly (string | Expression)[];
  readonly node: Node;
}

interface Opaque {
  readonly kind: 'opaque';
  readonly node: Node;
}

/**
 * Whether it parses: where it does not, what is not there may only be missing for now. Asked for when it matters, since a
 * function within may come to parse by itself. It is no getter of the call: V8 gives every object that is written with one
 * a shape of its own, which keeps the call, and all that was found of it, until the next collection of the whole heap.
 */
export function isComplete({ node }: Call | Record): boolean {
  return !node.hasError;
}

export type Expression =
  | Literal
  | Name
  | Member
  | Subscript
  | Call
  | Record
  | List
  | Binary
  | Choice
  | Template
  | Opaque;

/** How a destructured name is reached from the value that is taken apart. */
export type Access = string | number;

/** One occurrence of a name binds it to one of these. */
export type Binding =
  | {
      readonly kind: 'import';
      /** As written, e.g. `langchain_core.vectorstores`, `.stores` or `@langchain/core`. */
      readonly module: string;
      /** Names below the module; empty for the module itself. */
      readonly path: readonly string[];
    }
  | {
      readonly kind: 'value';
      readonly value: Expression;
      readonly access: readonly Access[];
      readonly annotation?: Expression | undefined;
    }
  | {
      readonly kind: 'parameter';
      readonly default?: Expression | undefined;
      readonly annotation?: Expression | undefined;
    }
  /** `k: int` without a value; `empty` where reading it gives `undefined` instead of an error. */
  | { readonly kind: 'declared'; readonly annotation?: Expression | undefined; readonly empty?: boolean }
  | { readonly kind: 'function' | 'class'; readonly node: Node }
  /** A loop variable, `+=`, `del`, an except clause: bound to something that is not followed. */
  | { readonly kind: 'opaque' };

/** One occurrence of a name, in the scope that holds it. */
export interface Occurrence {
  readonly binding: Binding;
  /** The node whose body is the scope of the name. */
  readonly scope: Node;
  /** A plain assignment in JavaScript: belongs to whichever enclosing scope declares the name. */
  readonly assigns?: boolean;
}
