/**
 * The two panels in which other features show something, as interfaces: the panels are features themselves, and
 * features do not import each other.
 */
import type { Query, Verdict } from '../../core/model.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type { MapChoice } from '../../shared/passage-map.ts';
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
  /** The same, with why a document is not among the passages; without one its name is to be typed. */
  showMissing(question: string, document: string | undefined): Promise<void>;
  /** Brings the panel into sight, with a query of a corpus under a pipeline. */
  inspect(corpus: string, query: string, pipeline: Pipeline): Promise<void>;
}

/** The answer in the side panel, as a map of it is drawn. */
export interface MappedAnswer extends Omit<Params<'passageMap'>, 'others' | keyof MapChoice> {
  /** By the id of a passage: the places of the perspectives that it supports; absent where nobody judged it. */
  readonly supports: Readonly<Record<string, number[]>>;
}

/** The side panel to the map. */
export interface MappedPanel {
  /** Nothing while nothing was asked. */
  readonly mapped: MappedAnswer | undefined;
  /** Those to choose from. */
  readonly pipelines: readonly { readonly name: string; readonly pipeline: Pipeline }[];
  /** Opens a passage of the corpus in view, with its evidence. */
  open(passageId: string): Promise<void>;
  /** The same of other passages, be they candidates or not. */
  supportsOf(slots: readonly number[]): Promise<MappedAnswer['supports']>;
  /** The user's own verdict on a passage of the corpus; the perspective by its place. */
  label(slot: number, perspective: number, verdict: Verdict): Promise<void>;
  /** Adds a perspective to the question. */
  addPerspective(text: string): Promise<void>;
  /** Calls back when something else is in view, or more is known of it. */
  onDidAnswer(listener: () => void): void;
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
