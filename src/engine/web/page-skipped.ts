import type { WebSkipReason } from '../../core/web/snapshot.ts';

/** Thrown for a page that is not taken; the message is a sentence about "it", the page. */
export class PageSkipped extends Error {
  override readonly name = 'PageSkipped';
  readonly reason: WebSkipReason;
  /** It may be there the next time. */
  readonly passing: boolean;

  constructor(
    reason: WebSkipReason,
    message: string,
    { passing = false, cause }: { readonly passing?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.reason = reason;
    this.passing = passing;
  }
}
