/**
 * Programs of indirections, made together with what they mean: numbers and dictionaries that are named, copied,
 * merged, spread, changed, handed to functions and kept in objects on their way to a call that retrieves. The
 * meaning is what the interpreter here finds when it runs the program, and not what is written.
 */

export type GrammarLanguage = 'python' | 'typescript';

export interface GrammarProgram {
  readonly text: string;
  /** For each call that retrieves, in the order of the text: every k that it ran with, NaN for one that is not known. */
  readonly runs: readonly (readonly number[])[];
}

/** LangChain's number of passages when the call does not say. */
const DEFAULT_K = 4;

class Opaque {}
class Dict {
  readonly entries = new Map<string, Value>();
  /** Something unknown was spread into it: any other key may be there. */
  isOpen = false;

  /** Undefined for a key that is not there. */
  get(key: string): Value | undefined {
    return this.entries.get(key) ?? (this.entries.has(key) ? null : this.isOpen ? new Opaque() : undefined);
  }
}
class List {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.items = items;
  }
}
class Instance {
  readonly fields = new Map<string, Value>();
  readonly made: ClassMeaning;
  constructor(made: ClassMeaning) {
    this.made = made;
  }
}
type Value = number | string | null | Opaque | Dict | List | Instance;

/** The program ends with an error; what ran before counts. */
class Ends extends Error {}

interface Frame {
  readonly vars: Map<string, Value>;
  /** The module's own; the same as `vars` there. */
  readonly globals: Map<string, Value>;
  readonly locals: ReadonlySet<string> | undefined;
}

type Run<T> = (frame: Frame) => T;

interface Piece {
  readonly text: string;
  readonly run: Run<Value>;
}
interface Step {
  readonly lines: readonly string[];
  readonly run: Run<void>;
}

interface Parameter {
  readonly name: string;
  readonly fallback: Piece | undefined;
}

interface FunctionMeaning {
  readonly name: string;
  readonly kind: Kind;
  readonly parameters: readonly Parameter[];
  /** Set while the program runs: Python evaluates defaults once. */
  defaults: Map<string, Value>;
  readonly locals: ReadonlySet<string>;
  readonly hoisted: readonly string[];
  body: Run<Value>;
}

interface ClassMeaning {
  readonly name: string;
  readonly base: ClassMeaning | undefined;
  readonly attributes: readonly { readonly name: string; readonly value: Piece }[];
  /** Attributes of the class itself, in Python. */
  shared: Map<string, Value>;
  readonly isFields: boolean;
  readonly constructs: FunctionMeaning | undefined;
  readonly methods: readonly FunctionMeaning[];
}

type Kind = 'number' | 'options';

/** A small, fast generator of numbers from 0 up to 1. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const MAX_STEPS = 400;

export function grammarProgram(seed: number, language: GrammarLanguage): GrammarProgram {
  return new Maker(seed, language).program();
}

/** The names in scope of a piece. */
interface Scope {
  readonly isModule: boolean;
  /** Names that a piece may read, with the kind of their value. */
  readonly names: { readonly name: string; readonly kind: Kind | 'object' | 'key' }[];
  /** Names declared in the text so far (TypeScript). */
  readonly declared: Set<string>;
  readonly hoisted: string[];
  readonly locals: Set<string>;
  readonly depth: number;
  readonly self: ClassMeaning | undefined;
}

class Maker {
  private readonly random: () => number;
  private readonly isPython: boolean;
  private readonly runs: number[][] = [];
  private readonly functions: FunctionMeaning[] = [];
  private readonly classes: ClassMeaning[] = [];
  private readonly objects = new Map<string, ClassMeaning>();
  private counter = 0;
  private steps = 0;

  constructor(seed: number, language: GrammarLanguage) {
    this.random = randomFrom(seed);
    this.isPython = language === 'python';
  }

  program(): GrammarProgram {
    const scope: Scope = {
      isModule: true,
      names: [],
      declared: new Set(),
      hoisted: [],
      locals: new Set(),
      depth: 0,
      self: undefined,
    };
    const steps = Array.from({ length: 3 + this.below(7) }, () => this.step(scope));
    steps.push(this.site(scope));
    const head = this.isPython
      ? [
          'from dataclasses import dataclass',
          'from langchain_chroma import Chroma',
          'from elsewhere import flag, unknown, Options',
          'store = Chroma("kb")',
        ]
      : [
          "import { Chroma } from '@langchain/community/vectorstores/chroma';",
          "import { flag, unknown, Options } from './elsewhere';",
          'const store = new Chroma();',
        ];
    const hoisted = this.isPython ? [] : scope.hoisted.map((name) => `let ${name};`);
    const text = [...head, ...hoisted, ...steps.flatMap(({ lines }) => lines), ''].join('\n');
    const globals = new Map<string, Value>(this.isPython ? [] : scope.hoisted.map((name) => [name, null]));
    try {
      for (const { run } of steps) run({ vars: globals, globals, locals: undefined });
    } catch (error) {
      if (!(error instanceof Ends)) throw error;
    }
    return { text, runs: this.runs };
  }

