/** Answers calls of the tools, whoever makes them: the editor's agents, or a client of the MCP server. */
import * as l10n from '@vscode/l10n';
import { asParallaxError, ParallaxError, throwIfCancelled } from '../core/errors.ts';
import { whatIfs, type WhatIf } from '../core/inline/what-ifs.ts';
import { describeIssue } from '../core/schema-issue.ts';
import { runCost, type RunCost } from './cost.ts';
import { evaluateAnswer } from './evaluate-answer.ts';
import { explainAnswer } from './explain-answer.ts';
import { explainMissing } from './explain-missing.ts';
import { findSupporters } from './explain.ts';
import type { AgentHost, AgentWork, AgentWorkspace } from './host.ts';
import { listAnswer, type DescribedSite, type UnreadProgram } from './list-answer.ts';
import { measure } from './measure.ts';
import { AGENT_TOOL_NAMES, type AgentToolName } from './names.ts';
import { planQuestion, planRun, type Run } from './run.ts';
import { siteReader, sitesOf } from './sites.ts';
import {
  AGENT_TOOLS,
  type EvaluateInput,
  type ExplainInput,
  type ListInput,
  type MissingInput,
} from './tools.ts';
import { requireTrust } from '../shared/untrusted.ts';

/** A validated tool call. */
type Asked =
  | { readonly tool: 'evaluate_retrieval'; readonly input: EvaluateInput }
  | { readonly tool: 'list_retrieval_sites'; readonly input: ListInput }
  | { readonly tool: 'explain_lost_perspectives'; readonly input: ExplainInput }
  | { readonly tool: 'explain_missing'; readonly input: MissingInput };

export class AgentTools {
  readonly #host: AgentHost;

  constructor(host: AgentHost) {
    this.#host = host;
  }

  /**
   * @returns JSON
   * @throws ParallaxError `bad-argument` for input of the wrong shape, `untrusted`; what is missing for it, what the
   *   engine says, `cancelled`
   */
  async call(tool: string, input: unknown, work: AgentWork): Promise<string> {
    const asked = checked(tool, input);
    const workspace = await this.#trusted();
    // Listing runs nothing.
    if (asked.tool !== 'list_retrieval_sites') await this.#host.requireAgreed(workspace.config);
    switch (asked.tool) {
      case 'evaluate_retrieval': {
        const run = await planRun(asked.input, this.#host, workspace, work.signal);
        return evaluateAnswer(run, await measure(run, this.#host, workspace, work));
      }
      case 'list_retrieval_sites':
        return this.#list(asked.input, workspace, work.signal);
      case 'explain_lost_perspectives':
        return this.#explain(asked.input, workspace, work);
      case 'explain_missing': {
        const run = planQuestion(asked.input, workspace);
        return explainMissing(asked.input.document, run, this.#host, workspace, work);
      }
    }
  }

  /**
   * Estimates the cost of a call, without asking a model or the user.
   *
   * @returns nothing for a tool that runs nothing
   * @throws ParallaxError as {@link call}
   */
  async cost(tool: string, input: unknown, work: AgentWork): Promise<RunCost | undefined> {
    const asked = checked(tool, input);
    const workspace = await this.#trusted();
    if (asked.tool === 'list_retrieval_sites') return undefined;
    return runCost(await this.#planned(asked, workspace, work.signal), this.#host, workspace, work);
  }

  async #planned(
    asked: Exclude<Asked, { readonly tool: 'list_retrieval_sites' }>,
    workspace: AgentWorkspace,
    signal: AbortSignal | undefined,
  ): Promise<Run> {
    switch (asked.tool) {
      case 'evaluate_retrieval':
        return planRun(asked.input, this.#host, workspace, signal);
      case 'explain_lost_perspectives':
        return (await this.#explained(asked.input, workspace, signal)).run;
      case 'explain_missing':
        return planQuestion(asked.input, workspace);
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
    const supporters = await findSupporters(measured.comparison, this.#host, work);
    return explainAnswer(run, tried, measured, supporters);
  }

  /** The pipeline that is to be explained, with what could be changed about it. */
  async #explained(
    { query, perspectives, pipeline, ...wanted }: ExplainInput,
    workspace: AgentWorkspace,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly run: Run; readonly tried: readonly WhatIf[] }> {
    if (query === undefined && perspectives)
      throw new ParallaxError('bad-argument', l10n.t('Perspectives belong to a query: give the query, too.'));
    const queries = query === undefined ? {} : { queries: [{ text: query, perspectives }] };
    const pipelines = pipeline === undefined ? {} : { pipelines: [pipeline] };
    if (pipeline !== undefined && wanted.site)
      throw new ParallaxError('bad-argument', l10n.t('Give either pipeline or site, not both.'));
    const run = await planRun({ ...wanted, ...queries, ...pipelines }, this.#host, workspace, signal);
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
      l10n.t`There is no tool "${tool}"; known are ${AGENT_TOOL_NAMES.join(', ')}.`,
    );
  const parsed = AGENT_TOOLS[name].input.safeParse(input);
  if (!parsed.success)
    throw new ParallaxError('bad-argument', l10n.t`${name}: ${describeIssue(parsed.error, input)}`);
  return { tool: name, input: parsed.data } as { [N in AgentToolName]: Asked & { tool: N } }[AgentToolName];
}
