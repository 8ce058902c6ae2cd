/** The environment of the tools: the editor or the command line. */
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { JudgeConfig } from '../../../shared/judge-config.ts';
import type { EvalQuery } from '../../../shared/eval-query.ts';
import type { Allowance, PriceTable } from '../../../shared/requests/spending.ts';
import type { EngineMethod, Params, ProgressNote, Result } from '../../../shared/rpc.ts';
import type { SiteDetector } from '../../../sites/detector.ts';
import type { CallSite } from '../../../sites/model.ts';
import type { LibraryRules } from '../../../core/call-sites/schema.ts';
import type { CallBudget } from './call-budget.ts';
import type { Program } from './programs.ts';
import type { Neighbours } from '../../../sites/workspace/neighbours.ts';

export interface AgentWorkspace {
  readonly config: ParallaxConfig;
  readonly evalQueries: readonly EvalQuery[];
  readonly trusted: boolean;
  /** The judge whose judgements count beside human labels. */
  readonly judge: string;
  /** All judges, including those without an entry in `parallax.json`. */
  readonly judges: Readonly<Record<string, JudgeConfig>>;
  readonly prices: PriceTable;
  readonly rules: readonly LibraryRules[];
  /** Whether there is a `parallax.json`; otherwise the defaults apply. */
  readonly configured: boolean;
}

export interface AgentWork {
  /** The name under which the agent's labels are stored. */
  readonly agent?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onNote?: ((note: ProgressNote) => void) | undefined;
  /** Limits the requests to models. Defaults to no limit. */
  readonly allowance?: Allowance | undefined;
}

/** Known figures of a call site. */
export interface KnownFigures {
  readonly measures: Readonly<Record<string, { readonly value: number }>>;
  readonly judged: number;
  /** Whether nothing was retrieved for any question. */
  readonly foundNothing?: true | undefined;
  /** Whether something that they depend on has changed since. */
  readonly stale: boolean;
}

export interface AgentHost {
  /** The file of the configuration, `parallax.json` or another, relative to the workspace. */
  readonly configFile: string;
  workspace(): Promise<AgentWorkspace>;
  /**
   * Ensures that a person has agreed to what pipelines and models of the configuration can access.
   *
   * @throws ParallaxError `untrusted`
   */
  requireAgreed(config: ParallaxConfig): Promise<void>;
  /** @throws ParallaxError the engine's error */
  request<M extends EngineMethod>(method: M, params: Params<M>, work: AgentWork): Promise<Result<M>>;
  /** Ensures that there is a searchable index. */
  prepareCorpus(corpus: string, work: AgentWork): Promise<void>;
  /**
   * The programs of the workspace, or one of them.
   *
   * @param file relative to the workspace or absolute
   * @throws ParallaxError `not-found` for a file that does not exist, is no program, or is not in the workspace
   */
  programs(file: string | undefined, signal: AbortSignal | undefined): AsyncIterable<Program>;
  /** Text of a workspace file, by its path with slashes. Empty if it does not exist. */
  readText(file: string): Promise<string>;
  /**
   * Writes a file, and creates missing folders. The next `workspace()` includes it.
   *
   * @throws ParallaxError `bad-file` if it cannot be written, `untrusted` if a link leads out of the workspace
   */
  writeText(file: string, text: string): Promise<void>;
  readonly detector: SiteDetector;
  /** Facts shared by the programs of the workspace, so that a call is described the same wherever it is listed. */
  neighbours(workspace: Pick<AgentWorkspace, 'rules'>): Neighbours;
  /** Known figures of a call, by its key (see `siteKeys`). `undefined` if figures are not stored. */
  figuresOf(key: string, file: string, site: CallSite): KnownFigures | undefined;
  /** The remaining budget of requests to models. */
  budget(): CallBudget;
}
