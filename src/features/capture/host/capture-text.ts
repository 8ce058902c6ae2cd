/** Captured retrievals as text, for the list and for screen readers. Pure. */
import * as l10n from '@vscode/l10n';
import { judgedText, measuredText, nothingJudged, placeName, verdictBy } from '../../../core/facts.ts';
import { perspectiveMark } from '../../inspector/contract/panel.ts';
import type { CapturedPassage, CapturedRun } from '../contract/captured.ts';
import { matchRate } from '../../../shared/matches.ts';
import { counted, counts, percent } from '../../../core/counted.ts';

export interface CapturedRunNode {
  readonly kind: 'captured-run';
  readonly run: CapturedRun;
}

export interface CapturedPassageNode {
  readonly kind: 'captured-passage';
  readonly run: CapturedRun;
  readonly passage: CapturedPassage;
  /** From 1. */
  readonly rank: number;
}

/** The retrievals of one call in one run of a program. */
export interface CapturedCallNode {
  readonly kind: 'captured-call';
  readonly id: string;
  /** Newest first; at least one. */
  readonly runs: readonly [CapturedRun, ...CapturedRun[]];
  readonly isNewest: boolean;
}

/** The searches of one run, if there are several. */
export interface CapturedGroupNode {
  readonly kind: 'captured-group';
  readonly id: string;
  /** Newest first; at least two. */
  readonly runs: readonly [CapturedRun, ...CapturedRun[]];
}

export type CapturedNode = CapturedRunNode | CapturedPassageNode;

export function runNodes(runs: readonly CapturedRun[]): CapturedRunNode[] {
  return runs.map((run) => ({ kind: 'captured-run', run }));
}

/** Groups retrievals of programs that were run with Parallax by process and call, and the others by run. */
export function listNodes(
  runs: readonly CapturedRun[],
): (CapturedCallNode | CapturedGroupNode | CapturedRunNode)[] {
  const groups = Map.groupBy(runs, ({ id, live, run }) =>
    live ? `${live.process} ${live.site}` : (run ?? id),
  );
  return [...groups].flatMap<CapturedCallNode | CapturedGroupNode | CapturedRunNode>(
    ([id, [first, ...more]], index) => {
      if (!first) return [];
      if (first.live) return { kind: 'captured-call', id, runs: [first, ...more], isNewest: index === 0 };
      return more.length === 0 ? runNodes([first]) : { kind: 'captured-group', id, runs: [first, ...more] };
    },
  );
}

/** The question of a run, or the first query if that is unknown. */
export function groupName({ runs }: CapturedGroupNode): string {
  const { question, query } = runs.at(-1)!;
  return question ?? query;
}

/** `10:32:05 · 3 searches` @param since time of the first search, formatted */
export function groupDescription({ runs }: CapturedGroupNode, since: string): string {
  return counted(l10n.t('{0} · {1} [1:search|searches]'), since, runs.length);
}

/** `similarity_search · app/rag.py:46` */
export function callName({ runs: [{ name, code }] }: CapturedCallNode): string {
  if (!code) return name;
  return `${name} · ${code.line === undefined ? code.file : `${code.file}:${code.line}`}`;
}

/**
 * `3 queries · run since 10:32:05`
 *
 * @param since time of the first of them, formatted
 */
export function callDescription({ runs }: CapturedCallNode, since: string): string {
  return l10n.t`${counts.questions(runs.length)} · run since ${since}`;
}

export function passageNodes({ run }: CapturedRunNode): CapturedPassageNode[] {
  return run.passages.map((passage, index) => ({
    kind: 'captured-passage',
    run,
    passage,
    rank: index + 1,
  }));
}

/** The node that a command of the view applies to, if any. A group means its newest retrieval. */
export function capturedNode(target: unknown): CapturedNode | undefined {
  const kind = typeof target === 'object' && target !== null && 'kind' in target ? target.kind : undefined;
  if (kind === 'captured-group') return { kind: 'captured-run', run: (target as CapturedGroupNode).runs[0] };
  return kind === 'captured-run' || kind === 'captured-passage' ? (target as CapturedNode) : undefined;
}

/**
 * `10:32:05 · 5 passages · 80% match the index · MRecall@5 0% · P@5 40% (judged 60%)`
 *
 * @param time of the day, formatted
 */
export function runDescription(run: CapturedRun, time: string): string {
  const rate = matchRate(run.matches);
  return [
    time,
    counts.passages(run.k),
    ...(rate === undefined ? [] : [l10n.t`${percent(rate)} match the index`]),
    figuresText(run),
  ].join(' · ');
}

