/**
 * Finds the calls that retrieve in Python, TypeScript, JavaScript and notebooks. Runs wherever WebAssembly
 * does: the caller hands in the bytes of the parser.
 */
import type { Tree } from '@vscode/tree-sitter-wasm';
import { readComments } from './comments.ts';
import { activeLibraries, leavesImports, mayFind, textAlone, type SeenText } from './gate.ts';
import { withHiddenSites } from './sites-while-typing.ts';
import { isTooLarge } from './limits.ts';
import { lint } from './lints/lint.ts';
import { findMatches } from './match/candidates.ts';
import { findCarried, type CarriedMatch } from './match/sql-and-url-calls.ts';
import { compose, type Composed } from './match/compose.ts';
import { byCall } from './match/match.ts';
import { withoutParts } from './match/parts.ts';
import { TextFunctions } from './match/text-functions.ts';
import { Wrappers } from './match/wrappers.ts';
import { placedCall, type PlacedCall } from './live/live-calls.ts';
import type { CallSite, LintId, SiteLink, SiteProblem } from './model.ts';
import { changeBetween, editOf, Parsers, type Change, type WasmFiles } from './parsing.ts';
import { callersIn } from './resolve/callers-elsewhere.ts';
import { Program, settled } from './resolve/program.ts';
import { builtInRules } from './rules/library.ts';
import type { LibraryRules } from '../core/call-sites/schema.ts';
import { siteOf } from './site.ts';
import { Source, type Cell } from './source.ts';
import { TextTests } from './text-tests.ts';
import { javascript } from './syntax/javascript-dialect.ts';
import type { Language } from './syntax/language.ts';
import { python } from './syntax/python-dialect.ts';
import type { Call } from './syntax/expression.ts';
import type { Exports, MadeRetriever } from './workspace/exported.ts';
import type { AskedParameter, Callers } from './workspace/asked-callers.ts';
import { moduleCheck, type Asking } from './workspace/module-check.ts';
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
  /** The meaning of names that the text imports from other files of its workspace. */
  readonly others?: OtherFiles | undefined;
  /** Checks that are switched off. */
  readonly without?: ReadonlySet<LintId> | undefined;
  /** The calls as a running program is observed are wanted as well. */
  readonly live?: boolean | undefined;
  /** The document's name where it has to be given up. */
  readonly file?: string | undefined;
}

export interface ExportOptions {
  /** As in {@link DetectOptions}. */
  readonly file?: string | undefined;
  readonly rules?: readonly LibraryRules[] | undefined;
}

/** The findings in one document. */
export interface Detection {
  /** In document order; without those that a comment says to ignore. */
  readonly sites: readonly CallSite[];
  readonly problems: readonly SiteProblem[];
  /** Calls of the program's own functions that retrieve. */
  readonly links: readonly SiteLink[];
  /** Parameters that callers in other files decide: until they were looked at, each is left open. */
  readonly asked: readonly AskedParameter[];
  /** What is observed of the sites while the program runs, if that was wanted; none for a retriever that is made elsewhere. */
  readonly live?: readonly PlacedCall[];
}

