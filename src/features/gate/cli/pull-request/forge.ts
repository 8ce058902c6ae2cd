/** The comment API of a pull request, described by the runner of a job. */

/** A comment that may have been written by the gate. */
export interface KeptComment {
  readonly id: number;
  readonly body: string;
  /** Whether it was written by the token's own user, a program, or a member of the repository. */
  readonly trusted: boolean;
}

export interface Forge {
  readonly name: 'GitHub' | 'GitLab';
  /** The permission that the token needs, as a sentence. */
  readonly permission: string;
  /** Sent with every request; never shown. */
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the user of the token. `undefined` if tokens of jobs may not ask. */
  readonly userUrl?: string;
  /** Without the page number. */
  readonly commentsUrl: string;
  commentUrl(id: number): string;
  readonly updateMethod: 'PATCH' | 'PUT';
  /**
   * @param user the response of `userUrl`
   * @throws Error for anything but a page of comments
   */
  readPage(json: unknown, user: unknown): readonly KeptComment[];
  /** @param file relative to the working directory */
  linkTo(file: string, line: number): string | undefined;
}

/** Why there is no comment to write, as a sentence. */
export interface NoForge {
  readonly reason: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;
