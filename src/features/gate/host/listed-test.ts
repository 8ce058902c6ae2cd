export interface TestOutcome {
  readonly outcome: 'passed' | 'failed' | 'undecided' | 'errored' | 'skipped';
  readonly messages: readonly string[];
  /** The expected side of a failed query's difference. */
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
}

/** An item of the Testing view with its latest result. */
export interface ListedTest extends Partial<TestOutcome> {
  readonly id: string;
  /** Text after the item's name: after a run, the coverage and the judged share. */
  readonly description?: string | undefined;
  /** From 0. */
  readonly line?: number | undefined;
  /** Why the file contains no tests, as Markdown. */
  readonly error?: string | undefined;
}
