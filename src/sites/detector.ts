/**
 * Finds the calls that retrieve in Python, TypeScript, JavaScript and notebooks. Runs wherever WebAssembly
 * does: the caller hands in the bytes of the parser.
 */
import type { Tree } from '@vscode/tree-sitter-wasm';
import { readComments } from './comments.ts';
import { activeLibraries } from './gate.ts';
import { withHeld } from './hold.ts';
import { isTooLarge } from './limits.ts';
import { lint } from './lints/lint.ts';
import { findMatches } from './match/candidates.ts';
import { findCarried, type CarriedMatch } from './match/carried.ts';
import { compose, type Composed } from './match/compose.ts';
import { withoutParts } from './match/parts.ts';
import { TextFunctions } from './match/text-functions.ts';
import { Wrappers } from './match/wrappers.ts';
import type { CallSite, LintId, SiteLink, SiteProblem } from './model.ts';
import { changeBetween, editOf, Parsers, type Change, type WasmFiles } from './parsing.ts';
import { callersIn } from './resolve/callers-elsewhere.ts';
import { Program } from './resolve/program.ts';
import { builtInRules } from './rules/library.ts';
import type { LibraryRules } from '../core/call-sites/schema.ts';
import { siteOf } from './site.ts';
import { moved, type Consulted } from './unchanged.ts';
import { Source, type Cell } from './source.ts';
import { javascript } from './syntax/javascript-dialect.ts';
import type { Language } from './syntax/language.ts';
import { python } from './syntax/python-dialect.ts';
import type { Call } from './syntax/expression.ts';
import type { Exports, MadeRetriever } from './workspace/exported.ts';
import type { AskedParameter, Callers } from './workspace/asked-callers.ts';
import { moduleCheck, type Asking } from './workspace/asking.ts';
import { exportsOf } from './workspace/exports.ts';
import type { OtherFiles } from './workspace/other-files.ts';

export type { Cell } from './source.ts';
export type { WasmFiles } from './parsing.ts';

export interface DetectOptions {
  /** The built-in rules when left out; see `mergeRules` for a workspace's own. */
  readonly rules?: readonly LibraryRules[] | undefined;
  /**
   * The detection before this one in the same document. Only what changed since is parsed again, and sites survive while
   * the document is half typed. It is used up: hand every detection in once, or release it.
   */
  readonly previous?: Detection | undefined;
  /** What the names that the text imports from other files of its workspace mean. */
  readonly others?: OtherFiles | undefined;
  /** Checks that are switched off. */
  readonly without?: ReadonlySet<LintId> | undefined;
  /** What the document is called where it has to be given up. */
  readonly file?: string | undefined;
}

export interface ExportOptions {
  /** As in {@link DetectOptions}. */
  readonly file?: string | undefined;
  readonly rules?: readonly LibraryRules[] | undefined;
}

/** Of one document. */
export interface Detection {
  /** In document order; without those that a comment says to ignore. */
  readonly sites: readonly CallSite[];
  readonly problems: readonly SiteProblem[];
  /** Calls of the program's own functions that retrieve. */
  readonly links: readonly SiteLink[];
  /** What the callers in other files decide: until they were looked at, it is left open. */
  readonly asked: readonly AskedParameter[];
}

export interface SiteDetector {
  /** Nothing is loaded for a text that imports no library known to the rules, or that is too large. */
  detect(text: string, languageId: string, options?: DetectOptions): Promise<Detection>;
  /** A notebook's cells in document order, those in other languages included. */
  detectNotebook(cells: readonly Cell[], options?: DetectOptions): Promise<Detection>;
  /** What a text makes known to files that import it; nothing for one that is too large. Its tree is freed at once. */
  exports(text: string, languageId: string, options?: ExportOptions): Promise<Exports>;
  /**
   * What the text shows of those who call functions of another file.
   *
   * @returns in the order of `asked`; `set` for a text that cannot be read. Its tree is freed at once.
   */
  callers(
    text: string,
    languageId: string,
    asked: readonly AskedParameter[],
    asking: Asking,
  ): Promise<readonly Callers[]>;
  /** Frees the syntax tree of a document that is closed. */
  release(detection: Detection): void;
  /** Whether the parser has been loaded. */
  readonly isLoaded: boolean;
}

const DIALECTS = { python, javascript } satisfies Record<Language, unknown>;
const NOTHING: Detection = { sites: [], problems: [], links: [], asked: [] };

interface Parsed {
  readonly source: Source;
  readonly tree: Tree;
  readonly hasError: boolean;
  readonly active: readonly LibraryRules[];
  readonly options: DetectOptions;
  readonly consulted: Consulted;
}

