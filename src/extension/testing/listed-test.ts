export interface TestOutcome {
  readonly outcome: 'passed' | 'failed' | 'undecided' | 'errored' | 'skipped';
  readonly messages: readonly string[];
  /** The expected side of a failed query's difference. */
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
}

/** An item of the Testing view, and what came of it last. */
export interface ListedTest extends Partial<TestOutcome> {
  readonly id: string;
  /** Beside the item's name: after a run, what is covered and how much was judged. */
  readonly description?: string | undefined;
  /** From 0. */
  readonly line?: number | undefined;
  /** Why nothing of the file is a test, as Markdown. */
  readonly error?: string | undefined;
}