  private below(count: number): number {
    return Math.floor(this.random() * count);
  }

  private chance(share: number): boolean {
    return this.random() < share;
  }

  private oneOf<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  private fresh(prefix: string): string {
    this.counter++;
    return `${prefix}${this.counter}`;
  }

  private tick(): void {
    this.steps++;
    if (this.steps > MAX_STEPS) throw new Ends('too long');
  }

  // ---- numbers

  private number(scope: Scope, depth = 0): Piece {
    const names = scope.names.filter(({ kind }) => kind === 'number');
    const choice = depth > 2 ? this.below(2) : this.below(14);
    if (choice === 0 && names.length > 0) return this.named(this.oneOf(names).name);
    switch (choice) {
      case 2:
        return this.sum(scope, depth);
      case 3:
        return this.chosen(this.number(scope, depth + 1), this.number(scope, depth + 1));
      case 4:
        return this.entryOf(this.options(scope, depth + 1), this.chance(0.8) ? 'k' : 'n', scope, depth);
      case 5:
        return this.fieldOf(scope, 'k') ?? this.plain();
      case 6:
        return this.called(scope, 'number', depth) ?? this.plain();
      case 7:
        return this.item(scope, depth);
      case 8:
        return this.opaque('unknown()');
      case 9:
        return this.extreme(scope, depth);
      case 10:
        return this.rounded();
      case 11:
        return this.isPython ? this.converted() : this.or(scope, depth);
      case 12:
        return this.isPython ? { text: 'None', run: () => null } : { text: 'undefined', run: () => null };
      default:
        return names.length > 0 && this.chance(0.5) ? this.named(this.oneOf(names).name) : this.plain();
    }
  }

  private plain(): Piece {
    const value = 1 + this.below(9);
    return { text: String(value), run: () => value };
  }

  private opaque(text: string): Piece {
    return { text, run: () => new Opaque() };
  }

  private named(name: string): Piece {
    return { text: name, run: (frame) => read(frame, name) };
  }

  private sum(scope: Scope, depth: number): Piece {
    const [a, b] = [this.number(scope, depth + 1), this.number(scope, depth + 1)];
    const sign = this.oneOf(['+', '*'] as const);
    return {
      text: `(${a.text} ${sign} ${b.text})`,
      run: (frame) => {
        const [x, y] = [a.run(frame), b.run(frame)];
        if (x instanceof Opaque || y instanceof Opaque) return new Opaque();
        if (typeof x !== 'number' || typeof y !== 'number') throw new Ends('no number');
        return sign === '+' ? x + y : x * y;
      },
    };
  }

  private chosen(a: Piece, b: Piece): Piece {
    const isFirst = this.chance(0.5);
    const text = this.isPython ? `(${a.text} if flag() else ${b.text})` : `(flag() ? ${a.text} : ${b.text})`;
    return { text, run: (frame) => (isFirst ? a : b).run(frame) };
  }

  private or(scope: Scope, depth: number): Piece {
    const [a, b] = [this.number(scope, depth + 1), this.number(scope, depth + 1)];
    return { text: `(${a.text} ?? ${b.text})`, run: (frame) => a.run(frame) ?? b.run(frame) };
  }

  private entryOf(container: Piece, key: string, scope: Scope, depth: number): Piece {
    const get = this.isPython && this.chance(0.3) ? this.number(scope, depth + 1) : undefined;
    const text = get
      ? `${container.text}.get("${key}", ${get.text})`
      : this.isPython || this.chance(0.3)
        ? `${container.text}["${key}"]`
        : `(${container.text}).${key}`;
    return {
      text,
      run: (frame) => {
        const held = container.run(frame);
        const other = get?.run(frame);
        if (held instanceof Opaque) return new Opaque();
        if (!(held instanceof Dict)) throw new Ends('no dict');
        const found = held.get(key);
        if (found !== undefined) return found;
        if (get) return other!;
        if (this.isPython) throw new Ends('no key');
        return null;
      },
    };
  }

  private item(scope: Scope, depth: number): Piece {
    const items = [this.number(scope, depth + 1), this.number(scope, depth + 1), this.plain()];
    const spread = this.chance(0.3);
    const at = this.below(items.length);
    const many = spread ? 1 + this.below(2) : 1;
    const first = spread
      ? `${this.isPython ? '*' : '...'}[${Array.from({ length: many }, () => items[0]!.text).join(', ')}]`
      : items[0]!.text;
    return {
      text: `[${first}, ${items[1]!.text}, ${items[2]!.text}][${at}]`,
      run: (frame) => {
        const [a, b, c] = items.map((each) => each.run(frame));
        return [...Array.from({ length: many }, () => a!), b!, c!][at]!;
      },
    };
  }

