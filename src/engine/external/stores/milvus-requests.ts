/** Requests to Milvus, and the parts that all of its answers have. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { MilvusRetriever } from '../../../core/external/stores/milvus.ts';
import { HttpStatusError, type JsonHttp } from './json-http.ts';
import type { StoreCalls } from './store-calls.ts';

/** Errors come with status 200 and a code. The first releases use 200 for success, later ones 0. */
const answerForm = z.object({
  code: z.number(),
  message: z.string().nullish(),
  data: z.unknown().optional(),
});
const WELL: readonly number[] = [0, 200];
const ABSENT = 100;
const REFUSED = 1800;
/** Starting, unavailable, two kinds of too many requests, loading, and the limiter of the HTTP interface. */
const PASSING: readonly number[] = [1, 2, 4, 8, 103, 1807];
const TOO_MANY = 429;

interface MilvusReach {
  readonly spec: MilvusRetriever;
  readonly calls: StoreCalls;
  readonly client: JsonHttp;
}

/**
 * @returns the data of the answer
 * @throws HttpStatusError, also for temporary errors, and ParallaxError for errors with status 200
 */
export async function askMilvus(
  { spec, calls, client }: MilvusReach,
  path: string,
  request: object,
  end: AbortSignal,
): Promise<unknown> {
  const { database, collection } = spec;
  const body = { dbName: database, collectionName: collection, ...request };
  const { code, message, data } = calls.checked(answerForm, await client.request(path, body, end));
  if (WELL.includes(code)) return data;
  const reason = `${code}: ${(message ?? '').replace(/\.$/u, '')}`;
  if (PASSING.includes(code)) throw new HttpStatusError(TOO_MANY, reason);
  if (code === ABSENT)
    throw calls.failure(
      l10n.t`${calls.name} has no collection "${collection}" in the database "${database}" (${reason}).`,
    );
  if (code === REFUSED)
    throw calls.failure(l10n.t`${calls.name} refuses access (${reason}); check the stored key.`);
  throw calls.failure(l10n.t`${calls.name} refuses (${reason}).`);
}
