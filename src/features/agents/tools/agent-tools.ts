/** Answers tool calls of the editor's agents and of clients of the MCP server. */
import * as l10n from '@vscode/l10n';
import { asParallaxError, ParallaxError, throwIfCancelled } from '../../../core/errors.ts';
import { whatIfs, type WhatIf } from '../../lens/core/what-ifs.ts';
import { describeIssue } from '../../../core/schema-issue.ts';
import { runCost, type RunCost } from './cost.ts';
import { evaluateAnswer } from './evaluate-answer.ts';
import { explainAnswer } from './explain-answer.ts';
import { explainMissing } from './explain-missing.ts';
import { findSupporters } from './explain.ts';
import type { AgentHost, AgentWork, AgentWorkspace } from './host.ts';
import { listAnswer, type DescribedSite, type UnreadProgram } from './list-answer.ts';
import { measure } from './measure.ts';
import { AGENT_TOOL_NAMES, type AgentToolName } from './names.ts';
import { label } from './passages/label.ts';
import { deeperRun, lookDeeper } from './passages/look-deeper.ts';
import { planRunOfAgent, runOfAgent } from './passages/run-of-agent.ts';
import { eitherPipelineOrSite, planQuestion, planRun, type Run } from './run.ts';
import { acceptBaseline, saveEvalSet } from './save.ts';
import { search } from './passages/search.ts';
import { listUnjudged } from './passages/unjudged.ts';
import { siteReader, sitesOf } from './sites.ts';
import {
  AGENT_TOOLS,
  type BaselineInput,
  type EvaluateInput,
  type ExplainInput,
  type LabelInput,
  type ListInput,
  type LookDeeperInput,
  type MissingInput,
  type RunInput,
  type SaveInput,
  type SearchInput,
  type UnjudgedInput,
} from './tools.ts';
import { requireTrust } from '../../../shared/untrusted.ts';

type Inputs = {
  readonly list_retrieval_sites: ListInput;
  readonly search: SearchInput;
  readonly look_deeper: LookDeeperInput;
  readonly list_unjudged: UnjudgedInput;
  readonly label: LabelInput;
  readonly evaluate_retrieval: EvaluateInput;
  readonly explain_lost_perspectives: ExplainInput;
  readonly explain_missing: MissingInput;
  readonly run_of_agent: RunInput;
  readonly save_eval_set: SaveInput;
  readonly accept_baseline: BaselineInput;
};

/** A validated tool call. */
type Asked = { [N in AgentToolName]: { readonly tool: N; readonly input: Inputs[N] } }[AgentToolName];

export class AgentTools {
  readonly #host: AgentHost;
  /** Settles when no tool writes. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(host: AgentHost) {
    this.#host = host;
  }

  /**
   * @returns JSON that matches the output schema of the tool
   * @throws ParallaxError `bad-argument` for invalid input, `untrusted`, if something is missing for the call, the
   *   engine's error, `cancelled`
   */
  async call(tool: string, input: unknown, work: AgentWork): Promise<string> {
    const toolCall = checked(tool, input);
    if (!('writes' in AGENT_TOOLS[toolCall.tool])) return this.#answer(toolCall, work);
    // Agents call several tools at once, and each of these reads a file, changes it and writes it.
    const answer = this.#writing.then(() => this.#answer(toolCall, work));
    this.#writing = answer.catch(() => undefined);
    return answer;
  }