  private extreme(scope: Scope, depth: number): Piece {
    const [a, b] = [this.number(scope, depth + 1), this.number(scope, depth + 1)];
    const name = this.oneOf(['min', 'max'] as const);
    return {
      text: `${this.isPython ? '' : 'Math.'}${name}(${a.text}, ${b.text})`,
      run: (frame) => {
        const [x, y] = [a.run(frame), b.run(frame)];
        if (x instanceof Opaque || y instanceof Opaque) return new Opaque();
        if (typeof x !== 'number' || typeof y !== 'number') throw new Ends('no number');
        return Math[name](x, y);
      },
    };
  }

  private rounded(): Piece {
    const half = 1 + this.below(8) + 0.5;
    if (!this.isPython) return { text: `Math.round(${half})`, run: () => Math.round(half) };
    const even = Math.floor(half) % 2 === 0 ? Math.floor(half) : Math.ceil(half);
    return { text: `round(${half})`, run: () => even };
  }

  private converted(): Piece {
    const value = 2 + this.below(6);
    if (this.chance(0.3)) return { text: 'int("11", 2)', run: () => 3 };
    return { text: `int("${value}")`, run: () => value };
  }

  // ---- dictionaries

  private options(scope: Scope, depth = 0): Piece {
    const names = scope.names.filter(({ kind }) => kind === 'options');
    const choice = depth > 2 ? this.below(2) : this.below(13);
    if (choice <= 2 && names.length > 0) return this.named(this.oneOf(names).name);
    switch (choice) {
      case 3:
        return this.copied(this.options(scope, depth + 1));
      case 4:
        return this.merged(this.options(scope, depth + 1), this.options(scope, depth + 1));
      case 5:
        return this.chosen(this.options(scope, depth + 1), this.options(scope, depth + 1));
      case 6:
        return this.called(scope, 'options', depth) ?? this.literal(scope, depth);
      case 7:
        return this.fieldOf(scope, 'kw') ?? this.literal(scope, depth);
      case 8:
        return this.opaque(
          this.oneOf([
            'unknown()',
            `unknown(${this.isPython ? 'k=9' : '{ k: 9 }'})`,
            this.isPython ? 'Options(k=9)' : 'new Options({ k: 9 })',
          ]),
        );
      case 9:
        return this.isPython ? this.comprehended(scope, depth) : this.literal(scope, depth);
      case 10:
        return this.isPython ? this.constructed(scope, depth) : this.literal(scope, depth);
      case 11:
        return this.nested(scope, depth);
      default:
        return this.literal(scope, depth);
    }
  }

  private literal(scope: Scope, depth: number): Piece {
    const keys = scope.names.filter(({ kind }) => kind === 'key');
    const entries = Array.from(
      { length: this.below(4) },
      (): { text: string; fill: (frame: Frame, into: Dict) => void } => {
        if (depth < 2 && this.chance(0.25)) {
          const spread = this.options(scope, depth + 1);
          return {
            text: `${this.isPython ? '**' : '...'}${spread.text}`,
            fill: (frame, into) => fillFrom(into, spread.run(frame)),
          };
        }
        const value = this.number(scope, depth + 1);
        if (keys.length > 0 && this.chance(0.3)) {
          const { name } = this.oneOf(keys);
          return {
            text: `${this.isPython ? name : `[${name}]`}: ${value.text}`,
            fill: (frame, into) => {
              into.entries.set(String(read(frame, name)), value.run(frame));
            },
          };
        }
        const key = this.oneOf(['k', 'k', 'k', 'n', 'fetch']);
        return {
          text: `${this.isPython ? `"${key}"` : key}: ${value.text}`,
          fill: (frame, into) => {
            into.entries.set(key, value.run(frame));
          },
        };
      },
    );
    return {
      text:
        this.isPython || entries.length === 0
          ? `{${entries.map(({ text }) => text).join(', ')}}`
          : `({ ${entries.map(({ text }) => text).join(', ')} })`,
      run: (frame) => {
        const made = new Dict();
        for (const { fill } of entries) fill(frame, made);
        return made;
      },
    };
  }

  private copied(of: Piece): Piece {
    const text = this.isPython
      ? this.oneOf([`${of.text}.copy()`, `dict(${of.text})`, `dict(**${of.text})`])
      : this.oneOf([`structuredClone(${of.text})`, `Object.assign({}, ${of.text})`]);
    return { text, run: (frame) => copyOf(of.run(frame)) };
  }

  private merged(a: Piece, b: Piece): Piece {
    const text = this.isPython ? `(${a.text} | ${b.text})` : `({ ...${a.text}, ...${b.text} })`;
    return {
      text,
      run: (frame) => {
        const made = new Dict();
        for (const each of [a, b]) fillFrom(made, each.run(frame));
        return made;
      },
    };
  }

  private comprehended(scope: Scope, depth: number): Piece {
    const value = this.number(scope, depth + 1);
    return {
      text: `{name: ${value.text} for name in ["k"]}`,
      run: (frame) => {
        const made = new Dict();
        made.entries.set('k', value.run(frame));
        return made;
      },
    };
  }

