/** Where the comments of a pull request are kept, as the runner of a job tells. */

/** A comment that may be the gate's own. */
export interface KeptComment {
  readonly id: number;
  readonly body: string;
  /** Not of whoever passes by: of the token's own user, or else of a program or somebody who belongs to the repository. */
  readonly trusted: boolean;
}

export interface Forge {
  readonly name: 'GitHub' | 'GitLab';
  /** Needed by the token, as a sentence. */
  readonly permission: string;
  /** Sent with every request; never shown. */
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Says whose the token is; absent where tokens of jobs may not ask. */
  readonly userUrl?: string;
  /** Without the page. */
  readonly commentsUrl: string;
  commentUrl(id: number): string;
  readonly updateMethod: 'PATCH' | 'PUT';
  /**
   * @param user what `userUrl` answered
   * @throws Error for anything else than a page of comments
   */
  readPage(json: unknown, user: unknown): readonly KeptComment[];
  /** @param file relative to the working directory */
  linkTo(file: string, line: number): string | undefined;
}

/** Why there is no comment to write: a sentence. */
export interface NoForge {
  readonly reason: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;