  async #answer(toolCall: Asked, work: AgentWork): Promise<string> {
    throwIfCancelled(work.signal);
    const host = this.#host;
    const workspace = await this.#trusted();
    // Listing runs nothing.
    if (toolCall.tool !== 'list_retrieval_sites') await host.requireAgreed(workspace.config);
    switch (toolCall.tool) {
      case 'list_retrieval_sites':
        return this.#list(toolCall.input, workspace, work.signal);
      case 'search':
        return search(toolCall.input, host, workspace, work);
      case 'look_deeper':
        return lookDeeper(toolCall.input, host, workspace, work);
      case 'list_unjudged':
        return listUnjudged(toolCall.input, host, workspace, work);
      case 'label':
        return label(toolCall.input, host, workspace, work);
      case 'evaluate_retrieval': {
        const run = await planRun(toolCall.input, host, workspace, work.signal);
        return evaluateAnswer(run, await measure(run, host, workspace, work));
      }
      case 'explain_lost_perspectives':
        return this.#explain(toolCall.input, workspace, work);
      case 'explain_missing': {
        const run = await planQuestion(toolCall.input, host, workspace, work.signal);
        return explainMissing(toolCall.input, run, host, workspace, work);
      }
      case 'run_of_agent':
        return runOfAgent(toolCall.input, host, workspace, work);
      case 'save_eval_set':
        return saveEvalSet(toolCall.input, host, workspace);
      case 'accept_baseline':
        return acceptBaseline(toolCall.input, host, workspace, work);
    }
  }

  /**
   * Estimates the cost of a call, without asking a model or the user.
   *
   * @returns `undefined` for a tool that measures nothing
   * @throws ParallaxError like {@link call}
   */
  async cost(tool: string, input: unknown, work: AgentWork): Promise<RunCost | undefined> {
    const toolCall = checked(tool, input);
    const workspace = await this.#trusted();
    const run = await this.#planned(toolCall, workspace, work.signal);
    return run && runCost(run, this.#host, workspace, work);
  }

  async #planned(
    toolCall: Asked,
    workspace: AgentWorkspace,
    signal: AbortSignal | undefined,
  ): Promise<Run | undefined> {
    const host = this.#host;
    switch (toolCall.tool) {
      case 'evaluate_retrieval':
      case 'list_unjudged':
        return planRun(toolCall.input, host, workspace, signal);
      case 'explain_lost_perspectives':
        return (await this.#explained(toolCall.input, workspace, signal)).run;
      case 'search':
      case 'explain_missing':
        return planQuestion(toolCall.input, host, workspace, signal);
      case 'look_deeper':
        return deeperRun(await planQuestion(toolCall.input, host, workspace, signal), workspace);
      case 'run_of_agent':
        return (await planRunOfAgent(toolCall.input, host, workspace, { signal })).run;
      case 'list_retrieval_sites':
      case 'label':
      case 'save_eval_set':
      case 'accept_baseline':
        return undefined;
    }
  }

  async #trusted(): Promise<AgentWorkspace> {
    const workspace = await this.#host.workspace();
    requireTrust(workspace.trusted);
    return workspace;
  }

  async #list(
    { file }: ListInput,
    workspace: AgentWorkspace,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const sites: DescribedSite[] = [];
    const reader = siteReader(this.#host, workspace);
    const unread: UnreadProgram[] = [];
    let programs = 0;
    for await (const program of this.#host.programs(file, signal)) {
      throwIfCancelled(signal);
      programs++;
      try {
        for (const listed of await sitesOf(program, reader))
          sites.push({ ...listed, figures: this.#host.figuresOf(listed.key, listed.file, listed.site) });
      } catch (error) {
        const { id, message } = asParallaxError(error);
        if (id === 'cancelled' || id === 'native-missing') throw error;
        unread.push({ file: program.file, why: message });
      }
    }
    return listAnswer({ sites, programs, unread }, workspace);
  }

  async #explain(input: ExplainInput, workspace: AgentWorkspace, work: AgentWork): Promise<string> {
    const { run, tried } = await this.#explained(input, workspace, work.signal);
    const measured = await measure(run, this.#host, workspace, work);
    const error = measured.comparison.datasets[0]?.pipelines[0]?.error;
    if (error !== undefined) throw new ParallaxError('retriever-failed', error);
    const supporters = await findSupporters(measured.comparison, this.#host, measured.work);
    return explainAnswer(run, tried, measured, supporters);
  }

  /** The pipeline to explain, with the changes to try. */
  async #explained(
    { query, perspectives, pipeline, ...options }: ExplainInput,
    workspace: AgentWorkspace,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly run: Run; readonly tried: readonly WhatIf[] }> {
    if (query === undefined && perspectives)
      throw new ParallaxError('bad-argument', l10n.t('Perspectives belong to a query: give the query, too.'));
    const queries = query === undefined ? {} : { queries: [{ text: query, perspectives }] };
    const pipelines = pipeline === undefined ? {} : { pipelines: [pipeline] };
    if (pipeline !== undefined && options.site) throw eitherPipelineOrSite();
    const run = await planRun({ ...options, ...queries, ...pipelines }, this.#host, workspace, signal);
    const base = run.pipelines[0]!;
    const tried = whatIfs(base.pipeline, { hasPerspectives: true }).filter(({ name }) => name !== base.name);
    return {
      run: { ...run, pipelines: [base, ...tried.map((each) => ({ ...each, origin: undefined }))] },
      tried,
    };
  }
}

function checked(tool: string, input: unknown): Asked {
  const name = AGENT_TOOL_NAMES.find((known) => known === tool);
  if (!name)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`There is no tool "${tool}". Available: ${AGENT_TOOL_NAMES.join(', ')}.`,
    );
  const parsed = AGENT_TOOLS[name].input.safeParse(input);
  if (!parsed.success)
    throw new ParallaxError('bad-argument', l10n.t`${name}: ${describeIssue(parsed.error, input)}`);
  return { tool: name, input: parsed.data } as { [N in AgentToolName]: Asked & { tool: N } }[AgentToolName];
}