  /** `dict(k=…)`, with or without something to begin with. */
  private constructed(scope: Scope, depth: number): Piece {
    const value = this.number(scope, depth + 1);
    const base = this.chance(0.4) ? this.options(scope, depth + 1) : undefined;
    const key = this.oneOf(['k', 'k', 'n']);
    return {
      text: `dict(${base ? `${base.text}, ` : ''}${key}=${value.text})`,
      run: (frame) => {
        const made = new Dict();
        if (base) fillFrom(made, base.run(frame));
        made.entries.set(key, value.run(frame));
        return made;
      },
    };
  }

  private nested(scope: Scope, depth: number): Piece {
    const inner = this.options(scope, depth + 1);
    const outer = this.isPython ? `{"s": ${inner.text}}["s"]` : `({ s: ${inner.text} }).s`;
    return { text: outer, run: inner.run };
  }

  // ---- functions and classes

  private called(scope: Scope, kind: Kind, depth: number): Piece | undefined {
    const known = this.functions.filter((each) => each.kind === kind);
    return known.length === 0 ? undefined : this.call(this.oneOf(known), scope, depth, undefined);
  }

  private call(
    of: FunctionMeaning,
    scope: Scope,
    depth: number,
    on: { text: string; run: Run<Value> } | undefined,
  ): Piece {
    const given = this.argumentsFor(of, scope, depth);
    const callee = on ? `${on.text}.${of.name}` : of.name;
    return {
      text: `${callee}(${given.text})`,
      run: (frame) => {
        const self = on?.run(frame);
        return this.enter(of, frame, given.run(frame), self instanceof Instance ? self : undefined);
      },
    };
  }

  private argumentsFor(
    of: FunctionMeaning,
    scope: Scope,
    depth: number,
  ): { text: string; run: Run<Map<string, Value>> } {
    const given = of.parameters.slice(
      0,
      of.parameters.filter(({ fallback }) => !fallback).length + this.below(2),
    );
    const pieces = given.map(({ name }) => ({
      name,
      byName: this.isPython && this.chance(0.4),
      piece: name.startsWith('o') ? this.options(scope, depth + 1) : this.number(scope, depth + 1),
    }));
    // Python wants positional arguments first.
    const firstNamed = pieces.findIndex(({ byName }) => byName);
    const text = pieces
      .map(({ name, piece }, i) =>
        firstNamed >= 0 && i >= firstNamed ? `${name}=${piece.text}` : piece.text,
      )
      .join(', ');
    return { text, run: (frame) => new Map(pieces.map(({ name, piece }) => [name, piece.run(frame)])) };
  }

  private enter(
    of: FunctionMeaning,
    frame: Frame,
    given: ReadonlyMap<string, Value>,
    self: Instance | undefined,
  ): Value {
    this.tick();
    const vars = new Map<string, Value>(this.isPython ? [] : of.hoisted.map((name) => [name, null]));
    if (self) vars.set('self', self);
    const inner: Frame = { vars, globals: frame.globals, locals: of.locals };
    for (const { name, fallback } of of.parameters) {
      const value = given.get(name);
      const isGiven = given.has(name) && (this.isPython || value !== null);
      if (isGiven) vars.set(name, value!);
      else if (!fallback) vars.set(name, null);
      else vars.set(name, this.isPython ? of.defaults.get(name)! : fallback.run(inner));
    }
    return of.body(inner);
  }

  private define(
    scope: Scope,
    name: string,
    self: ClassMeaning | undefined,
    isConstructor = false,
  ): { lines: readonly string[]; meaning: FunctionMeaning; prepare: Run<void> } {
    const kind: Kind = this.chance(0.5) ? 'number' : 'options';
    const inner: Scope = {
      isModule: false,
      names: scope.names.filter(({ kind: each }) => each !== 'object'),
      declared: new Set(),
      hoisted: [],
      locals: new Set(),
      depth: 0,
      self,
    };
    const parameters = Array.from({ length: this.below(3) }, (_, i): Parameter => {
      const isOptions = this.chance(0.4);
      const parameter = this.fresh(isOptions ? 'o' : 'p');
      const hasDefault = i > 0 || this.chance(0.6);
      const outer = { ...scope, names: scope.names.filter(({ kind: each }) => each !== 'object') };
      const fallback = hasDefault ? (isOptions ? this.options(outer, 2) : this.number(outer, 2)) : undefined;
      return { name: parameter, fallback };
    });
    // A parameter without a default cannot follow one with.
    const ordered = [
      ...parameters.filter(({ fallback }) => !fallback),
      ...parameters.filter(({ fallback }) => fallback),
    ];
    for (const { name: each } of ordered) {
      inner.names.push({ name: each, kind: each.startsWith('o') ? 'options' : 'number' });
      inner.declared.add(each);
      inner.locals.add(each);
    }
    const steps: Step[] = [];
    if (isConstructor) steps.push(...this.fieldSteps(inner));
    else {
      const count = this.below(3);
      for (let i = 0; i < count; i++) steps.push(this.step(inner, 1));
    }
    if (!isConstructor && this.chance(0.5)) steps.push(this.site(inner));
    const result = isConstructor
      ? undefined
      : kind === 'number'
        ? this.number(inner, 1)
        : this.options(inner, 1);
    const meaning: FunctionMeaning = {
      name,
      kind,
      parameters: ordered,
      defaults: new Map(),
      locals: inner.locals,
      hoisted: inner.hoisted,
      body: (frame) => {
        for (const step of steps) step.run(frame);
        return result ? result.run(frame) : null;
      },
    };
    const list = [
      ...(self && this.isPython ? ['self'] : []),
      ...ordered.map(({ name: each, fallback }) =>
        fallback ? `${each}${this.isPython ? '=' : ' = '}${fallback.text}` : each,
      ),
    ].join(', ');
    const hoisted = this.isPython ? [] : inner.hoisted.map((each) => `let ${each};`);
    const body = [
      ...hoisted,
      ...steps.flatMap(({ lines }) => lines),
      ...(result ? [`return ${result.text}${this.isPython ? '' : ';'}`] : []),
    ];
    const head = this.isPython ? `def ${name}(${list}):` : `${self ? '' : 'function '}${name}(${list}) {`;
    return {
      lines: this.block(head, body),
      meaning,
      prepare: (frame) => {
        meaning.defaults = new Map(
          this.isPython
            ? ordered.flatMap(({ name: each, fallback }) =>
                fallback ? [[each, fallback.run(frame)] as const] : [],
              )
            : [],
        );
      },
    };
  }

