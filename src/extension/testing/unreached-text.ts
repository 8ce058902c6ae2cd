/** What no query reaches, as a document. Pure. */
import * as l10n from '@vscode/l10n';
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
    l10n.t`${part} of ${whole} (${whole === 0 ? '0.0' : percent(part / whole)}%)`;
  const listed = view.unreached.slice(0, LISTED);
  const rest = view.unreached.length - listed.length;
  return [
    `# ${l10n.t('What no query reaches')}`,
    l10n.t`In the corpus ${escapeMarkdown(corpus)}, ${queries} queries of the eval sets reach ${share(reachedDocuments, documents)} documents and ${share(reachedPassages, passages)} passages within the top ${k} of the pipelines that are evaluated. About the others the eval sets say nothing.`,
    `## ${l10n.t('Folders')}`,
    table(
      [l10n.t('folder'), l10n.t('documents'), l10n.t('reached')],
      view.folders.map(({ folder, documents: own, reached }) => [
        escapeMarkdown(folder === '' ? './' : folder),
        String(own),
        share(reached, own),
      ]),
    ),
    `## ${l10n.t('Never reached')}`,
    ...(listed.length === 0
      ? [l10n.t('Every document is reached.')]
      : [
          table(
            [l10n.t('part'), l10n.t('documents'), l10n.t('passages')],
            listed.map(({ path, documents: own, passages: theirs }) => [
              escapeMarkdown(path),
              String(own),
              String(theirs),
            ]),
          ),
        ]),
    ...(rest > 0 ? [l10n.t`… and ${rest} more.`] : []),
  ]
    .map((block) => `${block}\n`)
    .join('\n');
}
