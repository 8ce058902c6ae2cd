/** The cost of a tool call in words, for the user who decides whether an agent may make it. */
import * as vscode from 'vscode';
import type { RunCost } from '../../agents/cost.ts';
import { costText } from '../judging/confirmations.ts';

/** @param requestBudget of the setting; 0 for none */
export function runCostText(
  { pipelineRequests, ownRetrievers, judging }: RunCost,
  requestBudget: number,
): string {
  const asksJudge = judging !== undefined && judging.effort.requests.most > 0;
  return [
    ...(pipelineRequests === 0 && !asksJudge
      ? [vscode.l10n.t('No model is asked, and nothing is paid for.')]
      : []),
    ...(pipelineRequests > 0 ? [pipelineText(pipelineRequests)] : []),
    ...(asksJudge
      ? [
          vscode.l10n.t(
            'The judge {0} is asked about up to {1} pairs of a passage and a perspective.',
            judging.judge,
            judging.pairs,
          ),
          costText(judging.effort),
          ...(requestBudget > 0
            ? [vscode.l10n.t('It stops after {0} requests, as parallax.requestBudget says.', requestBudget)]
            : []),
        ]
      : [vscode.l10n.t('Only labels and remembered judgements count.')]),
    ...(ownRetrievers.length > 0
      ? [vscode.l10n.t('Your own retrievers are run: {0}.', ownRetrievers.join(', '))]
      : []),
  ].join(' ');
}

function pipelineText(requests: number): string {
  return Number.isFinite(requests)
    ? vscode.l10n.t('Steps of the pipelines may ask models up to {0} times.', Math.ceil(requests))
    : vscode.l10n.t('Steps of the pipelines may ask models any number of times: there is no index yet.');
}