  private block(head: string, body: readonly string[]): string[] {
    const inside = body.length > 0 ? body : [this.isPython ? 'pass' : ''];
    return [head, ...inside.map((line) => `    ${line}`), ...(this.isPython ? [] : ['}'])];
  }

  private functionStep(scope: Scope): Step {
    const { lines, meaning, prepare } = this.define(scope, this.fresh('f'), undefined);
    this.functions.push(meaning);
    return { lines, run: prepare };
  }

  /** Fields that a constructor sets. */
  private fieldSteps(scope: Scope): Step[] {
    const self = this.isPython ? 'self' : 'this';
    const set = (name: string, value: Piece): Step => ({
      lines: [`${self}.${name} = ${value.text}`],
      run: (frame) => {
        (frame.vars.get('self') as Instance).fields.set(name, value.run(frame));
      },
    });
    return [
      ...(this.chance(0.6) ? [set('k', this.number(scope, 1))] : []),
      ...(this.chance(0.4) ? [set('kw', this.options(scope, 1))] : []),
    ];
  }

  private classStep(scope: Scope): Step {
    const name = this.fresh('C');
    const outer = { ...scope, names: scope.names.filter(({ kind }) => kind !== 'object') };
    const base = this.classes.length > 0 && this.chance(0.3) ? this.oneOf(this.classes) : undefined;
    const attributes = [
      ...(this.chance(0.7) ? [{ name: 'k', value: this.number(outer, 1) }] : []),
      ...(this.chance(0.4) ? [{ name: 'kw', value: this.options(outer, 1) }] : []),
    ];
    const isFields =
      this.isPython &&
      !base &&
      attributes.every(({ name: each }) => each === 'k') &&
      attributes.length > 0 &&
      this.chance(0.4);
    const meaning: { -readonly [K in keyof ClassMeaning]: ClassMeaning[K] } = {
      name,
      base,
      attributes,
      shared: new Map(),
      isFields,
      constructs: undefined,
      methods: [],
    };
    const constructs =
      isFields || this.chance(0.5)
        ? undefined
        : this.define(outer, this.isPython ? '__init__' : 'constructor', meaning, true);
    meaning.constructs = constructs?.meaning;
    this.classes.push(meaning);
    const methods = Array.from({ length: this.below(2) }, () => this.define(outer, this.fresh('m'), meaning));
    meaning.methods = methods.map((each) => each.meaning);
    const heading = this.isPython
      ? `class ${name}${base ? `(${base.name})` : ''}:`
      : `class ${name}${base ? ` extends ${base.name}` : ''} {`;
    const fields = attributes.map(({ name: each, value }) =>
      isFields ? `${each}: int = ${value.text}` : `${each} = ${value.text}${this.isPython ? '' : ';'}`,
    );
    const constructor =
      constructs && !this.isPython && base
        ? [constructs.lines[0]!, '    super();', ...constructs.lines.slice(1)]
        : (constructs?.lines ?? []);
    return {
      lines: [
        ...(isFields ? ['@dataclass'] : []),
        ...this.block(heading, [...fields, ...constructor, ...methods.flatMap(({ lines }) => lines)]),
      ],
      run: (frame) => {
        for (const each of [...(constructs ? [constructs] : []), ...methods]) each.prepare(frame);
        if (this.isPython)
          meaning.shared = new Map(attributes.map(({ name: each, value }) => [each, value.run(frame)]));
      },
    };
  }

