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
  readonly own: UnusedSpansOfKind;
}

/** @param alone whether there are no captured retrievals */
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
    ? l10n.t`${counts.spans(count)} came, none was a retrieval that can be shown`
    : l10n.t`${counts.spans(count)} besides, not shown as retrievals`;
}

/** The kind as it is in the spans: `openinference.span.kind=LLM`. */
export function unusedKindName({ own }: UnusedKindNode): string {
  return own.kind === '' ? l10n.t('other kinds') : own.kind;
}

/** `3 spans · not a retrieval` */
export function unusedKindDescription({ own }: UnusedKindNode): string {
  return `${counts.spans(own.count)} · ${unusedReason(own.reason).short}`;
}

/** The reason, and what helps. */
export function unusedKindDetails({ own }: UnusedKindNode): string {
  return unusedReason(own.reason).long;
}
