/** The appearance of nodes in the view of captured retrievals, on screen and to a screen reader. */
import * as vscode from 'vscode';
import { COMMANDS, VIEW_ITEMS } from '../../../shared/manifest/contributions.ts';
import {
  passageDescription,
  passageDetails,
  passageName,
  runDescription,
  runDetails,
  callDescription,
  callName,
  groupDescription,
  groupName,
  type CapturedCallNode,
  type CapturedGroupNode,
  type CapturedNode,
  type CapturedPassageNode,
  type CapturedRunNode,
} from './capture-text.ts';
import {
  unusedKindDescription,
  unusedKindDetails,
  unusedKindName,
  unusedName,
  type UnusedKindNode,
  type UnusedNode,
} from './unused-text.ts';

/** All nodes of the view. */
export type CapturedTreeNode =
  | CapturedCallNode
  | CapturedGroupNode
  | CapturedNode
  | UnusedNode
  | UnusedKindNode;

export function treeItem(node: CapturedTreeNode): vscode.TreeItem {
  if (node.kind === 'unused') return unusedItem(node);
  if (node.kind === 'unused-kind') return unusedKindItem(node);
  if (node.kind === 'captured-call') return callItem(node);
  if (node.kind === 'captured-group') return groupItem(node);
  return node.kind === 'captured-run' ? runItem(node) : passageItem(node);
}

/** The label of a captured retrieval in the list. */
export function runLabel({ run }: CapturedRunNode): string {
  return `${run.query}, ${runDescription(run, timeOf(run.at))}`;
}

function callItem(node: CapturedCallNode): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const name = callName(node);
  const item = new vscode.TreeItem(name, node.isNewest ? Expanded : Collapsed);
  item.id = node.id;
  item.description = callDescription(node, timeOf(node.runs.at(-1)!.at));
  item.iconPath = new vscode.ThemeIcon('symbol-method');
  item.accessibilityInformation = { label: `${name}, ${item.description}` };
  return item;
}

/** Opens the picture of the run. */
function groupItem(node: CapturedGroupNode): vscode.TreeItem {
  const name = groupName(node);
  const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `run/${node.id}`;
  item.description = groupDescription(node, timeOf(node.runs.at(-1)!.at));
  item.tooltip = [name, item.description].join('\n');
  item.iconPath = new vscode.ThemeIcon('layers');
  item.accessibilityInformation = { label: `${name}, ${item.description}` };
  item.command = {
    command: COMMANDS.showCapturedRun,
    title: vscode.l10n.t('What the Run Covered'),
    arguments: [node],
  };
  return item;
}

function runItem(node: CapturedRunNode): vscode.TreeItem {
  const { run } = node;
  const item = new vscode.TreeItem(run.query, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = run.id;
  item.description = runDescription(run, timeOf(run.at));
  item.tooltip = [run.query, item.description, '', ...runDetails(run)].join('\n');
  item.iconPath = new vscode.ThemeIcon(run.step === 'reranker' ? 'list-ordered' : 'search');
  item.contextValue = VIEW_ITEMS.capturedRun;
  item.accessibilityInformation = { label: runLabel(node) };
  return item;
}

function passageItem(node: CapturedPassageNode): vscode.TreeItem {
  const { run, passage, rank } = node;
  const name = passageName(node);
  const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.None);
  item.id = `${run.id}/${rank}`;
  item.description = passageDescription(node);
  item.tooltip = [name, '', ...passageDetails(node)].join('\n');
  item.iconPath = new vscode.ThemeIcon(passage.recognised ? 'file-text' : 'file');
  item.contextValue = VIEW_ITEMS.capturedPassage;
  item.accessibilityInformation = { label: `${name}, ${item.description}` };
  if (passage.excerpt !== '')
    item.command = {
      command: COMMANDS.openCaptured,
      title: vscode.l10n.t('Open Passage'),
      arguments: [node],
    };
  return item;
}

function unusedItem(node: UnusedNode): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(unusedName(node), node.alone ? Expanded : Collapsed);
  item.id = `unused/${node.alone ? 'alone' : 'besides'}`;
  item.iconPath = new vscode.ThemeIcon('info');
  return item;
}

function unusedKindItem(node: UnusedKindNode): vscode.TreeItem {
  const name = unusedKindName(node);
  const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.None);
  item.id = `unused/${node.spans.reason}/${node.spans.kind}`;
  item.description = unusedKindDescription(node);
  item.tooltip = unusedKindDetails(node);
  item.accessibilityInformation = { label: `${name}, ${item.description}. ${item.tooltip}` };
  return item;
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hourCycle: 'h23' });
}
