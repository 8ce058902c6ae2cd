/** Failed questions and other searches: their effect on the figures, and an expandable list. */
import * as l10n from '@vscode/l10n';
import { failedQueriesText } from '../../src/core/facts.ts';
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { FurtherSearch, QueryErrors, SearchErrors } from '../../src/evaluation/query-errors.ts';
import { codicon } from './icon.ts';
import { counted } from '../../src/core/counted.ts';

/** @param about the subject of the searches, such as a pipeline */
export function failedQuestions(
  about: string,
  errors: QueryErrors | undefined,
  questions: number,
): TemplateResult | typeof nothing {
  if (!errors || errors.length === 0) return nothing;
  return failures(
    'query-errors',
    failedQueriesText(about, errors, questions),
    errors.map(({ query, message }) => ({ name: query, message })),
  );
}

/** Failed searches that affect only additional analyses, not the figures. */
export function failedSearches(
  about: string,
  errors: SearchErrors | undefined,
): TemplateResult | typeof nothing {
  const [first] = errors ?? [];
  if (!first) return nothing;
  const text = counted(
    l10n.t(
      '{0}: {1} [1:search|searches] beyond the questions failed and [1:counts|count] as finding nothing in the analyses below: {2}',
    ),
    about,
    errors!.length,
    first.message,
  );
  return failures(
    'search-errors',
    text,
    errors!.map(({ query, search, message }) => ({ name: `${query} (${searchText(search)})`, message })),
  );
}

function searchText(search: FurtherSearch): string {
  switch (search) {
    case 'exact':
      return l10n.t('exact search');
    case 'support':
      return l10n.t('asked from the supporting side');
    case 'oppose':
      return l10n.t('asked from the opposing side');
    case 'perspective':
      return l10n.t('asked with the perspective');
    case 'root':
      return l10n.t('asked without a perspective');
    case 'unanswerable':
      return l10n.t('a question without an answer');
  }
}

function failures(
  testId: string,
  text: string,
  all: readonly { readonly name: string; readonly message: string }[],
): TemplateResult {
  return html`<details class="failures" data-testid=${testId}>
    <summary>${codicon('warning')}<span dir="auto">${text}</span></summary>
    <ul>
      ${all.map(({ name, message }) => html`<li><bdi>${name}</bdi>: <bdi>${message}</bdi></li>`)}
    </ul>
  </details>`;
}
