/** The review queue as a tree: reasons, their queries, their pairs. Pure. */
import * as l10n from '@vscode/l10n';
import { REVIEW_REASONS, type ReviewReason } from '../core/queue.ts';
import type { ReviewEntry } from '../contract/review.ts';

export interface ReasonNode {
  readonly kind: 'reason';
  readonly reason: ReviewReason;
  readonly queries: readonly QueryNode[];
}

interface QueryNode {
  readonly kind: 'query';
  readonly reason: ReviewReason;
  readonly text: string;
  readonly pairs: readonly PairNode[];
}

export interface PairNode {
  readonly kind: 'pair';
  readonly entry: ReviewEntry;
}

export type ReviewNode = ReasonNode | QueryNode | PairNode;

/** The node of the tree that a command was called on, if any. */
export function reviewNode(target: unknown): ReviewNode | undefined {
  const kind = typeof target === 'object' && target !== null && 'kind' in target ? target.kind : undefined;
  return kind === 'reason' || kind === 'query' || kind === 'pair' ? (target as ReviewNode) : undefined;
}

/** Reasons and queries keep their place while pairs change; pairs are in the order of the queue. */
export function groupsOf(entries: readonly ReviewEntry[]): ReasonNode[] {
  return REVIEW_REASONS.flatMap((reason) => {
    const entriesOfReason = entries.filter((entry) => entry.reason === reason);
    if (entriesOfReason.length === 0) return [];
    const byText = Map.groupBy(entriesOfReason, ({ query }) => query.text);
    const queries = [...byText]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([text, pairs]): QueryNode => ({ kind: 'query', reason, text, pairs: pairs.map(pairNode) }));
    return [{ kind: 'reason', reason, queries }];
  });
}

function pairNode(entry: ReviewEntry): PairNode {
  return { kind: 'pair', entry };
}

/** Identifies a place in the tree, independent of its content. */
export function nodeId(node: ReviewNode): string {
  switch (node.kind) {
    case 'reason':
      return node.reason;
    case 'query':
      return `${node.reason}/${node.text}`;
    case 'pair':
      return node.entry.id;
  }
}

/** All pairs at or below a node. */
export function entriesOf(node: ReviewNode): ReviewEntry[] {
  switch (node.kind) {
    case 'reason':
      return node.queries.flatMap(entriesOf);
    case 'query':
      return node.pairs.flatMap(entriesOf);
    case 'pair':
      return [node.entry];
  }
}

/** The parent node of a pair or a query. */
export function parentOf(roots: readonly ReasonNode[], child: ReviewNode): ReviewNode | undefined {
  if (child.kind === 'reason') return undefined;
  const nodes: readonly ReviewNode[] =
    child.kind === 'query' ? roots : roots.flatMap(({ queries }) => queries);
  const id = nodeId(child);
  return nodes.find((node) => childrenOf(node).some((each) => nodeId(each) === id));
}

export function childrenOf(node: ReviewNode): readonly ReviewNode[] {
  if (node.kind === 'pair') return [];
  return node.kind === 'reason' ? node.queries : node.pairs;
}

export function reasonTitle(reason: ReviewReason): string {
  switch (reason) {
    case 'evidence':
      return l10n.t('Quotation not in the passage');
    case 'escalated':
      return l10n.t('Escalated');
    case 'disagreement':
      return l10n.t('Disagreements');
    case 'narrowing':
      return l10n.t('Narrows the corrected figures');
    case 'calibration':
    case 'attention':
      return l10n.t('Random sample');
    case 'hole':
      return l10n.t('Unjudged');
  }
}
