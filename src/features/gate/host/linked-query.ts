/** Resolves the query and pipeline of an element in the Testing view. Independent of the editor. */
import * as z from 'zod';
import { BUILT_IN_PIPELINES, type Pipeline } from '../../../core/pipeline.ts';
import type { Read } from '../../../core/read.ts';
import { COMMANDS } from '../../../shared/manifest/contributions.ts';
import type { EvalQuery } from '../../../shared/eval-query.ts';
import { gateOf } from '../../../shared/evaluation.ts';
import type { EvaluatedWorkspace } from './evaluator.ts';
import { commandLink } from '../../../extension/platform/command-link.ts';

const linkSchema = z.object({
  evalSet: z.string(),
  /** Id of the query. */
  query: z.string(),
  /** Name of the pipeline. `undefined` for the gate's first one. */
  pipeline: z.string().optional(),
});
/** A query of an eval set, as links in messages pass it to their command. */
export type QueryLink = Read<typeof linkSchema>;

export interface LinkedQuery {
  readonly query: EvalQuery;
  readonly pipeline: Pipeline;
}

/** The relevant part of what menus pass: an item, or a message with its item. */
const itemSchema = z.object({ id: z.string(), parent: z.object({ id: z.string() }) });
const failureSchema = z.object({
  test: z.unknown().optional(),
  message: z
    .object({ message: z.object({ value: z.string() }) })
    .optional()
    .catch(undefined),
});
/** The arguments of a command link. */
const argumentsSchema = z.tuple([linkSchema]).rest(z.unknown());

const COMMAND = `command:${COMMANDS.openEvaluatedQuery}?`;

/** The URI of a Markdown link to the query. */
export function addressOf(link: QueryLink): string {
  return commandLink(COMMANDS.openEvaluatedQuery, link);
}

/** @returns `undefined` if the query or the pipeline no longer exists */
export function linkedQuery(
  link: QueryLink,
  { config, evalQueries }: EvaluatedWorkspace,
): LinkedQuery | undefined {
  const known: Readonly<Record<string, Pipeline>> = { ...BUILT_IN_PIPELINES, ...config.pipelines };
  const query = evalQueries.find(({ evalSet, id }) => evalSet === link.evalSet && id === link.query);
  const name = link.pipeline ?? gateOf(config).pipelines[0]!;
  const pipeline = Object.hasOwn(known, name) ? known[name] : undefined;
  return query && pipeline && { query, pipeline };
}

/** @param target a link of a message, an item of the view, or a message with its item, as menus pass them */
export function queryLink(target: unknown): QueryLink | undefined {
  const link = linkSchema.safeParse(target).data;
  if (link) return link;
  const failure = failureSchema.safeParse(target).data;
  // The message names the pipeline that failed, the item does not.
  const written = failure?.message && linkIn(failure.message.message.value);
  if (written) return written;
  const item = itemSchema.safeParse(failure?.test ?? target).data;
  return item && { evalSet: item.parent.id, query: item.id };
}

function linkIn(text: string): QueryLink | undefined {
  const at = text.lastIndexOf(COMMAND);
  if (at < 0) return undefined;
  const [argument = ''] = text.slice(at + COMMAND.length).split(')');
  return argumentsSchema.safeParse(parsed(argument)).data?.[0];
}

function parsed(argument: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(argument));
  } catch {
    // Messages also contain query ids, which may look like a link.
    return undefined;
  }
}
