/**
 * Interfaces of the two panels in which other features show something. The panels are features themselves, and features
 * do not import each other.
 */
import type { Query, Verdict } from '../../core/model.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type { Params } from '../../shared/rpc.ts';

/** The side panel. */
export interface QuestionPanel {
  /** The name of the corpus in view. */
  readonly corpus: string;
  /** Questions with known perspectives, including the one in view, with corpus and judge. */
  readonly asked: { readonly corpus: string; readonly judge: string; readonly queries: readonly Query[] };
  /** The top k in view as a request to the chosen judge. `undefined` if there is no answer to judge. */
  readonly judgingTask: Params<'judge'> | undefined;
  /** Learns whether the corpus is indexed. Asks the engine only once. */
  ensureStatus(): Promise<void>;
  /** Labels were changed elsewhere, so they are read again. */
  labelsChanged(): Promise<void>;
  /** A corpus was indexed elsewhere. */
  indexed(corpus: string): Promise<void>;
  /** Reveals the panel and asks a question. */
  show(question: string): Promise<void>;
  /**
   * Does the same, and explains why a document is not among the passages. Without a document the user is asked to type
   * its name.
   */
  showMissing(question: string, document: string | undefined): Promise<void>;
  /** Adds questions with their perspectives to an eval set that the user chooses. */
  addToEvalSet(queries: readonly Pick<Query, 'text' | 'perspectives'>[]): Promise<void>;
  /** Reveals the panel with a question and the passages that a program returned for it, as a pipeline. */
  showCaptured(question: string, pipeline: Pipeline): Promise<void>;
  /** Reveals the panel with a query of a corpus under a pipeline. */
  inspect(corpus: string, query: string, pipeline: Pipeline): Promise<void>;
}

/** The answer in the side panel, with what a map of it needs. */
export interface MappedAnswer extends Omit<Params<'passageMap'>, 'others' | 'sample'> {
  /**
   * For each passage id, the positions of the perspectives that it supports. A passage without judgements has no entry.
   */
  readonly supports: Readonly<Record<string, number[]>>;
}

/** The side panel as the map uses it. */
export interface MappedPanel {
  /** `undefined` before the first question. */
  readonly mapped: MappedAnswer | undefined;
  /** The pipelines to choose from. */
  readonly pipelines: readonly { readonly name: string; readonly pipeline: Pipeline }[];
  /** Opens a passage of the corpus in view with its evidence. */
  open(passageId: string): Promise<void>;
  /** `supports` of any passages, candidates or not. */
  supportsOf(slots: readonly number[]): Promise<MappedAnswer['supports']>;
  /** Stores the user's verdict on a passage of the corpus. `perspective` is its position. */
  label(slot: number, perspective: number, verdict: Verdict): Promise<void>;
  /** Adds a perspective to the question. */
  addPerspective(text: string): Promise<void>;
  /** Calls back when the view shows something else or more is known about it. */
  onDidAnswer(listener: () => void): void;
}

export interface ComparisonPanel {
  /** Id of the comparison in view. `undefined` if there is none. */
  readonly shown: string | undefined;
  /** A corpus was indexed elsewhere. Both panels may show it as not indexed. */
  indexed(corpus: string): Promise<void>;
  /** Reveals the panel with a stored comparison. */
  showKept(id: string): Promise<void>;
}
