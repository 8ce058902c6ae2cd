/**
 * Whether an edit leaves what was found as it was, but for its place. Typing mostly happens in statements that no
 * search has anything to do with: none of their words was asked for, and nobody read their text.
 */
import type { Node, Tree } from '@vscode/tree-sitter-wasm';
import { shiftedSite } from './hold.ts';
import type { CallSite, Place, SiteLink, SiteProblem } from './model.ts';
import { shiftedPlace, type Change } from './parsing.ts';
import type { Span } from '../core/model.ts';
import { wordsIn } from './resolve/words.ts';
import type { Source } from './source.ts';
import type { Dialect } from './syntax/dialect.ts';

/** What a text was looked through for: its detection is the same as long as nothing of this changes. */
export interface Consulted {
  readonly words: ReadonlySet<string>;
  /** Offsets into the text: whose contents were read whatever words are in them. */
  readonly read: readonly Span[];
}

/** What was found in a text. */
export interface Found {
  readonly sites: readonly CallSite[];
  readonly problems: readonly SiteProblem[];
  readonly links: readonly SiteLink[];
}

/** Statements that declare nothing that others could be made of. */
const PLAIN = /^(?:expression_statement|lexical_declaration|variable_declaration)$/u;
/** Texts, comments, functions, and what says something about a text as a whole. */
const SPEAKS =
  /["'`#\\]|\/[/*]|=>|\b(?:return|yield|await|global|nonlocal|import|exports?|class|def|lambda|function|setattr|__\w+__|vars|globals|Object)\b|\]\s*=/u;
const CALLED = /(?<![\w$\u0080-\uffff])[\w$\u0080-\uffff]+[ \t]*(?:<[^()<>]{0,80}>)?\(/gu;

export interface Edited {
  readonly before: Source;
  readonly after: Source;
  /** Edited so that its places are those of the new text. */
  readonly treeBefore: Tree;
  readonly tree: Tree;
  readonly change: Change;
  readonly dialect: Dialect;
}

/** Undefined where the text has to be looked through again. */
export function moved(
  found: Found,
  consulted: Consulted,
  edited: Edited,
): { readonly found: Found; readonly consulted: Consulted } | undefined {
  const { before, after, change } = edited;
  if (!isAside(consulted, edited)) return undefined;
  const sites = found.sites.map((site) => (site.held ? undefined : shiftedSite(site, before, after, change)));
  const problems = found.problems.map((problem) => shiftedProblem(problem, edited));
  const links = found.links.map((link) => shiftedLink(link, edited));
  if (
    !sites.every((site) => site !== undefined) ||
    !problems.every((each) => each !== undefined) ||
    !links.every((each) => each !== undefined)
  )
    return undefined;
  const by = change.newEnd - change.oldEnd;
  return {
    found: { sites, problems, links },
    consulted: {
      words: consulted.words,
      read: consulted.read.map(({ start, end }) => ({
        start: start >= change.oldEnd ? start + by : start,
        end: end >= change.oldEnd ? end + by : end,
      })),
    },
  };
}

/** Whether the edit lies in one statement, which nobody asked about before or would ask about now. */
function isAside(
  { words, read }: Consulted,
  { before, after, treeBefore, tree, change, dialect }: Edited,
): boolean {
  if (after.isNotebook || tree.rootNode.hasError) return false;
  if (read.some(({ start, end }) => start <= change.oldEnd && change.start <= end)) return false;
  const [was, is] = [treeBefore, tree].map((each) => statementAt(each, dialect, change)) as [Node, Node];
  if (!isSameKind(was, is) || !PLAIN.test(is.type)) return false;
  const { startIndex, endIndex } = is;
  if (change.start < startIndex || change.newEnd > endIndex) return false;
  const isWithin = treeBefore
    .getChangedRanges(tree)
    .every((range) => range.startIndex >= startIndex && range.endIndex <= endIndex);
  if (!isWithin) return false;
  const texts = [
    before.text.slice(startIndex, endIndex - (change.newEnd - change.oldEnd)),
    after.text.slice(startIndex, endIndex),
  ];
  if (texts.some((text) => SPEAKS.test(text) || wordsIn(text).some((word) => words.has(word)))) return false;
  const [calledBefore, called] = texts.map((text) => text.match(CALLED)?.join(' ') ?? '');
  return calledBefore === called;
}

function statementAt(tree: Tree, dialect: Dialect, { start, newEnd }: Change): Node {
  const at = tree.rootNode.descendantForIndex(Math.max(0, start - 1), newEnd) ?? tree.rootNode;
  return dialect.statement(at);
}

function isSameKind(was: Node, is: Node): boolean {
  return (
    was.type === is.type &&
    was.startIndex === is.startIndex &&
    was.endIndex === is.endIndex &&
    was.firstNamedChild?.type === is.firstNamedChild?.type
  );
}

function shiftedLink({ range, to }: SiteLink, { before, after, change }: Edited): SiteLink | undefined {
  const move = (place: Place): Place | undefined => shiftedPlace(place, before, after, change);
  const moved = move(range);
  if (to.kind === 'there') return moved && { range: moved, to };
  const place = move(to.place);
  return moved && place && { range: moved, to: { kind: 'here', place } };
}

function shiftedProblem(problem: SiteProblem, { before, after, change }: Edited): SiteProblem | undefined {
  const move = (place: Place): Place | undefined => shiftedPlace(place, before, after, change);
  const place = move(problem.place);
  const edits = problem.fix?.edits.map((edit) => ({ ...edit, place: move(edit.place) }));
  if (!place || edits?.some((edit) => !edit.place)) return undefined;
  return {
    ...problem,
    place,
    fix: problem.fix && {
      ...problem.fix,
      edits: (edits ?? []).flatMap((edit) => (edit.place ? [{ ...edit, place: edit.place }] : [])),
    },
  };
}
