/** The tools as the editor calls them: announces the cost of a call, makes the call, and returns its answer. */
import * as vscode from 'vscode';
import { counted } from '../../../core/counted.ts';
import type { AgentTools } from '../tools/agent-tools.ts';
import type { AgentWork } from '../tools/host.ts';
import type { AgentToolName } from '../tools/names.ts';
import { AGENT_TOOLS } from '../tools/tools.ts';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { LABELS_FILE } from '../../../shared/config.ts';
import type { RunCost } from '../tools/cost.ts';
import { costText } from '../../../extension/judging/confirmations.ts';

/** @param requestBudget the setting; 0 for no limit */
function runCostText({ pipelineRequests, ownRetrievers, judging }: RunCost, requestBudget: number): string {
  const asksJudge = judging !== undefined && judging.effort.requests.most > 0;
  return [
    ...(pipelineRequests === 0 && !asksJudge
      ? [vscode.l10n.t('No model is asked, and nothing costs money.')]
      : []),
    ...(pipelineRequests > 0 ? [pipelineText(pipelineRequests)] : []),
    ...(asksJudge
      ? [
          counted(
            vscode.l10n.t(
              'The judge {0} is asked about up to {1} [1:pair|pairs] of a passage and a perspective.',
            ),
            judging.judge,
            judging.pairs,
          ),
          costText(judging.effort),
          ...(requestBudget > 0
            ? [
                counted(
                  vscode.l10n.t('It stops after {0} [0:request|requests], as parallax.requestBudget says.'),
                  requestBudget,
                ),
              ]
            : []),
        ]
      : [vscode.l10n.t('Only labels and stored judgements count.')]),
    ...(ownRetrievers.length > 0
      ? [vscode.l10n.t('Your own retrievers are run: {0}.', ownRetrievers.join(', '))]
      : []),
  ].join(' ');
}

/** Says what a call changes in the workspace. `undefined` if it changes nothing. */
function writesText(name: AgentToolName): string | undefined {
  const tool = AGENT_TOOLS[name];
  if (!('writes' in tool)) return undefined;
  switch (tool.writes) {
    case 'labels':
      return vscode.l10n.t(
        "The agent's verdicts are added to {0} as an agent's. Labels of people take precedence.",
        LABELS_FILE,
      );
    case 'evalSet':
      return vscode.l10n.t('Questions with their perspectives are added to an eval set under eval/.');
    case 'baseline':
      return vscode.l10n.t(
        'Writes the measured figures as the baseline of the gate, and parallax.json if there is none.',
      );
  }
}

function pipelineText(requests: number): string {
  return Number.isFinite(requests)
    ? counted(
        vscode.l10n.t('Steps of the pipelines may ask models up to {0} [0:time|times].'),
        Math.ceil(requests),
      )
    : vscode.l10n.t('Steps of the pipelines may ask models any number of times: there is no index yet.');
}

export interface AgentSurfaceOptions {
  readonly tools: AgentTools;
  /** Setting `parallax.requestBudget`; 0 for no limit. */
  readonly requestBudget: () => number;
  readonly log: (message: string) => void;
}

export class AgentSurface {
  readonly #options: AgentSurfaceOptions;

  constructor(options: AgentSurfaceOptions) {
    this.#options = options;
  }

  /** Makes no requests to models. Invalid calls are reported by `invoke`. */
  async prepare(
    name: AgentToolName,
    input: object,
    token: vscode.CancellationToken,
  ): Promise<vscode.PreparedToolInvocation> {
    const { title } = AGENT_TOOLS[name];
    const invocationMessage = vscode.l10n.t('Parallax: {0}', title);
    try {
      const writes = writesText(name);
      const asking = vscode.l10n.t('Parallax: {0}?', title);
      if (writes !== undefined)
        return { invocationMessage, confirmationMessages: { title: asking, message: writes } };
      const cost = await this.#options.tools.cost(name, input, workOf(token));
      if (!cost) return { invocationMessage };
      const message = runCostText(cost, this.#options.requestBudget());
      return {
        invocationMessage,
        confirmationMessages: { title: asking, message },
      };
    } catch (error) {
      if (ParallaxError.is(error)) return { invocationMessage };
      throw error;
    }
  }

  /** @throws Error with a message that a model can act on, CancellationError */
  async invoke(
    name: AgentToolName,
    input: object,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    try {
      const text = await this.#options.tools.call(name, input, workOf(token));
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    } catch (error) {
      if (ParallaxError.is(error, 'cancelled')) throw new vscode.CancellationError();
      this.#options.log(`${name}: ${messageOf(error)}`);
      throw error;
    }
  }
}

function workOf(token: vscode.CancellationToken): AgentWork {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  token.onCancellationRequested(() => controller.abort());
  return { signal: controller.signal, agent: vscode.env.appName };
}
