/** Checks for arguments that a library accepts but ignores. */
import * as l10n from '@vscode/l10n';
import type { Composed } from '../match/compose.ts';
import { callContextOf } from '../match/fields.ts';
import type { SiteProblem } from '../model.ts';
import { firstReached, holds } from '../resolve/parameters.ts';
import type { Program } from '../resolve/program.ts';
import type { Argument, Entry } from '../syntax/expression.ts';
import { insertedBefore, replaced, without } from './edits.ts';
import { storeOf } from './langchain-stores.ts';

type Named = Extract<Argument, { kind: 'named' }>;

/** Read only from `search_kwargs`; the retriever's model drops unknown fields. */
const SEARCH_KWARGS = new Set(['k', 'fetch_k', 'lambda_mult', 'score_threshold', 'filter']);

/** LangChain: `as_retriever(k=10)` leaves k at 4. */
export function ignoredArguments(program: Program, site: Composed): readonly SiteProblem[] {
  const { match, call } = site;
  // Some stores have their own retriever, which accepts k directly.
  if (site.token.text !== 'as_retriever' || !storeOf(program, site)) return [];
  const ignored = namedArguments(site).filter(({ name }) => SEARCH_KWARGS.has(name));
  const fix = movedInto(program, site, ignored, 'search_kwargs', l10n.t('Move into search_kwargs'));
  return ignored.map((argument) => ({
    id: 'langchain-ignored-argument',
    message:
      argument.name === 'k'
        ? l10n.t('as_retriever ignores k: it is read from search_kwargs only, so k stays 4.')
        : l10n.t`as_retriever ignores ${argument.name}: it is read from search_kwargs only.`,
    place: program.place(argument.node),
    docs: match.rule.call.docs,
    fix: call.arguments.some(({ kind }) => kind === 'spread') ? undefined : fix,
  }));
}

/** Names for `k` in other libraries and stores. */
const NOT_K = new Set(['top_k', 'topK', 'n_results', 'num_results', 'limit', 'top_n', 'max_results', 'K']);

/** LangChain: `search_kwargs={"top_k": 10}` does not set k. */
export function unknownK(program: Program, site: Composed): readonly SiteProblem[] {
  const { match } = site;
  if (match.rule.library.library !== 'langchain' || site.token.text !== 'as_retriever') return [];
  const reached = firstReached(callContextOf(program, match), ['search_kwargs']);
  const entries = reached.state === 'found' ? pairsOf(reached.located[0]?.expression) : [];
  if (entries.some(({ key }) => key === 'k')) return [];
  return entries
    .filter(({ key }) => NOT_K.has(key))
    .map((entry) => ({
      id: 'langchain-unknown-k',
      message: l10n.t`${entry.key} does not set how many passages come back: LangChain calls it k.`,
      place: program.place(entry.token),
      docs: match.rule.call.docs ?? match.rule.library.docs,
      fix: { title: l10n.t('Rename to k'), edits: [replaced(program, entry.token, '"k"')] },
    }));
}

const VECTOR_STORE_KWARGS = new Set(['mmr_threshold', 'mmr_prefetch_factor', 'mmr_prefetch_k']);

/** LlamaIndex: only `vector_store_kwargs` reaches the vector store. */
export function ignoredLlamaIndexArguments(program: Program, site: Composed): readonly SiteProblem[] {
  const { match } = site;
  if (match.rule.library.library !== 'llama-index') return [];
  const namedArgs = namedArguments(site);
  const misplaced = namedArgs.filter(({ name }) => VECTOR_STORE_KWARGS.has(name));
  const misnamed = namedArgs.filter(({ name }) => name === 'vector_store_query_kwargs');
  const problem = (argument: Named, message: string, fix: SiteProblem['fix']): SiteProblem => ({
    id: 'llamaindex-ignored-argument',
    message,
    place: program.place(argument.node),
    docs: match.rule.library.docs,
    fix,
  });
  const moved = movedInto(
    program,
    site,
    misplaced,
    'vector_store_kwargs',
    l10n.t('Move into vector_store_kwargs'),
  );
  return [
    ...misplaced.map((argument) =>
      problem(
        argument,
        l10n.t`${argument.name} is ignored here: it is read from vector_store_kwargs only.`,
        moved,
      ),
    ),
    ...misnamed.map((argument) =>
      problem(
        argument,
        l10n.t('vector_store_query_kwargs is ignored: the argument is called vector_store_kwargs.'),
        {
          title: l10n.t('Rename to vector_store_kwargs'),
          edits: [replaced(program, argument.token, 'vector_store_kwargs')],
        },
      ),
    ),
  ];
}