  private objectStep(scope: Scope): Step {
    if (this.classes.length === 0 || !scope.isModule) return this.assignment(scope);
    const of = this.oneOf(this.classes);
    const constructs = constructorOf(of);
    const name = this.fresh('x');
    const given = constructs
      ? this.argumentsFor(constructs, scope, 1)
      : of.isFields && this.chance(0.5)
        ? this.fieldArgument(scope)
        : { text: '', run: () => new Map<string, Value>() };
    this.objects.set(name, of);
    scope.names.push({ name, kind: 'object' });
    const declares = this.isPython ? '' : this.declaration(scope, name);
    return {
      lines: [`${declares}${name} = ${this.isPython ? '' : 'new '}${of.name}(${given.text})`],
      run: (frame) => {
        const made = new Instance(of);
        const values = given.run(frame);
        if (!this.isPython) this.initialise(of, made, frame);
        if (of.isFields && !constructs) {
          for (const { name: each } of of.attributes) made.fields.set(each, of.shared.get(each)!);
          for (const [each, value] of values) made.fields.set(each, value);
        } else if (constructs) this.enter(constructs, frame, values, made);
        write(frame, name, made);
      },
    };
  }

  private fieldArgument(scope: Scope): { text: string; run: Run<Map<string, Value>> } {
    const value = this.number(scope, 1);
    const text = this.chance(0.5) ? `k=${value.text}` : value.text;
    return { text, run: (frame) => new Map([['k', value.run(frame)]]) };
  }

  /** Fields of TypeScript are evaluated for each object. */
  private initialise(of: ClassMeaning, made: Instance, frame: Frame): void {
    if (of.base) this.initialise(of.base, made, frame);
    // A constructor of the base runs without arguments, unless there is none of its own.
    if (of.base && of.constructs && constructorOf(of.base))
      this.enter(constructorOf(of.base)!, frame, new Map(), made);
    for (const { name, value } of of.attributes)
      made.fields.set(name, value.run({ vars: new Map(), globals: frame.globals, locals: new Set() }));
  }

  private fieldOf(scope: Scope, name: 'k' | 'kw'): Piece | undefined {
    if (scope.self) return this.fieldRead(this.isPython ? 'self' : 'this', 'self', name);
    const objects = scope.names.filter(({ kind }) => kind === 'object');
    if (objects.length === 0) return undefined;
    const { name: object } = this.oneOf(objects);
    return this.fieldRead(object, object, name);
  }

  private fieldRead(written: string, variable: string, name: string): Piece {
    return {
      text: `${written}.${name}`,
      run: (frame) => {
        const object = variable === 'self' ? frame.vars.get('self') : read(frame, variable);
        if (!(object instanceof Instance)) throw new Ends('no object');
        if (object.fields.has(name)) return object.fields.get(name)!;
        for (let of: ClassMeaning | undefined = object.made; of; of = of.base) {
          const value = of.shared.get(name);
          if (value !== undefined) return value;
        }
        if (this.isPython) throw new Ends('no attribute');
        return null;
      },
    };
  }

  // ---- statements

  private step(scope: Scope, nesting = 0): Step {
    const choice = this.below(nesting > 1 ? 9 : 17);
    switch (choice) {
      case 0:
      case 1:
      case 2:
        return this.assignment(scope);
      case 3:
        return this.change(scope);
      case 4:
        return this.counted(scope);
      case 5:
        return this.keyStep(scope);
      case 6:
        return this.apart(scope);
      case 7:
        return this.fieldChange(scope);
      case 8:
        return this.bare(scope);
      case 9:
      case 10:
        return this.branch(scope, nesting);
      case 11:
        return this.loop(scope, nesting);
      case 12:
      case 13:
        return scope.isModule && nesting === 0 ? this.functionStep(scope) : this.assignment(scope);
      case 14:
        return scope.isModule && nesting === 0 ? this.classStep(scope) : this.assignment(scope);
      case 15:
        return nesting === 0 ? this.objectStep(scope) : this.assignment(scope);
      default:
        return this.globalStep(scope);
    }
  }

  private declaration(scope: Scope, name: string): string {
    if (this.isPython || scope.declared.has(name)) return '';
    scope.declared.add(name);
    scope.locals.add(name);
    if (scope.depth === 0) return 'let ';
    scope.hoisted.push(name);
    return '';
  }

  /** A new name, or one that is there, so that it is set in several places. */
  private target(scope: Scope, kind: Kind): string {
    const same = scope.names.filter((each) => each.kind === kind && !/^[po]\d/u.test(each.name));
    const name =
      same.length > 0 && this.chance(0.25)
        ? this.oneOf(same).name
        : this.fresh(kind === 'number' ? 'n' : 'd');
    if (!same.some((each) => each.name === name)) scope.names.push({ name, kind });
    if (!scope.isModule) scope.locals.add(name);
    return name;
  }

  private assignment(scope: Scope): Step {
    const kind: Kind = this.chance(0.4) ? 'number' : 'options';
    const value = kind === 'number' ? this.number(scope) : this.options(scope);
    const name = this.target(scope, kind);
    return {
      lines: [`${this.declaration(scope, name)}${name} = ${value.text}`],
      run: (frame) => write(frame, name, value.run(frame)),
    };
  }

