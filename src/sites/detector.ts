/**
 * Finds the calls that retrieve in Python, TypeScript, JavaScript and notebooks. Runs wherever WebAssembly does; the
 * caller provides the bytes of the parser.
 */
import { ParallaxError } from '../core/errors.ts';
import { readComments } from './comments.ts';
import { activeLibraries, mayFind, textAlone, TextTests, type TextFacts } from './gate.ts';
import { withHiddenSites, type Before } from './sites-while-typing.ts';
import { isTooLarge } from './limits.ts';
import { lint } from './lints/lint.ts';
import { findMatches } from './match/candidates.ts';
import { findTextMatches, type TextMatch } from './match/sql-and-url-calls.ts';
import { compose, type Composed } from './match/compose.ts';
import { byCall } from './match/match.ts';
import { withoutParts } from './match/parts.ts';
import { TextFunctions } from './match/text-functions.ts';
import { Wrappers } from './match/wrappers.ts';
import { placedCall, type PlacedCall } from './live/live-calls.ts';
import type { CallSite, LintId, SiteLink, SiteProblem } from './model.ts';
import { Parsers, type WasmFiles } from './parsing.ts';
import { callersIn } from './resolve/callers-elsewhere.ts';
import { Program } from './resolve/program.ts';
import { builtInRules } from './rules/library.ts';
import type { LibraryRules } from '../core/call-sites/schema.ts';
import { siteOf } from './site.ts';
import { Source, type Cell } from './source.ts';
import { javascript } from './syntax/javascript-dialect.ts';
import type { Language } from './syntax/language.ts';
import { python } from './syntax/python-dialect.ts';
import type { Call } from './syntax/expression.ts';
import type { Exports, MadeRetriever } from './workspace/exported.ts';
import type { ParameterQuestion, Callers } from './workspace/parameter-question.ts';
import { moduleCheck, type Asking } from './workspace/module-check.ts';
import { exportsOf } from './workspace/exports.ts';
import type { OtherFiles } from './workspace/other-files.ts';

export type { Cell } from './source.ts';
export type { WasmFiles } from './parsing.ts';

export interface DetectOptions {
  /** Defaults to the built-in rules; see `mergeRules` for a workspace's own. */
  readonly rules?: readonly LibraryRules[] | undefined;
  /** The previous detection in the same document. Its sites persist while code is typed. */
  readonly previous?: Detection | undefined;
  /** Facts about names that the text imports from other files of its workspace. */
  readonly otherFiles?: OtherFiles | undefined;
  /** Checks that are disabled. */
  readonly without?: ReadonlySet<LintId> | undefined;
  /** Whether the calls are also described for observing a running program. */
  readonly live?: boolean | undefined;
  /** The document's name, for messages if it has to be given up. */
  readonly file?: string | undefined;
}

export interface ExportOptions {
  /** Like {@link DetectOptions}. */
  readonly file?: string | undefined;
  readonly rules?: readonly LibraryRules[] | undefined;
}

/** The findings in a document. */
export interface Detection {
  /** In document order, without those that a comment ignores. */
  readonly sites: readonly CallSite[];
  readonly problems: readonly SiteProblem[];
  /** Calls of the program's own functions that retrieve. */
  readonly links: readonly SiteLink[];
  /** Parameters that callers in other files set. Until those files have been read, their values are unknown. */
  readonly questions: readonly ParameterQuestion[];
  /** How the sites are observed at run time, if requested. Retrievers made in other files have no entry. */
  readonly live?: readonly PlacedCall[];
}

export interface SiteDetector {
  /** Loads nothing for a text that is too large or imports no library of the rules. */
  detect(text: string, languageId: string, options?: DetectOptions): Promise<Detection>;
  /** A notebook's cells in document order, including cells in other languages. */
  detectNotebook(cells: readonly Cell[], options?: DetectOptions): Promise<Detection>;
  /** Names that a text exports to files that import it. Empty for a text that is too large. */
  exports(text: string, languageId: string, options?: ExportOptions): Promise<Exports>;
  /**
   * The calls in a text of functions of another file.
   *
   * @returns in the order of `questions`; `set` for a text that cannot be read
   */
  callers(
    text: string,
    languageId: string,
    questions: readonly ParameterQuestion[],
    asking: Asking,
  ): Promise<readonly Callers[]>;
  /** Whether the parser has been loaded. */
  readonly isLoaded: boolean;
}

const DIALECTS = { python, javascript } satisfies Record<Language, unknown>;
const NOTHING: Detection = { sites: [], problems: [], links: [], questions: [] };

export function createSiteDetector({ wasm }: { readonly wasm: WasmFiles }): SiteDetector {
  return new TreeSitterDetector(new Parsers(wasm));
}

