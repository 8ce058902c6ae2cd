/** Received spans that cannot be shown as retrievals, as text. Pure. */
import * as l10n from '@vscode/l10n';
import type { UnusedSpansOfKind } from '../contract/captured.ts';
import { unusedReason } from '../contract/unused-reasons.ts';
import { counts } from '../../../core/counted.ts';

/** All of them, as one expandable line of the list. */
export interface UnusedNode {
  readonly kind: 'unused';
  readonly unused: readonly UnusedSpansOfKind[];
  /** Whether there are no captured retrievals. */
  readonly alone: boolean;
}

export interface UnusedKindNode {
  readonly kind: 'unused-kind';
  readonly spans: UnusedSpansOfKind;
}

/** @param alone whether there are no captured retrievals */
export function unusedNodes(unused: readonly UnusedSpansOfKind[], alone: boolean): UnusedNode[] {
  return unused.length === 0 ? [] : [{ kind: 'unused', unused, alone }];
}

export function unusedKindNodes({ unused }: UnusedNode): UnusedKindNode[] {
  return unused.map((spans) => ({ kind: 'unused-kind', spans }));
}

/** `5 spans received, none of them a retrieval that can be shown` */
export function unusedName({ unused, alone }: UnusedNode): string {
  const count = unused.reduce((sum, spans) => sum + spans.count, 0);
  return alone
    ? l10n.t`${counts.spans(count)} received, none of them a retrieval that can be shown`
    : l10n.t`${counts.spans(count)} more, not shown as retrievals`;
}

/** The kind as it is in the spans: `openinference.span.kind=LLM`. */
export function unusedKindName({ spans }: UnusedKindNode): string {
  return spans.kind === '' ? l10n.t('other kinds') : spans.kind;
}

/** `3 spans · not a retrieval` */
export function unusedKindDescription({ spans }: UnusedKindNode): string {
  return `${counts.spans(spans.count)} · ${unusedReason(spans.reason).short}`;
}

/** The reason, and what helps. */
export function unusedKindDetails({ spans }: UnusedKindNode): string {
  return unusedReason(spans.reason).long;
}
