/**
 * External retrievers in a pipeline: a command, an HTTP endpoint, a store (stores.ts), or a file of retrieved passages.
 * None is run or contacted before the workspace is trusted.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';
import type { AboutRecord } from './about-record.ts';
import { withoutUser } from './endpoint-url.ts';
import { connections } from './store-fields.ts';
import { storeRetrieverSchemas } from './stores.ts';
import { timeoutMs } from './timeout.ts';

const inherit = z
  .array(z.string().min(1))
  .default([])
  .describe(
    'Names of secrets that the program gets from the environment, for instance `OPENAI_API_KEY`. Without it, a program gets neither variables that end in `_API_KEY` nor tokens of a job such as `GITHUB_TOKEN`.',
  );

/** Exchanges JSON lines: `{"id","query","k"}` in, `{"id","results":[{"id","text","score"}]}` out. */
export const commandRetrieverSchema = z.strictObject({
  type: z.literal('command'),
  /** Program and arguments. Runs without a shell: nothing is split, expanded or interpreted. */
  command: z.array(z.string().min(1)).min(1),
  /** Relative to parallax.json. */
  cwd: z.string().min(1).optional(),
  /** Added to the environment. */
  env: z.record(z.string(), z.string()).default({}),
  inherit,
  timeoutMs,
});

export const httpRetrieverSchema = z.strictObject({
  type: z.literal('http'),
  /** `{query}` and `{k}` are replaced, percent-encoded. */
  url: z
    .string()
    .regex(/^https?:\/\//i, { error: () => l10n.t('has to begin with http:// or https://') })
    .refine(...withoutUser),
  method: z.enum(['GET', 'POST']).default('POST'),
  headers: z.record(z.string(), z.string()).default({}),
  /** Name of a stored API key, sent as a bearer token; command line: `<NAME>_API_KEY`. */
  key: z.string().min(1).optional(),
  /** JSON. `{query}` and `{k}` in its strings are replaced, and a string that is only `{k}` becomes a number. */
  body: z.json().default({ query: '{query}', k: '{k}' }),
  /** Path of the result list in the answer, e.g. `hits.hits`. Empty for the answer itself. */
  results: z.string().default('results'),
  /** Paths of a result's id, text and score, e.g. `_source.text`. */
  id: z.string().default('id'),
  text: z.string().default('text'),
  score: z.string().default('score'),
  connections,
  timeoutMs,
});

export const runRetrieverSchema = z.strictObject({
  type: z.literal('run'),
  /** A TREC run, or JSONL with `id` or `query`, and `results`. Relative to parallax.json. */
  file: z.string().min(1),
  per: z
    .enum(['run', 'search'])
    .optional()
    .describe(
      'Of a question that an agent answered by several searches: `run`, the default, for what all of them found, or `search` for its own search alone.',
    ),
  program: z
    .strictObject({
      at: z
        .string()
        .min(1)
        .describe(
          'The call that is measured: `app/rag.py:46`, or by a name, which stays when lines move: `app/rag.py:answer`, of the function around it or of what is called.',
        ),
      command: z
        .array(z.string().min(1))
        .min(1)
        .describe('Program and arguments, run in the folder of parallax.json. There is no shell.'),
      inherit,
      unit: z.string().min(1).optional().describe('The function that is asked instead of the call.'),
      timeoutMs,
      endAfterMs: z
        .number()
        .int()
        .min(1000)
        .max(86_400_000)
        .optional()
        .describe(
          'How long the program may neither end nor answer a question, in milliseconds, before it is ended. The default is 600000, or twice `timeoutMs` if that is more.',
        ),
    })
    .optional()
    .describe(
      'A program that comes to a call that retrieves. `parallax gate` runs it, asks the call every question, and writes the answers to `file` before it reads them.',
    ),
});

/** For unions with other retrievers. */
export const externalRetrieverSchemas = [
  commandRetrieverSchema,
  httpRetrieverSchema,
  runRetrieverSchema,
  ...storeRetrieverSchemas,
] as const;
export const externalRetrieverSchema = z.discriminatedUnion('type', externalRetrieverSchemas);
export type CommandRetriever = Read<typeof commandRetrieverSchema>;
export type HttpRetriever = Read<typeof httpRetrieverSchema>;
export type RunRetriever = Read<typeof runRetrieverSchema>;
export type ProgramOfRun = NonNullable<RunRetriever['program']>;
export type ExternalRetrieverSpec = Read<typeof externalRetrieverSchema>;

/** One passage from a foreign retriever, with an id, a text, or both. */
export interface ExternalResult {
  readonly id?: string | undefined;
  readonly text?: string | undefined;
  readonly score: number;
  /** The store's id of the record, to fetch its vector. */
  readonly key?: string | undefined;
  /** The source that the store gives. */
  readonly about?: AboutRecord | undefined;
}
