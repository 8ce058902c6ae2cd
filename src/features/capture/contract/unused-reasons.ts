/** Explains why spans cannot be shown as retrievals. */
import * as l10n from '@vscode/l10n';
import type { UnusedReason } from '../core/span-reading.ts';

interface Reason {
  readonly short: string;
  /** The reason and the remedy. */
  readonly long: string;
}

const REASONS: Readonly<Record<UnusedReason, () => Reason>> = {
  'other-work': () => ({
    short: l10n.t('not a retrieval'),
    long: l10n.t(
      'These spans describe other steps of the program. If one of them is your retriever, instrument it with a supported convention.',
    ),
  }),
  'no-query': () => ({
    short: l10n.t('a retrieval without its query'),
    long: l10n.t('The query is not in the span. Make your instrumentation record inputs.'),
  }),
  'no-documents': () => ({
    short: l10n.t('a retrieval without its documents'),
    long: l10n.t('What came back is not in the span. Make your instrumentation record documents or outputs.'),
  }),
  unreadable: () => ({
    short: l10n.t('what came back cannot be read'),
    long: l10n.t(
      'What came back is not a list of documents with an id or a text. Make your instrumentation write documents, or its output as JSON.',
    ),
  }),
  'other-tool': () => ({
    short: l10n.t('a call that does not look like a retrieval'),
    long: l10n.t(
      'A tool or task counts as a retrieval if it is given a question and returns a list of passages with their texts. “capture” in parallax.json names the fields of answers in another form.',
    ),
  }),
  repeated: () => ({
    short: l10n.t('told by another span'),
    long: l10n.t(
      'The retriever inside this tool, or the server that it calls, has already reported this retrieval.',
    ),
  }),
};

export function unusedReason(reason: UnusedReason): Reason {
  return REASONS[reason]();
}