class TreeSitterDetector implements SiteDetector {
  private readonly parsers: Parsers;
  /** The source of each detection, for the detection after it. */
  private readonly sources = new WeakMap<Detection, Source>();

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
    const textFacts = textAlone(source.text);
    const program = await this.readIfFlat(source, textFacts);
    if (!program) return new Map();
    const active = activeLibraries(textFacts, source.language, rules);
    const composed = composedOf(program, active, rules);
    return exportsOf(program, {
      madeBy: madeBy(composed),
      functions: new TextFunctions(program, rules),
      wrappers: new Wrappers(program, composed),
    });
  }

  async callers(
    text: string,
    languageId: string,
    questions: readonly ParameterQuestion[],
    asking: Asking,
  ): Promise<readonly Callers[]> {
    const source = Source.file(text, languageId);
    if (!source || isTooLarge(text)) return questions.map(() => 'set');
    const program = await this.readIfFlat(source, textAlone(source.text));
    if (!program) return questions.map(() => 'set');
    const isAsker = moduleCheck(asking, source.language);
    return questions.map((each) => callersIn(program, each, isAsker));
  }

  private async read(source: Source, textFacts: TextFacts, otherFiles?: OtherFiles): Promise<Program> {
    const root = await this.parsers.parse(source.grammar, source.text);
    return new Program(source, root, DIALECTS[source.language], textFacts, otherFiles);
  }

  /** Reads a file for other files; a file that is nested too deeply counts as too large. */
  private async readIfFlat(source: Source, textFacts: TextFacts): Promise<Program | undefined> {
    try {
      return await this.read(source, textFacts);
    } catch (error) {
      if (ParallaxError.is(error, 'too-large')) return undefined;
      throw error;
    }
  }

  private async run(source: Source | undefined, options: DetectOptions): Promise<Detection> {
    if (!source || isTooLarge(source.text)) return { ...NOTHING };
    const { rules = builtInRules(), otherFiles, previous } = options;
    const textFacts = textFactsIn(source, otherFiles);
    const active = activeLibraries(textFacts, source.language, rules);
    // While an import is being typed, the sites below it are kept.
    const isNothing =
      !mayFind(active, textFacts, otherFiles?.chainMakers) &&
      (previous?.sites.length ?? 0) === 0 &&
      otherFiles?.mayWrap((name) => textFacts.tests.has(name)) !== true;
    if (isNothing) return { ...NOTHING };
    const program = await this.read(source, textFacts, otherFiles);
    const before = previous && this.sources.get(previous);
    const detection = analyse(
      program,
      active,
      options,
      before && previous && { source: before, sites: previous.sites },
    );
    this.sources.set(detection, source);
    return detection;
  }
}

/** The text with what its names refer to in other files. */
function textFactsIn({ text }: Source, otherFiles: OtherFiles | undefined): TextFacts {
  const tests = new TextTests(text);
  return {
    tests,
    otherTexts: otherFiles?.textsNamedIn((name) => tests.has(name)) ?? '',
    reached: otherFiles?.modules ?? new Set<string>(),
  };
}

function composedOf(
  program: Program,
  active: readonly LibraryRules[],
  rules: readonly LibraryRules[],
): Composed[] {
  const matches = byCall<TextMatch>(findMatches(program, active, rules));
  for (const match of findTextMatches(program, active)) {
    const existing = matches.get(match.call.node.id);
    // Matches by a statement or address take precedence over matches by method arguments alone.
    if (!existing || existing.rule.library.imports.length === 0) matches.set(match.call.node.id, match);
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

/** A link for each retrieval in a wrapper, except those that a comment ignores. */
function linksOf(
  program: Program,
  composed: readonly Composed[],
  shown: readonly CallSite[],
): readonly SiteLink[] {
  const { calls } = new Wrappers(program, composed);
  if (calls.length === 0) return [];
  const starts = new Set(shown.map(({ range }) => `${range.cell}:${range.start}`));
  const links = calls.flatMap(({ token, wrapped }) =>
    wrapped.flatMap((each): readonly SiteLink[] => {
      const range = program.place(token);
      if ('there' in each) return [{ range, to: { kind: 'there', ...each.there } }];
      const place = program.place(each.here.token);
      return starts.has(`${place.cell}:${place.start}`) ? [{ range, to: { kind: 'here', place } }] : [];
    }),
  );
  return [...new Map(links.map((link) => [JSON.stringify(link), link])).values()];
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
  before: Before | undefined,
): Detection {
  const composed = composedOf(program, active, rules);
  const comments = readComments(program);
  const all: { readonly site: CallSite; readonly problems: readonly SiteProblem[] }[] = [];
  for (const each of composed) {
    const site = siteOf(program, each, comments.spoken);
    const isIgnored = site.comment?.ignore ?? false;
    all.push({
      site,
      problems: isIgnored ? [] : lint(program, each),
    });
  }
  const [ignored, shown] = [true, false].map((flag) =>
    all.filter(({ site }) => (site.comment?.ignore ?? false) === flag),
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
        )
      : sites,
    problems: problems.filter(({ id }) => !without?.has(id)),
    links: linksOf(program, composed, sites),
    questions: program.questions,
    ...(live === true ? { live: liveCalls(program, composed, sites) } : {}),
  };
}