/** Figures always include the judged share. If no pair is judged, there are none. */
function figuresText(run: CapturedRun): string {
  const { figures } = run;
  if (!figures) return l10n.t('no perspectives known');
  const { k, mrecall, precision, judgedPairs, pairs } = figures;
  if (k === 0) return l10n.t('nothing retrieved');
  if (judgedPairs === 0) return nothingJudged();
  const judged = judgedText(judgedPairs / pairs);
  return `MRecall@${k} ${measuredText(mrecall, percent)} · P@${k} ${measuredText(precision, percent)} (${judged})`;
}

/** Agents of the editor, by the names of their services. */
const AGENTS: ReadonlyMap<string, string> = new Map([
  ['copilot-chat', 'GitHub Copilot Chat'],
  ['github-copilot', 'GitHub Copilot'],
  ['claude-code', 'Claude'],
  ['codex-app-server', 'Codex'],
]);

/** The details that the line of a retrieval leaves out, as plain text in lines. */
export function runDetails(run: CapturedRun): readonly string[] {
  const { name, service, step, code, matches, perspectives, k } = run;
  const { id, text, fuzzy, foreign } = matches;
  return [
    service === ''
      ? l10n.t`Captured from a program: ${step} ${name}.`
      : l10n.t`Captured from ${AGENTS.get(service) ?? service}: ${step} ${name}.`,
    ...(code
      ? [l10n.t`Called at ${code.line === undefined ? code.file : `${code.file}:${code.line}`}.`]
      : []),
    l10n.t`Of ${counts.passages(k)}, ${id} recognised by id, ${text} by equal and ${fuzzy} by similar text.`,
    ...(foreign > 0 ? [unmatchedText(foreign)] : []),
    ...(perspectives.length > 0
      ? perspectives.map((perspective, index) => `${perspectiveMark(index).letter}  ${perspective.text}`)
      : [l10n.t('No eval set has perspectives for this question. Add some when you judge it.')]),
  ];
}

/** A program may split the documents of a corpus differently. */
function unmatchedText(foreign: number): string {
  return counted(
    l10n.t(
      '{0} [0:matches|match] no passage of the index: [0:it comes|they come] from elsewhere, or the program cuts its documents otherwise.',
    ),
    foreign,
  );
}

const NAME_LENGTH = 60;

/** `2. traders-letter.txt`. A passage that the corpus does not contain is named by its first words. */
export function passageName({ passage, rank }: CapturedPassageNode): string {
  const { title, documentId, recognised, excerpt } = passage;
  const words = excerpt.slice(0, NAME_LENGTH).replace(/\s+/gu, ' ').trim();
  return `${rank}. ${title || (recognised || words === '' ? documentId : `${words}…`)}`;
}

/** `lines 3–9 · supports A, C` */
export function passageDescription({ run, passage }: CapturedPassageNode): string {
  const { lines, recognised, excerpt } = passage;
  return [
    ...(lines
      ? [
          lines.first === lines.last
            ? l10n.t`line ${lines.first}`
            : l10n.t`lines ${lines.first}–${lines.last}`,
        ]
      : []),
    ...(recognised ? [] : [l10n.t('no such passage in the index')]),
    ...(excerpt === '' ? [l10n.t('came without its text')] : [supportText(run, passage)]),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function supportText({ perspectives }: CapturedRun, { judged }: CapturedPassage): string {
  if (perspectives.length === 0) return '';
  if (judged.length === 0) return placeName('unjudged');
  const supported = judged
    .filter(({ verdict }) => verdict === 'yes')
    .map(({ perspectiveId }) => perspectiveId);
  const letters = perspectives.flatMap(({ id }, index) =>
    supported.includes(id) ? [perspectiveMark(index).letter] : [],
  );
  if (letters.length > 0) return l10n.t`supports ${letters.join(', ')}`;
  return judged.length < perspectives.length ? l10n.t('judged in part') : l10n.t('supports none');
}

/** The judgements of a passage, as plain text in lines. */
export function passageDetails({ run, passage }: CapturedPassageNode): readonly string[] {
  const lines = run.perspectives.map(({ id, text }, index) => {
    const judgement = passage.judged.find(({ perspectiveId }) => perspectiveId === id);
    const { letter } = perspectiveMark(index);
    return judgement
      ? `${letter}  ${judgement.verdict}, ${verdictBy(judgement)}: ${text}`
      : `${letter}  ${placeName('unjudged')}: ${text}`;
  });
  return [...lines, ...(passage.excerpt === '' ? [] : [`${passage.excerpt}…`])];
}