  private keyStep(scope: Scope): Step {
    const name = this.fresh('key');
    const value = this.oneOf(['k', 'n']);
    scope.names.push({ name, kind: 'key' });
    if (!scope.isModule) scope.locals.add(name);
    return {
      lines: [`${this.declaration(scope, name)}${name} = "${value}"`],
      run: (frame) => write(frame, name, value),
    };
  }

  /** Changes a dictionary in place. */
  private change(scope: Scope): Step {
    const names = scope.names.filter(({ kind }) => kind === 'options');
    if (names.length === 0) return this.assignment(scope);
    const { name } = this.oneOf(names);
    const value = this.number(scope, 1);
    const key = this.chance(0.8) ? 'k' : 'n';
    const set = (frame: Frame): void => {
      const held = read(frame, name);
      const given = value.run(frame);
      if (held instanceof Dict) held.entries.set(key, given);
      else if (!(held instanceof Opaque)) throw new Ends('no dict');
    };
    const ways = this.isPython
      ? [
          `${name}["${key}"] = ${value.text}`,
          `${name}.update({"${key}": ${value.text}})`,
          `${name}.update(${key}=${value.text})`,
          `${name}.__setitem__("${key}", ${value.text})`,
        ]
      : [
          `${name}.${key} = ${value.text}`,
          `${name}["${key}"] = ${value.text}`,
          `Object.assign(${name}, { ${key}: ${value.text} })`,
        ];
    if (this.chance(0.2))
      return {
        lines: [this.isPython ? `${name}.pop("${key}", None)` : `delete ${name}.${key}`],
        run: (frame) => {
          const held = read(frame, name);
          if (held instanceof Dict) held.entries.delete(key);
        },
      };
    return { lines: [this.oneOf(ways)], run: set };
  }

  private counted(scope: Scope): Step {
    const names = scope.names.filter(
      (each) => each.kind === 'number' && (scope.isModule || scope.locals.has(each.name)),
    );
    if (names.length === 0) return this.assignment(scope);
    const { name } = this.oneOf(names);
    return {
      lines: [`${name} += 1`],
      run: (frame) => {
        const value = read(frame, name);
        if (value instanceof Opaque) return;
        if (typeof value !== 'number') throw new Ends('no number');
        write(frame, name, value + 1);
      },
    };
  }

  private apart(scope: Scope): Step {
    const [a, b, c] = [this.number(scope, 1), this.number(scope, 1), this.number(scope, 1)];
    const name = this.fresh('n');
    const rest = this.fresh('r');
    const values = `${a.text}, ${b.text}, ${c.text}`;
    scope.names.push({ name, kind: 'number' });
    for (const each of [name, rest]) {
      if (!scope.isModule) scope.locals.add(each);
    }
    if (this.isPython) {
      const isLast = this.chance(0.5);
      return {
        lines: [isLast ? `*${rest}, ${name} = ${values}` : `${name}, *${rest} = ${values}`],
        run: (frame) => {
          const all = [a, b, c].map((each) => each.run(frame));
          write(frame, name, all[isLast ? 2 : 0]!);
          write(frame, rest, new List([]));
        },
      };
    }
    if (this.declaration(scope, name) === '') return this.assignmentTo(scope, name, a);
    return {
      lines: [`let [, ${name}] = [${values}];`],
      run: (frame) => {
        const all = [a, b, c].map((each) => each.run(frame));
        write(frame, name, all[1]!);
      },
    };
  }

  private assignmentTo(scope: Scope, name: string, value: Piece): Step {
    return {
      lines: [`${this.declaration(scope, name)}${name} = ${value.text}`],
      run: (frame) => write(frame, name, value.run(frame)),
    };
  }

  private fieldChange(scope: Scope): Step {
    const objects = scope.names.filter(({ kind }) => kind === 'object');
    if (objects.length === 0) return this.assignment(scope);
    const { name: object } = this.oneOf(objects);
    const value = this.number(scope, 1);
    const text =
      this.isPython && this.chance(0.3)
        ? `setattr(${object}, "k", ${value.text})`
        : `${object}.k = ${value.text}`;
    return {
      lines: [text],
      run: (frame) => {
        const held = read(frame, object);
        if (!(held instanceof Instance)) throw new Ends('no object');
        held.fields.set('k', value.run(frame));
      },
    };
  }

  /** Calls a function or a method for what it does. */
  private bare(scope: Scope): Step {
    const objects = scope.names.filter(({ kind }) => kind === 'object');
    const methods = objects.flatMap(({ name }) =>
      (this.objects.get(name)?.methods ?? []).map((method) => ({ name, method })),
    );
    if (methods.length > 0 && this.chance(0.6)) {
      const { name, method } = this.oneOf(methods);
      const call = this.call(method, scope, 1, this.named(name));
      return { lines: [call.text], run: (frame) => void call.run(frame) };
    }
    if (this.functions.length === 0) return this.assignment(scope);
    const call = this.call(this.oneOf(this.functions), scope, 1, undefined);
    return { lines: [call.text], run: (frame) => void call.run(frame) };
  }