export interface SiteDetector {
  /** Nothing is loaded for a text that imports no library known to the rules, or that is too large. */
  detect(text: string, languageId: string, options?: DetectOptions): Promise<Detection>;
  /** A notebook's cells in document order, those in other languages included. */
  detectNotebook(cells: readonly Cell[], options?: DetectOptions): Promise<Detection>;
  /** Names that a text makes known to files that import it; nothing for one that is too large. Its tree is freed at once. */
  exports(text: string, languageId: string, options?: ExportOptions): Promise<Exports>;
  /**
   * The calls in a text of functions of another file.
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

/** The findings of the text alone. */
interface Passed {
  readonly seen: SeenText;
  readonly active: readonly LibraryRules[];
  readonly mayFind: boolean;
}

/** A text as it was looked through last. */
interface Looked extends Passed {
  readonly source: Source;
  readonly tree: Tree;
  readonly program: Program;
  readonly options: DetectOptions;
}

export function createSiteDetector({ wasm }: { readonly wasm: WasmFiles }): SiteDetector {
  return new TreeSitterDetector(new Parsers(wasm));
}

class TreeSitterDetector implements SiteDetector {
  private readonly parsers: Parsers;
  private readonly looked = new WeakMap<Detection, Looked>();

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
      const seen = textAlone(source.text);
      const program = new Program(source, tree, DIALECTS[source.language], seen);
      const active = activeLibraries(seen, source.language, rules);
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
      const program = new Program(source, tree, DIALECTS[source.language], textAlone(source.text));
      const isAsker = moduleCheck(asking, source.language);
      return asked.map((each) => callersIn(program, each, isAsker));
    } finally {
      tree.delete();
    }
  }

  release(detection: Detection): void {
    this.taken(detection)?.tree.delete();
  }

  /** A detection can be gone on from once, whatever becomes of that. */
  private taken(detection: Detection | undefined): Looked | undefined {
    const looked = detection && this.looked.get(detection);
    if (detection) this.looked.delete(detection);
    return looked;
  }

  private async run(source: Source | undefined, options: DetectOptions): Promise<Detection> {
    const before = this.taken(options.previous);
    // Whatever happens, only the tree of what is kept outlives this.
    const trees = new Set(before && [before.tree]);
    try {
      if (!source || isTooLarge(source.text)) return { ...NOTHING };
      const change = before && changeBetween(before.source.text, source.text);
      const passed = passedBy(source, options, before, change);
      if (isNothing(passed, options)) return { ...NOTHING };
      const tree = await this.treeOf(source, before, change);
      trees.add(tree);
      const { seen, active } = passed;
      const now = { ...passed, source, tree, options };
      const program =
        before && readOn(before, now, change)
          ? before.program
          : new Program(source, tree, DIALECTS[source.language], seen, options.others);
      const detection = analyse(program, active, options, sitesBefore(before, options), change);
      this.looked.set(detection, { ...now, program });
      trees.delete(tree);
      return detection;
    } finally {
      for (const tree of trees) tree.delete();
    }
  }

  /** Reuses what a change leaves of the tree before, which is edited and not freed. */
  private async treeOf(
    source: Source,
    before: Looked | undefined,
    change: Change | undefined,
  ): Promise<Tree> {
    const { grammar, text } = source;
    if (before?.source.grammar !== grammar) return this.parsers.parse(grammar, text, undefined);
    if (!change) return before.tree;
    before.tree.edit(editOf(before.source.text, text, change));
    return this.parsers.parse(grammar, text, before.tree);
  }
}

/** A look at the text alone, which is gone on from where it can be. */
function passedBy(
  source: Source,
  { rules = builtInRules(), others }: DetectOptions,
  before: Looked | undefined,
  change: Change | undefined,
): Passed {
  const { text, language } = source;
  const known =
    before?.source.language === language &&
    before.options.others === others &&
    (before.options.rules ?? builtInRules()) === rules
      ? before
      : undefined;
  const tests = known?.seen.tests ?? new TextTests(text);
  const isAnswered = known !== undefined && (!change || tests.edit(text, change));
  if (isAnswered && (!change || leavesImports(language, known.source.text, text, change)))
    return { seen: known.seen, active: known.active, mayFind: known.mayFind };
  const carried = others?.textsNamedIn((name) => tests.has(name)) ?? '';
  const seen = { tests, carried, reached: others?.modules ?? new Set<string>() };
  const active = activeLibraries(seen, language, rules);
  const isSame =
    known?.active.length === active.length && active.every((each, at) => each === known.active[at]);
  return {
    seen,
    active: isSame ? known.active : active,
    mayFind: mayFind(active, seen, others?.chainMakers),
  };
}

function isNothing({ mayFind, seen }: Passed, { previous, others }: DetectOptions): boolean {
  // While an import is being typed, the sites below it are still the user's.
  return (
    !mayFind &&
    (previous?.sites.length ?? 0) === 0 &&
    others?.mayWrap((name) => seen.tests.has(name)) !== true
  );
}