export function createSiteDetector({ wasm }: { readonly wasm: WasmFiles }): SiteDetector {
  return new TreeSitterDetector(new Parsers(wasm));
}

class TreeSitterDetector implements SiteDetector {
  private readonly parsers: Parsers;
  private readonly parsed = new WeakMap<Detection, Parsed>();

  constructor(parsers: Parsers) {
    this.parsers = parsers;
  }

  get isLoaded(): boolean {
    return this.parsers.isLoaded;
  }

  detect(text: string, languageId: string, options: DetectOptions = {}): Promise<Detection> {
    return this.run(Source.file(text, languageId), options);
  }

  detectNotebook(cells: readonly Cell[], options: DetectOptions = {}): Promise<Detection> {
    return this.run(Source.notebook(cells), options);
  }

  async exports(
    text: string,
    languageId: string,
    { rules = builtInRules() }: ExportOptions = {},
  ): Promise<Exports> {
    const source = Source.file(text, languageId);
    if (!source || isTooLarge(text)) return new Map();
    const tree = await this.parsers.parse(source.grammar, text, undefined);
    try {
      const program = new Program(source, tree.rootNode, DIALECTS[source.language]);
      const active = activeLibraries(text, source.language, rules);
      const composed = composedOf(program, active, rules);
      return exportsOf(program, {
        madeBy: madeBy(composed),
        functions: new TextFunctions(program, rules),
        wrappers: new Wrappers(program, composed),
      });
    } finally {
      tree.delete();
    }
  }

  async callers(
    text: string,
    languageId: string,
    asked: readonly AskedParameter[],
    asking: Asking,
  ): Promise<readonly Callers[]> {
    const source = Source.file(text, languageId);
    if (!source || isTooLarge(text)) return asked.map(() => 'set');
    const tree = await this.parsers.parse(source.grammar, text, undefined);
    try {
      const program = new Program(source, tree.rootNode, DIALECTS[source.language]);
      const isAsker = moduleCheck(asking, source.language);
      return asked.map((each) => callersIn(program, each, isAsker));
    } finally {
      tree.delete();
    }
  }

  release(detection: Detection): void {
    this.parsed.get(detection)?.tree.delete();
    this.parsed.delete(detection);
  }

  private async run(source: Source | undefined, options: DetectOptions): Promise<Detection> {
    const { previous, rules = builtInRules() } = options;
    const isRead = source !== undefined && !isTooLarge(source.text);
    const { modules, chainMakers } = options.others ?? {};
    const carried = isRead ? options.others?.textsNamedIn(source.text) : undefined;
    const active = isRead
      ? activeLibraries(source.text, source.language, rules, modules, chainMakers, carried)
      : [];
    // While an import is being typed, the sites below it are still the user's.
    const isNothing =
      active.length === 0 &&
      (previous?.sites.length ?? 0) === 0 &&
      options.others?.mayWrap(source?.text ?? '') !== true;
    if (!isRead || isNothing) {
      if (previous) this.release(previous);
      return { ...NOTHING };
    }
    const before = previous && this.parsed.get(previous);
    const change = before && changeBetween(before.source.text, source.text);
    const tree = await this.treeOf(source, before, change);
    const aside =
      before && previous && change && moveOn(previous, before, { source, tree, active, options }, change);
    if (previous) this.release(previous);
    const { detection, consulted } = aside ?? look();
    const { hasError } = tree.rootNode;
    this.parsed.set(detection, { source, tree, hasError, active, options, consulted });
    return detection;

    function look(): { readonly detection: Detection; readonly consulted: Consulted } {
      const program = new Program(
        source!,
        tree.rootNode,
        DIALECTS[source!.language],
        options.others,
        carried,
      );
      const held = before && previous ? { source: before.source, sites: previous.sites } : undefined;
      const found = analyse(program, active, options, held, change);
      return { detection: found, consulted: { words: program.asksFor, read: program.read } };
    }
  }

  /** Reuses what a change leaves of the tree before, which is edited and not freed. */
  private async treeOf(
    source: Source,
    before: Parsed | undefined,
    change: Change | undefined,
  ): Promise<Tree> {
    const { grammar, text } = source;
    if (before?.source.grammar !== grammar) return this.parsers.parse(grammar, text, undefined);
    if (!change) return before.tree.copy();
    before.tree.edit(editOf(before.source.text, text, change));
    return this.parsers.parse(grammar, text, before.tree);
  }
}

