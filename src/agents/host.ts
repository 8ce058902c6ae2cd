/** The host that the tools run in: the editor, or the command line. */
import type { ParallaxConfig } from '../shared/config.ts';
import type { JudgeConfig } from '../shared/judge-config.ts';
import type { EvalQuery } from '../shared/eval-query.ts';
import type { PriceTable } from '../shared/requests/spending.ts';
import type { EngineMethod, Params, ProgressNote, Result } from '../shared/rpc.ts';
import type { SiteDetector } from '../sites/detector.ts';
import type { CallSite } from '../sites/model.ts';
import type { LibraryRules } from '../core/call-sites/schema.ts';
import type { CallBudget } from './call-budget.ts';
import type { Program } from './programs.ts';
import type { Neighbours } from '../sites/workspace/neighbours.ts';

export interface AgentWorkspace {
  readonly config: ParallaxConfig;
  readonly evalQueries: readonly EvalQuery[];
  readonly trusted: boolean;
  /** The judge whose word counts beside human labels. */
  readonly judge: string;
  /** All that there are, those included that need no entry in `parallax.json`. */
  readonly judges: Readonly<Record<string, JudgeConfig>>;
  readonly prices: PriceTable;
  readonly rules: readonly LibraryRules[];
  /** Whether there is a `parallax.json`; the defaults of folders without one hold otherwise. */
  readonly configured: boolean;
}

export interface AgentWork {
  /** Under which its labels are kept. */
  readonly agent?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onNote?: ((note: ProgressNote) => void) | undefined;
}

/** Figures of a call site that are known already. */
export interface KnownFigures {
  readonly measures: Readonly<Record<string, { readonly value: number }>>;
  readonly judged: number;
  /** Nothing was retrieved for any question. */
  readonly foundNothing?: true | undefined;
  /** Something that they rest on changed since. */
  readonly stale: boolean;
}

export interface AgentHost {
  workspace(): Promise<AgentWorkspace>;
  /**
   * Sees to it that a person has agreed to what the configuration lets pipelines and models reach.
   *
   * @throws ParallaxError `untrusted`
   */
  requireAgreed(config: ParallaxConfig): Promise<void>;
  /** @throws ParallaxError as the engine does */
  request<M extends EngineMethod>(method: M, params: Params<M>, work: AgentWork): Promise<Result<M>>;
  /** Sees to it that there is an index that can be searched. */
  prepareCorpus(corpus: string, work: AgentWork): Promise<void>;
  /**
   * The programs of the workspace, or one of them.
   *
   * @param file relative to the workspace or absolute
   * @throws ParallaxError `not-found` for a file that is not there, is no program, or is not in the workspace
   */
  programs(file: string | undefined, signal: AbortSignal | undefined): AsyncIterable<Program>;
  /** Text of a file of the workspace, by its path with slashes; empty if there is none. */
  readText(file: string): Promise<string>;
  /**
   * Makes folders that are missing. The next `workspace()` has what was written.
   *
   * @throws ParallaxError `bad-file` where it cannot be written, `untrusted` where a link leads out of the workspace
   */
  writeText(file: string, text: string): Promise<void>;
  readonly detector: SiteDetector;
  /** Facts that the programs of the workspace share, so that a call says the same wherever it is listed. */
  neighbours(workspace: Pick<AgentWorkspace, 'rules'>): Neighbours;
  /** Figures known for a call, by its key (see `siteKeys`); undefined where figures are not kept. */
  figuresOf(key: string, file: string, site: CallSite): KnownFigures | undefined;
  /** The remaining budget of requests to models. */
  budget(): CallBudget;
}
