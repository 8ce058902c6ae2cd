import type { ParallaxConfig } from '../../shared/config.ts';
import type { EvalQuery } from '../../shared/eval-query.ts';

export interface WorkspaceState {
  readonly open: boolean;
  readonly config: ParallaxConfig;
  readonly evalQueries: readonly EvalQuery[];
  /** Why `parallax.json` cannot be used, as a sentence; the defaults apply until it can be. */
  readonly configProblem?: string | undefined;
}