function namedArguments({ call }: Composed): Named[] {
  return call.arguments.filter((argument): argument is Named => argument.kind === 'named');
}

/** Moves arguments into a dict argument, which is created if there is none. */
function movedInto(
  program: Program,
  { call }: Composed,
  moved: readonly Named[],
  dict: string,
  title: string,
): SiteProblem['fix'] {
  const [first, ...laterArguments] = moved;
  if (!first) return undefined;
  const pairs = moved.map(({ name, value }) => `"${name}": ${value.node.text}`).join(', ');
  const existing = call.arguments.find((each): each is Named => each.kind === 'named' && each.name === dict);
  if (!existing)
    return {
      title,
      edits: [replaced(program, first.node, `${dict}={${pairs}}`), ...without(program, call, laterArguments)],
    };
  if (existing.value.kind !== 'record') return undefined;
  const [entry] = existing.value.entries;
  // An existing key takes precedence; a second k would be a different mistake.
  const isDouble = existing.value.entries.some(
    (each) => each.kind === 'pair' && moved.some(({ name }) => name === each.key),
  );
  if (!entry || isDouble) return undefined;
  return {
    title,
    edits: [insertedBefore(program, entry.node, `${pairs}, `), ...without(program, call, moved)],
  };
}

const JS_SEARCH_KWARGS = new Set(['fetchK', 'lambda']);
/** The JavaScript names of the Python library's keys, and of the key in LangChain's own example. */
const JS_NAMES: ReadonlyMap<string, string> = new Map([
  ['fetch_k', 'fetchK'],
  ['lambda_mult', 'lambda'],
  ['lambdaMult', 'lambda'],
  ['alpha', 'lambda'],
]);
const JS_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['search_type', 'searchType'],
  ['search_kwargs', 'searchKwargs'],
]);

/** LangChain JS: `searchKwargs` supports only `fetchK` and `lambda`. */
export function unknownSearchKwargs(program: Program, site: Composed): readonly SiteProblem[] {
  const { match, call } = site;
  if (match.rule.library.library !== 'langchain-js' || site.token.text !== 'asRetriever') return [];
  const callContext = callContextOf(program, match);
  const isMmr = holds(callContext, { path: 'searchType', is: ['mmr'] }) !== false;
  const reached = firstReached(callContext, ['searchKwargs']);
  const kwargs = reached.state === 'found' ? reached.located[0]?.expression : undefined;
  const options = call.arguments[0]?.value;
  const problems: SiteProblem[] = [];
  for (const entry of pairsOf(kwargs)) {
    // With MMR the object is spread into the options of the search, including k and filter.
    if (JS_SEARCH_KWARGS.has(entry.key) || (isMmr && /^(?:k|filter)$/u.test(entry.key))) continue;
    problems.push(unread(program, site, entry, JS_NAMES.get(entry.key), 'searchKwargs'));
  }
  for (const entry of pairsOf(options))
    if (JS_OPTIONS.has(entry.key))
      problems.push(unread(program, site, entry, JS_OPTIONS.get(entry.key), 'asRetriever'));
  return problems;
}

type Pair = Extract<Entry, { kind: 'pair' }>;

function pairsOf(expression: Pair['value'] | undefined): Pair[] {
  return expression?.kind === 'record'
    ? expression.entries.filter((entry): entry is Pair => entry.kind === 'pair')
    : [];
}

function unread(
  program: Program,
  site: Composed,
  entry: Pair,
  meant: string | undefined,
  by: string,
): SiteProblem {
  const isShorthand = entry.token.id === entry.node.id;
  return {
    id: 'langchainjs-unknown-search-kwarg',
    message:
      meant === undefined
        ? l10n.t`${entry.key} is not read by ${by}, which takes fetchK and lambda.`
        : l10n.t`${entry.key} is not read by ${by}; it is called ${meant}.`,
    place: program.place(entry.token),
    docs: site.match.rule.call.docs,
    fix:
      meant === undefined
        ? undefined
        : {
            title: l10n.t`Rename to ${meant}`,
            edits: [replaced(program, entry.token, isShorthand ? `${meant}: ${entry.key}` : meant)],
          },
  };
}
