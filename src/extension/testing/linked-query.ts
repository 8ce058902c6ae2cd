/** Which query something in the Testing view is about, and under which pipeline. Knows nothing of the editor. */
import { BUILT_IN_PIPELINES, type Pipeline } from '../../core/pipeline.ts';
import { COMMANDS } from '../../shared/contributions.ts';
import type { EvalQuery } from '../../shared/eval-query.ts';
import { gateOf } from '../../shared/evaluation.ts';
import type { EvaluatedWorkspace } from './evaluator.ts';

/** What the link of a message hands to its command. */
export interface QueryLink {
  readonly evalSet: string;
  readonly query: string;
  readonly pipeline: string;
}

export interface LinkedQuery {
  readonly query: EvalQuery;
  readonly pipeline: Pipeline;
}

/** An item of the view, as far as it is needed. */
interface Item {
  readonly id: string;
  readonly parent?: { readonly id: string } | undefined;
}

const COMMAND = `command:${COMMANDS.openEvaluatedQuery}?`;

/** As the address of a Markdown link. */
export function addressOf(link: QueryLink): string {
  // A parenthesis would end the address.
  const argument = encodeURIComponent(JSON.stringify([link]));
  return `${COMMAND}${argument.replaceAll('(', '%28').replaceAll(')', '%29')}`;
}

/**
 * @param target a link of a message, an item of the view, or a message with its item, as menus hand it over
 * @returns nothing where the query or the pipeline is no longer there
 */
export function linkedQuery(
  target: unknown,
  { config, evalQueries }: EvaluatedWorkspace,
): LinkedQuery | undefined {
  const link = linkOf(target, gateOf(config).pipelines[0]!);
  if (!link) return undefined;
  const known: Readonly<Record<string, Pipeline>> = { ...BUILT_IN_PIPELINES, ...config.pipelines };
  const query = evalQueries.find(({ evalSet, id }) => evalSet === link.evalSet && id === link.query);
  const pipeline = Object.hasOwn(known, link.pipeline) ? known[link.pipeline] : undefined;
  return query && pipeline && { query, pipeline };
}

/** @param otherwise the pipeline where nothing says which */
function linkOf(target: unknown, otherwise: string): QueryLink | undefined {
  if (typeof target !== 'object' || target === null) return undefined;
  if (isLink(target)) return target;
  // The message knows the pipeline that failed, the item does not.
  const written = 'message' in target ? linkIn(target.message) : undefined;
  if (written) return written;
  const { id, parent } = ('test' in target ? target.test : target) as Item;
  return parent && { evalSet: parent.id, query: id, pipeline: otherwise };
}

function linkIn(message: unknown): QueryLink | undefined {
  const text = (message as { readonly message?: { readonly value?: unknown } | undefined }).message?.value;
  if (typeof text !== 'string') return undefined;
  const at = text.lastIndexOf(COMMAND);
  if (at < 0) return undefined;
  const [argument] = text.slice(at + COMMAND.length).split(')');
  const [link] = JSON.parse(decodeURIComponent(argument!)) as unknown[];
  return isLink(link) ? link : undefined;
}

function isLink(target: unknown): target is QueryLink {
  return (
    typeof target === 'object' &&
    target !== null &&
    'evalSet' in target &&
    'query' in target &&
    'pipeline' in target
  );
}
