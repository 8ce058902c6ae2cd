/** What no query reaches, as a document. Pure. */
import type { Unreached } from '../../core/analysis/unreached.ts';
import { percent } from '../../core/gate/wording.ts';
import { escapeMarkdown } from '../../core/reports/escape.ts';
import { table } from '../platform/markdown-table.ts';

/** So many parts are listed; the rest is counted. */
const LISTED = 500;

export interface UnreachedView extends Unreached {
  readonly corpus: string;
  readonly k: number;
  readonly queries: number;
}

export function unreachedText(view: UnreachedView): string {
  const { corpus, k, queries, documents, reachedDocuments, passages, reachedPassages } = view;
  const share = (part: number, whole: number): string =>
    `${part} of ${whole} (${whole === 0 ? '0.0' : percent(part / whole)}%)`;
  const listed = view.unreached.slice(0, LISTED);
  const rest = view.unreached.length - listed.length;
  return [
    '# What no query reaches',
    `In the corpus ${escapeMarkdown(corpus)}, ${queries} queries of the eval sets reach ${share(reachedDocuments, documents)} documents and ${share(reachedPassages, passages)} passages within the top ${k} of the pipelines that are evaluated. About the others the eval sets say nothing.`,
    '## Folders',
    table(
      ['folder', 'documents', 'reached'],
      view.folders.map(({ folder, documents: own, reached }) => [
        escapeMarkdown(folder === '' ? './' : folder),
        String(own),
        share(reached, own),
      ]),
    ),
    '## Never reached',
    ...(listed.length === 0
      ? ['Every document is reached.']
      : [
          table(
            ['part', 'documents', 'passages'],
            listed.map(({ path, documents: own, passages: theirs }) => [
              escapeMarkdown(path),
              String(own),
              String(theirs),
            ]),
          ),
        ]),
    ...(rest > 0 ? [`… and ${rest} more.`] : []),
  ]
    .map((block) => `${block}\n`)
    .join('\n');
}
