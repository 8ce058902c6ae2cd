import type { ParallaxConfig } from '../../shared/config.ts';
import type { EvalQuery } from '../../shared/eval-query.ts';

/** The workspace as features see it. */
export interface WorkspaceState {
  readonly open: boolean;
  readonly config: ParallaxConfig;
  readonly evalQueries: readonly EvalQuery[];
  /** Why `parallax.json` cannot be used, as a sentence; the defaults hold meanwhile. */
  readonly configProblem?: string | undefined;
}
