/**
 * Expressions for rules and resolution: the same for Python and JavaScript. Parentheses, `await`, `as`, `!` and similar
 * wrappers are already removed. `node` is the syntax node of an expression.
 */
import type { Node } from './node.ts';

export type Constant = string | number | boolean | null;

interface Literal {
  readonly kind: 'literal';
  readonly value: Constant;
  /** Where it is written, or the name that another file resolves to it. */
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
  /** The token of the property. */
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

/** A dict or object literal. An entry with a computed key may have any key, like a spread of an unknown value. */
interface Record {
  readonly kind: 'record';
  readonly entries: readonly Entry[];
  readonly node: Node;
}

interface List {
  readonly kind: 'list';
  /** Computed on demand, because lists of texts can be long. Empty for holes; positions after a spread are unknown. */
  readonly items: () => readonly Expression[];
  /** Index of the first item that may be none or several, or that is missing. */
  readonly certain: () => number;
  /** False for sets. */
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
 * Whether it parses. If it does not, missing parts may not be typed yet. Computed on demand, because a nested function
 * may parse later. Not a getter of the call, because V8 gives every object literal with a getter its own shape, which
 * keeps the call and everything derived from it alive until the next full garbage collection.
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

/** A step from a destructured value to the name. */
export type Access = string | number;

/** What an occurrence of a name binds it to. */
export type Binding =
  | {
      readonly kind: 'import';
      /** As written, e.g. `langchain_core.vectorstores`, `.stores` or `@langchain/core`. */
      readonly module: string;
      /** Names below the module. Empty for the module itself. */
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
  /** `k: int` without a value; `empty` if reading it gives `undefined` instead of an error. */
  | { readonly kind: 'declared'; readonly annotation?: Expression | undefined; readonly empty?: boolean }
  | { readonly kind: 'function' | 'class'; readonly node: Node }
  /**
   * A loop variable, `+=`, `del`, an except clause: bound to a value that is not followed. With the default of a
   * pattern, `const { k = 5 } = options`.
   */
  | { readonly kind: 'opaque'; readonly default?: Expression };

/** An occurrence of a name, in its scope. */
export interface Occurrence {
  readonly binding: Binding;
  /** The node whose body is the scope of the name. */
  readonly scope: Node;
  /** A plain assignment in JavaScript, which belongs to the enclosing scope that declares the name. */
  readonly assigns?: boolean;
}