/** What was found before, moved by an edit that has nothing to do with it. */
function moveOn(
  previous: Detection,
  before: Parsed,
  now: Pick<Parsed, 'source' | 'tree' | 'active' | 'options'>,
  change: Change,
): { readonly detection: Detection; readonly consulted: Consulted } | undefined {
  const { others, rules, without } = now.options;
  const isSame =
    !before.hasError &&
    before.source.grammar === now.source.grammar &&
    before.options.others === others &&
    before.options.rules === rules &&
    isSameSet(before.options.without, without) &&
    before.active.length === now.active.length &&
    before.active.every((each, at) => each === now.active[at]);
  if (!isSame) return undefined;
  const aside = moved(previous, before.consulted, {
    before: before.source,
    after: now.source,
    treeBefore: before.tree,
    tree: now.tree,
    change,
    dialect: DIALECTS[now.source.language],
  });
  return aside && { detection: { ...previous, ...aside.found }, consulted: aside.consulted };
}

/** Sets that come from another thread are never the same objects. */
function isSameSet<T>(a: ReadonlySet<T> = new Set(), b: ReadonlySet<T> = new Set()): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}

function composedOf(
  program: Program,
  active: readonly LibraryRules[],
  rules: readonly LibraryRules[],
): Composed[] {
  const matches = new Map<number, CarriedMatch>();
  for (const match of findMatches(program, active, rules))
    matches.set(match.call.node.id, { ...match, carried: undefined });
  for (const match of findCarried(program, active)) {
    const other = matches.get(match.call.node.id);
    // What an address or a statement says goes before what arguments of anybody's method say.
    if (!other || other.rule.library.imports.length === 0) matches.set(match.call.node.id, match);
  }
  const searches = withoutParts(program, [...matches.values()]);
  return compose(program, searches).toSorted((a, b) => a.token.startIndex - b.token.startIndex);
}

/** The retrievers of a text, by the calls that make them. */
function madeBy(all: readonly Composed[]): (call: Call) => MadeRetriever | undefined {
  const byCall = new Map(
    all
      .filter(({ match }) => /^(?:retriever|wrapper)$/u.test(match.rule.call.role))
      .map(({ match, call, token, fields }) => [
        call.node.id,
        {
          line: token.startPosition.row + 1,
          library: match.rule.library.library,
          callee: token.text,
          k: { ...fields.k, place: undefined },
        },
      ]),
  );
  return ({ node }) => byCall.get(node.id);
}

/** One for each retrieval that a wrapper holds; none to what a comment says to ignore. */
function linksOf(
  program: Program,
  composed: readonly Composed[],
  shown: readonly CallSite[],
): readonly SiteLink[] {
  const starts = new Set(shown.map(({ range }) => `${range.cell}:${range.start}`));
  const links = new Wrappers(program, composed).calls.flatMap(({ token, wrapped }) =>
    wrapped.flatMap((each): readonly SiteLink[] => {
      const range = program.place(token);
      if ('there' in each) return [{ range, to: { kind: 'there', ...each.there } }];
      const place = program.place(each.here.token);
      return starts.has(`${place.cell}:${place.start}`) ? [{ range, to: { kind: 'here', place } }] : [];
    }),
  );
  return [...new Map(links.map((link) => [JSON.stringify(link), link])).values()];
}

function analyse(
  program: Program,
  active: readonly LibraryRules[],
  { rules = builtInRules(), without }: DetectOptions,
  before: { readonly source: Source; readonly sites: readonly CallSite[] } | undefined,
  change: Change | undefined,
): Detection {
  const composed = composedOf(program, active, rules);
  const comments = readComments(program);
  const all: { readonly site: CallSite; readonly problems: readonly SiteProblem[] }[] = [];
  for (const each of composed) {
    const site = siteOf(program, each, comments.spoken);
    const isIgnored = site.comment?.ignore ?? false;
    all.push({ site, problems: isIgnored ? [] : lint(program, each) });
  }
  const [ignored, shown] = [true, false].map((wanted) =>
    all.filter(({ site }) => (site.comment?.ignore ?? false) === wanted),
  ) as [typeof all, typeof all];
  const sites = shown.map(({ site }) => site);
  const problems = [...shown.flatMap((each) => each.problems), ...comments.problems];
  return {
    sites: before
      ? withHeld(
          program,
          sites,
          ignored.map(({ site }) => site),
          before,
          change,
        )
      : sites,
    problems: problems.filter(({ id }) => !without?.has(id)),
    links: linksOf(program, composed, sites),
    asked: [...program.asked.values()],
  };
}