  private branch(scope: Scope, nesting: number): Step {
    const isTaken = this.chance(0.5);
    const inner: Scope = { ...scope, depth: scope.depth + 1 };
    const steps = Array.from({ length: 1 + this.below(2) }, () => this.step(inner, nesting + 1));
    if (this.chance(0.3)) steps.push(this.site(inner));
    return {
      lines: this.block(
        this.isPython ? 'if flag():' : 'if (flag()) {',
        steps.flatMap(({ lines }) => lines),
      ),
      run: (frame) => {
        if (isTaken) for (const each of steps) each.run(frame);
      },
    };
  }

  private loop(scope: Scope, nesting: number): Step {
    const name = this.target(scope, 'number');
    const values = [this.plain(), this.plain()];
    const inner: Scope = { ...scope, depth: scope.depth + 1 };
    this.declaration(inner, name);
    const steps = [this.step(inner, nesting + 2), ...(this.chance(0.5) ? [this.site(inner)] : [])];
    const list = `[${values.map(({ text }) => text).join(', ')}]`;
    return {
      lines: this.block(
        this.isPython ? `for ${name} in ${list}:` : `for (${name} of ${list}) {`,
        steps.flatMap(({ lines }) => lines),
      ),
      run: (frame) => {
        for (const value of values) {
          this.tick();
          write(frame, name, value.run(frame));
          for (const each of steps) each.run(frame);
        }
      },
    };
  }

  /** A name of the module that is set from within a function. */
  private globalStep(scope: Scope): Step {
    const names = scope.names.filter(({ name, kind }) => kind === 'number' && !scope.locals.has(name));
    if (scope.isModule || names.length === 0 || scope.depth > 0) return this.assignment(scope);
    const { name } = this.oneOf(names);
    const value = this.number(scope, 1);
    return {
      lines: [...(this.isPython ? [`global ${name}`] : []), `${name} = ${value.text}`],
      run: (frame) => void frame.globals.set(name, value.run(frame)),
    };
  }

  // ---- calls that retrieve

  private site(scope: Scope): Step {
    const runs: number[] = [];
    this.runs.push(runs);
    const { text, run } = this.siteCall(scope);
    return {
      lines: [text],
      run: (frame) => {
        const k = run(frame);
        runs.push(k === undefined || k === null ? DEFAULT_K : typeof k === 'number' ? k : Number.NaN);
      },
    };
  }

  private siteCall(scope: Scope): { text: string; run: Run<Value | undefined> } {
    const search = this.isPython ? 'store.similarity_search' : 'store.similaritySearch';
    const retriever = this.isPython ? 'store.as_retriever' : 'store.asRetriever';
    const choice = this.below(4);
    if (choice === 0) {
      const value = this.number(scope);
      return {
        text: this.isPython ? `${search}("q", k=${value.text})` : `${search}("q", ${value.text})`,
        run: value.run,
      };
    }
    if (choice === 1 && this.isPython) {
      const [value, spread] = [this.chance(0.6) ? this.number(scope) : undefined, this.options(scope)];
      const named = value && `k=${value.text}`;
      const both = this.chance(0.5) ? [named, `**${spread.text}`] : [`**${spread.text}`, named];
      return {
        text: `${search}("q", ${both.filter((each) => each !== undefined).join(', ')})`,
        run: (frame) => {
          const given = value?.run(frame);
          const held = spread.run(frame);
          if (held instanceof Dict && given !== undefined && held.entries.has('k'))
            throw new Ends('given twice');
          if (given !== undefined) return given;
          return held instanceof Dict ? held.get('k') : held;
        },
      };
    }
    const held = this.options(scope);
    return {
      text: this.isPython ? `${retriever}(search_kwargs=${held.text})` : `${retriever}(${held.text})`,
      run: (frame) => {
        const value = held.run(frame);
        return value instanceof Dict
          ? value.get('k')
          : value instanceof Opaque || typeof value === 'number'
            ? value
            : undefined;
      },
    };
  }
}

function constructorOf(of: ClassMeaning): FunctionMeaning | undefined {
  return of.constructs ?? (of.base && constructorOf(of.base));
}

function read({ vars, globals, locals }: Frame, name: string): Value {
  const held = (locals && !locals.has(name) ? globals : vars).get(name);
  if (held === undefined) throw new Ends(`${name} is not set`);
  return held;
}

function write({ vars, globals, locals }: Frame, name: string, value: Value): void {
  (locals && !locals.has(name) ? globals : vars).set(name, value);
}

function fillFrom(into: Dict, value: Value): void {
  if (value instanceof Opaque) {
    into.entries.clear();
    into.isOpen = true;
    return;
  }
  if (!(value instanceof Dict)) throw new Ends('no dict');
  if (value.isOpen) {
    into.entries.clear();
    into.isOpen = true;
  }
  for (const [key, each] of value.entries) into.entries.set(key, each);
}

function copyOf(value: Value): Value {
  const made = new Dict();
  fillFrom(made, value);
  return made;
}
