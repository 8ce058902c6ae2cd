/** Spans that came and cannot be shown as retrievals, in words. Pure. */
import * as l10n from '@vscode/l10n';
import type { UnusedSpansOfKind } from '../../shared/capture.ts';
import { spans } from '../platform/counted.ts';

/** All of them, in one line of the list that opens. */
export interface UnusedNode {
  readonly kind: 'unused';
  readonly unused: readonly UnusedSpansOfKind[];
  /** Nothing else came. */
  readonly alone: boolean;
}

export interface UnusedKindNode {
  readonly kind: 'unused-kind';
  readonly own: UnusedSpansOfKind;
}

/** @param alone whether nothing else came */
export function unusedNodes(unused: readonly UnusedSpansOfKind[], alone: boolean): UnusedNode[] {
  return unused.length === 0 ? [] : [{ kind: 'unused', unused, alone }];
}

export function unusedKindNodes({ unused }: UnusedNode): UnusedKindNode[] {
  return unused.map((own) => ({ kind: 'unused-kind', own }));
}

/** `5 spans came, none was a retrieval that can be shown` */
export function unusedName({ unused, alone }: UnusedNode): string {
  const count = unused.reduce((sum, own) => sum + own.count, 0);
  return alone
    ? l10n.t`${spans(count)} came, none was a retrieval that can be shown`
    : l10n.t`${spans(count)} besides, not shown as retrievals`;
}

/** As the spans say it: `openinference.span.kind=LLM`. */
export function unusedKindName({ own }: UnusedKindNode): string {
  return own.kind === '' ? l10n.t('other kinds') : own.kind;
}

/** `3 spans · not a retrieval` */
export function unusedKindDescription({ own }: UnusedKindNode): string {
  return `${spans(own.count)} · ${REASONS[own.reason]().short}`;
}

/** Why, and what helps. */
export function unusedKindDetails({ own }: UnusedKindNode): string {
  return REASONS[own.reason]().long;
}

const REASONS: Readonly<Record<UnusedSpansOfKind['reason'], () => { short: string; long: string }>> = {
  'other-work': () => ({
    short: l10n.t('not a retrieval'),
    long: l10n.t(
      'These spans tell of other steps of the program. If one of them is your retriever, instrument it with a convention that is heard.',
    ),
  }),
  'no-query': () => ({
    short: l10n.t('a retrieval without its query'),
    long: l10n.t('The query is not in the span. Have your instrumentation record inputs.'),
  }),
  'no-documents': () => ({
    short: l10n.t('a retrieval without its documents'),
    long: l10n.t('What came back is not in the span. Have your instrumentation record documents or outputs.'),
  }),
  unreadable: () => ({
    short: l10n.t('what came back cannot be read'),
    long: l10n.t(
      'What came back is not a list of documents with an id or a text. Have your instrumentation write documents, or its output as JSON.',
    ),
  }),
  'other-tool': () => ({
    short: l10n.t('a call that does not look like a retrieval'),
    long: l10n.t(
      'A tool or task counts as a retrieval where it is given a question and returns a list of passages with their texts.',
    ),
  }),
  repeated: () => ({
    short: l10n.t('told by another span'),
    long: l10n.t('The retriever within this tool, or the other end of its connection, told the same before.'),
  }),
};
