/**
 * The two panels in which other features show something, as interfaces: the panels are features themselves, and
 * features do not import each other.
 */
import type { Query } from '../../core/model.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type { Params } from '../../shared/rpc.ts';

/** The side panel. */
export interface QuestionPanel {
  /** The name of the corpus in view. */
  readonly corpus: string;
  /** Questions that perspectives are known of, the one in view among them, with corpus and judge. */
  readonly asked: { readonly corpus: string; readonly judge: string; readonly queries: readonly Query[] };
  /** The top k in view as a question to the chosen judge; nothing without an answer to judge. */
  readonly judgingTask: Params<'judge'> | undefined;
  /** Knows whether the corpus is indexed, without asking twice. */
  ensureStatus(): Promise<void>;
  /** People labelled elsewhere: what they say is read again. */
  labelsChanged(): Promise<void>;
  /** A corpus was indexed elsewhere. */
  indexed(corpus: string): Promise<void>;
  /** Brings the panel into sight, with a question. */
  show(question: string): Promise<void>;
  /** Brings the panel into sight, with a query of a corpus under a pipeline. */
  inspect(corpus: string, query: string, pipeline: Pipeline): Promise<void>;
}

/** The compare panel. */
export interface ComparisonPanel {
  /** Id of the comparison in view; nothing while there is none. */
  readonly shown: string | undefined;
  /** A corpus was indexed elsewhere: both panels may be showing it as not indexed. */
  indexed(corpus: string): Promise<void>;
  /** Brings the panel into sight, with a comparison that was kept. */
  showKept(id: string): Promise<void>;
}
