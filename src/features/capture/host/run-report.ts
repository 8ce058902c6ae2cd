/** The report on a run of several searches: a column for each search and a lane for each perspective. Pure. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import { gainPerThousandTokens, runCoverage, type RunCoverage } from '../core/search-run.ts';
import { escapeMarkdown } from '../../../core/reports/escape.ts';
import { markdownTable } from '../../../core/reports/markdown.ts';
import type { CapturedRun } from '../contract/captured.ts';
import { perspectiveMark } from '../../inspector/contract/panel.ts';
import { questionKey } from '../../../core/text/question.ts';
import { percent } from '../../../extension/platform/numbers.ts';

/** The retrievals of one run, oldest first. @param runs newest first */
export function searchesOfRun(runs: readonly CapturedRun[], of: CapturedRun): CapturedRun[] {
  return of.run === undefined ? [of] : runs.filter(({ run }) => run === of.run).toReversed();
}

/**
 * The questions that were asked, oldest first, each once: of a run with several searches, that of the run.
 *
 * @param runs newest first
 */
export function capturedQuestions(
  runs: readonly CapturedRun[],
): { readonly text: string; readonly perspectives: CapturedRun['perspectives'] }[] {
  const questions = new Map<string, { text: string; perspectives: CapturedRun['perspectives'] }>();
  for (const { question, query, perspectives } of runs.toReversed()) {
    const text = question ?? query;
    const key = questionKey(text);
    const known = questions.get(key)?.perspectives ?? [];
    questions.set(key, { text, perspectives: perspectives.length > 0 ? perspectives : known });
  }
  return [...questions.values()];
}

/** Markdown. @param searches of one run, oldest first; at least one */
export function runReport(searches: readonly CapturedRun[]): string {
  const [first] = searches;
  const perspectives = searches.find((search) => search.perspectives.length > 0)?.perspectives ?? [];
  const coverage = runCoverage(
    perspectives.map(({ id }) => id),
    searches.map(({ passages }) => ({
      passages: passages.map(({ id, excerpt, characters = excerpt.length, judged }) => ({
        id,
        text: excerpt,
        characters,
        judged,
      })),
    })),
  );
  const { steps } = coverage;
  const lanes = perspectives.map(({ id, text }, place) => [
    `${perspectiveMark(place).letter} · ${text}`,
    ...steps.map((_, step) => laneMark(coverage.firstAt.get(id), step)),
  ]);
  const rows = [
    ...lanes,
    ...(lanes.length > 0
      ? [
          [l10n.t('perspectives after it'), ...steps.map(({ covered }) => String(covered))],
          [
            l10n.t('new per 1,000 tokens'),
            ...steps.map((step) => gainPerThousandTokens(step)?.toFixed(1) ?? ''),
          ],
        ]
      : []),
    [l10n.t('passages'), ...steps.map(({ passages }) => String(passages))],
    [
      l10n.t('seen before'),
      ...steps.map(({ seen, nearlySeen, passages }) =>
        passages === 0 ? '' : percent((seen + nearlySeen) / passages),
      ),
    ],
  ];
  // The queries are listed above the table, which stays readable in a narrow editor.
  const header = ['', ...searches.map((_, place) => String(place + 1))];
  return [
    `# ${escapeMarkdown(first?.question ?? first?.query ?? '')}`,
    summary(coverage, perspectives.length),
    searches.map(({ query }, place) => `${place + 1}. ${escapeMarkdown(query)}`).join('\n'),
    markdownTable({ header, rows, names: 1 }),
    ...(lanes.length > 0
      ? [
          l10n.t(
            '● the first search that supports the perspective; ○ later ones; · none so far. Only judged passages count; "seen before" is by id or nearly the same beginning, and four characters count as a token.',
          ),
        ]
      : []),
  ].join('\n\n');
}

function laneMark(first: number | undefined, step: number): string {
  if (first === undefined || step < first) return '·';
  return step === first ? '●' : '○';
}

function summary({ never, searchesAfter, union, judgedPairs, pairs }: RunCoverage, count: number): string {
  if (count === 0)
    return l10n.t(
      'This question has no perspectives yet. Add some when you judge a retrieval, or add the question to an eval set.',
    );
  const judged = pairs === 0 ? 0 : judgedPairs / pairs;
  return [
    counted(
      l10n.t('Together {0} [0:passage|passages], {1} of the pairs judged.'),
      union.length,
      percent(judged),
    ),
    never.length === 0
      ? l10n.t('Every perspective was reached.')
      : l10n.t`Never reached: ${never.length} of ${count}, as far as it is judged.`,
    ...(searchesAfter > 0 ? [l10n.t`Searches after the last new perspective: ${searchesAfter}.`] : []),
  ].join(' ');
}
