/** The report on documents that no query reaches. Pure. */
import * as l10n from '@vscode/l10n';
import { folderText, partText } from '../../../core/analysis/unreached-text.ts';
import { percent } from '../core/wording.ts';
import { escapeMarkdown } from '../../../core/reports/escape.ts';
import { markdownTable } from '../../../core/reports/markdown.ts';
import type { UnreachedReport } from '../../../shared/evaluation.ts';
import { counts } from '../../../core/counted.ts';

/** The most parts that are listed; the rest is counted. */
const LISTED = 500;

export interface UnreachedView extends UnreachedReport {
  readonly corpus: string;
  readonly k: number;
  /** The number of queries that were left out. */
  readonly queries: number;
}

export function unreachedText(view: UnreachedView): string {
  const { corpus, k, queries, leftOut, documents, reachedDocuments, passages, reachedPassages } = view;
  const size = counts.questions(queries - leftOut.length);
  const share = (part: number, whole: number): string =>
    l10n.t`${part} of ${whole} (${whole === 0 ? '0.0' : percent(part / whole)}%)`;
  const listed = view.unreached.slice(0, LISTED);
  const rest = view.unreached.length - listed.length;
  return [
    `# ${l10n.t('What no question reaches')}`,
    l10n.t`In the corpus ${escapeMarkdown(corpus)}, ${share(reachedDocuments, documents)} documents and ${share(reachedPassages, passages)} passages are within the top ${k} of the pipelines that are evaluated, for ${size} of the eval sets. The eval sets do not test the others.`,
    ...leftOutText(leftOut),
    `## ${l10n.t('Folders')}`,
    l10n.t('Each is counted without the folders in it. A file with several records is a folder of them.'),
    markdownTable({
      header: [l10n.t('folder'), l10n.t('documents'), l10n.t('reached')],
      rows: view.folders.map(({ folder, documents: count, reached }) => [
        folderText(folder),
        String(count),
        share(reached, count),
      ]),
      names: 1,
    }),
    `## ${l10n.t('Never reached')}`,
    ...(listed.length === 0
      ? [l10n.t('Every document is reached.')]
      : [
          l10n.t('A folder, or a file of records, means everything in it.'),
          markdownTable({
            header: [l10n.t('part'), l10n.t('documents'), l10n.t('passages')],
            rows: listed.map(({ path, documents: count, passages: theirs }) => [
              partText(path),
              String(count),
              String(theirs),
            ]),
            names: 1,
          }),
        ]),
    ...(rest > 0 ? [l10n.t`… and ${rest} more.`] : []),
  ]
    .map((block) => `${block}\n`)
    .join('\n');
}

/** The eval sets say nothing about questions for which no page was fetched. */
function leftOutText(leftOut: UnreachedView['leftOut']): string[] {
  if (leftOut.length === 0) return [];
  return [
    `## ${l10n.t('Left out')}`,
    l10n.t(
      'The corpus answers every question from its own pages, and has none for these. Fetch them into the same snapshot.',
    ),
    leftOut.map(({ id, text }) => `- ${escapeMarkdown(text)} (${escapeMarkdown(id)})`).join('\n'),
  ];
}