function sitesBefore(
  before: Looked | undefined,
  { previous }: DetectOptions,
): { readonly source: Source; readonly sites: readonly CallSite[] } | undefined {
  return before && previous ? { source: before.source, sites: previous.sites } : undefined;
}

/** Whether the program before has taken over the text as it is now, so that only what changed is read again. */
function readOn(before: Looked, now: Omit<Looked, 'program'>, change: Change | undefined): boolean {
  const isSame =
    before.source.grammar === now.source.grammar &&
    before.options.others === now.options.others &&
    before.options.rules === now.options.rules &&
    before.seen.carried === now.seen.carried &&
    before.active === now.active;
  return isSame && before.program.edit(now.source, now.tree, change);
}

function composedOf(
  program: Program,
  active: readonly LibraryRules[],
  rules: readonly LibraryRules[],
): Composed[] {
  const matches = byCall<CarriedMatch>(findMatches(program, active, rules));
  for (const match of findCarried(program, active)) {
    const other = matches.get(match.call.node.id);
    // An address or a statement goes before the arguments of anybody's method.
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
          line: token.row + 1,
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
  const { calls } = program.found(composed, 'wrappers', () => new Wrappers(program, composed));
  if (calls.length === 0) return [];
  const starts = new Set(shown.map(({ range }) => `${range.cell}:${range.start}`));
  const links = calls.flatMap(({ token, wrapped }) =>
    wrapped.flatMap((each): readonly SiteLink[] => {
      const range = settled(program.place(token));
      if ('there' in each) return [{ range, to: { kind: 'there', ...each.there } }];
      const place = settled(program.place(each.here.token));
      return starts.has(`${place.cell}:${place.start}`) ? [{ range, to: { kind: 'here', place } }] : [];
    }),
  );
  return [...new Map(links.map((link) => [JSON.stringify(link), link])).values()];
}

/** A function that is remembered keeps all that it can see: here nothing of the text as it is now. */
function problemsOf(program: Program, composed: Composed): readonly SiteProblem[] {
  return program.found(composed, 'problems', () => lint(program, composed));
}

function liveCalls(
  program: Program,
  composed: readonly Composed[],
  shown: readonly CallSite[],
): readonly PlacedCall[] {
  const starts = new Set(shown.map(({ range }) => `${range.cell}:${range.start}`));
  return composed
    .flatMap((each) => placedCall(program, each) ?? [])
    .filter(({ site }) => starts.has(`${site.cell}:${site.start}`));
}

function analyse(
  program: Program,
  active: readonly LibraryRules[],
  { rules = builtInRules(), without, live }: DetectOptions,
  before: { readonly source: Source; readonly sites: readonly CallSite[] } | undefined,
  change: Change | undefined,
): Detection {
  const now = composedOf(program, active, rules).map((each) => program.kept(each.token, 'composed', each));
  const composed = program.kept(program.root, 'composed', now);
  const comments = readComments(program);
  const all: { readonly site: CallSite; readonly problems: readonly SiteProblem[] }[] = [];
  for (const each of composed) {
    const site = siteOf(program, each, comments.spoken);
    const isIgnored = site.comment?.ignore ?? false;
    all.push({
      site,
      problems: isIgnored ? [] : settled(problemsOf(program, each)),
    });
  }
  const [ignored, shown] = [true, false].map((wanted) =>
    all.filter(({ site }) => (site.comment?.ignore ?? false) === wanted),
  ) as [typeof all, typeof all];
  const sites = shown.map(({ site }) => site);
  const problems = [...shown.flatMap((each) => each.problems), ...comments.problems];
  return {
    sites: before
      ? withHiddenSites(
          program,
          sites,
          ignored.map(({ site }) => site),
          before,
          change,
        )
      : sites,
    problems: problems.filter(({ id }) => !without?.has(id)),
    links: linksOf(program, composed, sites),
    asked: program.asked,
    ...(live === true ? { live: liveCalls(program, composed, sites) } : {}),
  };
}
