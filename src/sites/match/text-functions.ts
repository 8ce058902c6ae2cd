/** How functions of a text use statements, addresses and request bodies that search, for the files that call them. */
import type { Node } from '../syntax/node.ts';
import type { Program } from '../resolve/program.ts';
import { patternOf } from '../rules/pattern.ts';
import type { LibraryRules } from '../../core/call-sites/schema.ts';
import type { FunctionExport, Taking } from '../workspace/exported.ts';
import { parametersOf, TextFlow, textAround, type TextKind } from './text-flow.ts';

const KINDS: readonly TextKind[] = ['sql', 'url'];
/** Longer functions do more than build a text. */
const MAX_TEXT = 8000;
/** The most places of a file that look like a part of a search and are followed. */
const MAX_PLACES = 100;

/** Types of possible statements and addresses. */
const TEXTUAL = /str|any|unknown|object|url|sql|query|text|statement|cypher|\b[A-Z]\b/iu;

/** A parameter without a type may be anything. */
function mayBeText(parameter: Node): boolean {
  const { parent } = parameter;
  const type = parent?.childForFieldName('type');
  return !type || type.startIndex < parameter.startIndex || TEXTUAL.test(type.text);
}

export class TextFunctions {
  private readonly program: Program;
  private readonly flows: readonly { readonly kind: TextKind; readonly flow: TextFlow }[];
  /** Patterns that match the text, with the kind of text that each indicates; `undefined` for any kind. */
  private readonly patterns: readonly { readonly pattern: string; readonly kind: TextKind | undefined }[];
  private givers: ReadonlySet<number> | undefined;

  constructor(program: Program, rules: readonly LibraryRules[]) {
    this.program = program;
    const calls = rules
      .filter(({ languages }) => languages.includes(program.dialect.language))
      .flatMap((library) => library.calls);
    this.flows = KINDS.map((kind) => ({
      kind,
      flow: new TextFlow(
        program,
        kind,
        calls.filter(({ callee }) => callee === kind),
      ),
    }));
    const patterns = calls.flatMap(({ callee, contains, carries }) => [
      ...(contains !== undefined && (callee === 'sql' || callee === 'url')
        ? [{ pattern: contains, kind: callee }]
        : []),
      ...(carries !== undefined && !carries.startsWith('^') ? [{ pattern: carries, kind: undefined }] : []),
    ]);
    const each = new Map(patterns.map((one) => [`${one.kind} ${one.pattern}`, one]));
    this.patterns = [...each.values()].filter(({ pattern }) => program.isInText(pattern));
  }

  /** How the function takes or returns texts that search. */
  of(functionNode: Node): Pick<FunctionExport, 'takes' | 'gives'> {
    return { takes: this.takesOf(functionNode), gives: this.givesOf(functionNode) };
  }

  /** The text at the node, if it may be a part of a search. */
  textOf({ text }: Node): string | undefined {
    return text.length <= MAX_TEXT && this.patterns.some(({ pattern }) => patternOf(pattern).test(text))
      ? text
      : undefined;
  }

  private takesOf(functionNode: Node): readonly Taking[] {
    return parametersOf(this.program, functionNode).flatMap(({ parameter, position, token }) =>
      !mayBeText(token)
        ? []
        : this.flows.flatMap(({ kind, flow }) =>
            flow.ofParameter(token).length > 0 ? [{ kind, parameter, position }] : [],
          ),
    );
  }

  private givesOf(functionNode: Node): string | undefined {
    if (this.patterns.length === 0) return undefined;
    this.givers ??= this.findGivers();
    return this.givers.has(functionNode.id) ? this.textOf(functionNode) : undefined;
  }

  /** Functions that return a text which looks like a part of a search. */
  private findGivers(): ReadonlySet<number> {
    const { source, root } = this.program;
    const places = this.patterns.flatMap(({ pattern, kind }) =>
      [...source.text.matchAll(patternOf(pattern, 'gu'))].map(({ index }) => ({ index, kind })),
    );
    return new Set(
      places.slice(0, MAX_PLACES).flatMap(({ index, kind }) => {
        const node = root.descendantForIndex(index);
        const text = textAround(node) ?? node;
        // A function that takes no address returns one to callers that request its content.
        const meant = this.flows.filter((each) => kind === undefined || each.kind === kind);
        return text ? meant.flatMap(({ flow }) => flow.giversOf(text)) : [];
      }),
    );
  }
}
