/** The appearance of nodes in the review view, on screen and to a screen reader. */
import * as vscode from 'vscode';
import { counts } from '../../../core/counted.ts';
import { COMMANDS, VIEW_ITEMS } from '../../../shared/manifest/contributions.ts';
import { entriesOf, nodeId, reasonTitle, type PairNode, type ReviewNode } from './review-groups.ts';
import { placeOf } from './review-text.ts';

export function treeItem(node: ReviewNode): vscode.TreeItem {
  const item = node.kind === 'pair' ? pairItem(node) : groupItem(node);
  item.id = nodeId(node);
  return item;
}

function groupItem(node: Exclude<ReviewNode, PairNode>): vscode.TreeItem {
  const count = entriesOf(node).length;
  const isReason = node.kind === 'reason';
  const title = isReason ? reasonTitle(node.reason) : node.text;
  const item = new vscode.TreeItem(title, vscode.TreeItemCollapsibleState.Expanded);
  item.description = String(count);
  item.tooltip = isReason ? undefined : node.text;
  item.contextValue = VIEW_ITEMS.reviewGroup;
  item.accessibilityInformation = {
    label: `${title}, ${counts.pairs(count)}`,
  };
  return item;
}

function pairItem(node: PairNode): vscode.TreeItem {
  const { perspective, excerpt, people, answered, divided, skipped } = node.entry;
  const place = placeOf(node.entry);
  const item = new vscode.TreeItem(perspective.text, vscode.TreeItemCollapsibleState.None);
  const asides = [
    ...(people > 1 ? [vscode.l10n.t('{0} of {1} people', answered, people)] : []),
    ...(divided ? [vscode.l10n.t('people are divided')] : []),
    ...(skipped ? [vscode.l10n.t('skipped')] : []),
  ];
  item.description = [place, ...asides].join(' · ');
  item.tooltip = `${perspective.text}\n\n${place}: ${excerpt}…`;
  item.iconPath = new vscode.ThemeIcon(divided ? 'git-compare' : skipped ? 'debug-step-over' : 'question');
  item.contextValue = VIEW_ITEMS.reviewPair;
  item.accessibilityInformation = { label: [perspective.text, place, ...asides].join(', ') };
  item.command = { command: COMMANDS.reviewOpen, title: vscode.l10n.t('Review'), arguments: [node] };
  return item;
}
