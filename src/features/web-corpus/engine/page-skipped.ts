import type { WebSkipReason } from '../core/snapshot.ts';

/** Thrown for a page that is skipped. The message is a sentence about "it", the page. */
export class PageSkipped extends Error {
  override readonly name = 'PageSkipped';
  readonly reason: WebSkipReason;
  /** Whether it may be available next time. */
  readonly passing: boolean;
  /** The existing page with the same content. */
  readonly twin: string | undefined;

  constructor(
    reason: WebSkipReason,
    message: string,
    {
      passing = false,
      twin,
      cause,
    }: { readonly passing?: boolean; readonly twin?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.reason = reason;
    this.passing = passing;
    this.twin = twin;
  }
}
