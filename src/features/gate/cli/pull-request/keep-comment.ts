/** Creates or updates one comment of a pull request, through the common channel for outgoing requests. */
import { messageOf } from '../../../../core/errors.ts';
import { outgoingFetch, refusalIn } from '../../../../engine/network/outgoing.ts';
import { withoutSecret } from '../../../../engine/without-secret.ts';
import type { Forge, KeptComment } from './forge.ts';

const MAX_BYTES = 32 * 2 ** 20;
const TIME_LIMIT_MS = 30_000;
const PAGE = 100;
/** The most pages of comments that are read; with more, the newest comments are ignored. */
const MAX_PAGES = 50;

/** An error response. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`it answered ${status}`);
    this.status = status;
  }
}

/**
 * Creates the comment, or updates an existing one that begins with the marker.
 *
 * @param body begins with the marker
 * @returns the result as a sentence; never contains the token
 */
export async function keepComment(
  forge: Forge,
  body: string,
  marker: string,
): Promise<{ readonly written: boolean; readonly sentence: string }> {
  try {
    const comment = await findOwn(forge, marker);
    if (comment?.body.trim() === body.trim())
      return { written: true, sentence: `The comment says the same already.` };
    await (comment
      ? send(forge, forge.commentUrl(comment.id), { method: forge.updateMethod, body })
      : send(forge, forge.commentsUrl, { method: 'POST', body }));
    return {
      written: true,
      sentence: comment ? 'The comment was brought up to date.' : 'A comment was written.',
    };
  } catch (error) {
    return { written: false, sentence: withoutSecret(whyNot(forge, error), forge.token) };
  }
}

async function findOwn(forge: Forge, marker: string): Promise<KeptComment | undefined> {
  const user = forge.userUrl === undefined ? undefined : await send(forge, forge.userUrl);
  for (let page = 1; page <= MAX_PAGES; page++) {
    const url = `${forge.commentsUrl}?per_page=${PAGE}&page=${page}`;
    const comments = forge.readPage(await send(forge, url), user);
    const comment = comments.find(({ body, trusted }) => trusted && body.startsWith(marker));
    if (comment || comments.length < PAGE) return comment;
  }
  return undefined;
}

async function send(
  { headers }: Forge,
  url: string,
  { method = 'GET', body }: { readonly method?: string; readonly body?: string } = {},
): Promise<unknown> {
  const response = await outgoingFetch({ maxBytes: MAX_BYTES })(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify({ body }) }),
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Refused(response.status);
  }
  return response.json();
}

function whyNot({ name, permission }: Forge, error: unknown): string {
  if (error instanceof Refused)
    return [401, 403, 404].includes(error.status)
      ? `${name} does not let this token write one (${error.status}). ${permission}`
      : `${name} could not take it: ${error.message}.`;
  if (error instanceof Error && error.name === 'TimeoutError')
    return `${name} did not answer within ${TIME_LIMIT_MS / 1000} s.`;
  const refusal = refusalIn(error);
  // The message names the address that was requested or redirected to.
  if (refusal) return `${name} could not be asked: ${refusal.message}`;
  if (error instanceof TypeError) return `${name} could not be reached: ${messageOf(error.cause ?? error)}.`;
  return `${name} answered with something else than comments.`;
}
