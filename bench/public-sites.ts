/**
 * Calls that retrieve in public code: recall, precision and k over calls annotated by reading, for each library, with
 * applications separate from the rest. The list has facts only (repository, commit, path, line, library, k); the files
 * of these commits come from a folder with one sub-folder `owner+name` for each repository.
 *
 *   npm run bench -- public-sites --repos <folder> [--truth test/fixtures/public-call-sites.jsonl] [--list]
 *
 * Imported files of the same repository are read, as in the editor; `--alone` ignores them. With `--list`, every call
 * that was missed, wrongly found, or found with another k is printed first.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { createSiteDetector } from '../src/sites/detector.ts';
import type { CallSite } from '../src/sites/model.ts';
import { languageIdOf } from '../src/sites/syntax/language.ts';
import { detectAmong } from '../src/sites/workspace/detect-among.ts';
import { Neighbours } from '../src/sites/workspace/neighbours.ts';
import { wasm } from '../test/unit/sites/wasm-files.ts';
import { milliseconds, percentiles, table } from './support/report.ts';

const { values } = parseArgs({
  options: {
    repos: { type: 'string' },
    truth: { type: 'string', default: 'test/fixtures/public-call-sites.jsonl' },
    list: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
  },
});
const repos = values.repos;
if (repos === undefined) {
  process.stderr.write('Where are the repositories? --repos <folder with owner+name/…>\n');
  process.exit(2);
}

const factSchema = z.object({
  repo: z.string(),
  path: z.string(),
  /** Counted from 0 over all cells. */
  cell: z.number().nullish(),
  /** Counted from 1 within the cell. */
  line: z.number(),
  lineEnd: z.number().optional(),
  library: z.string().nullish(),
  k: z.union([z.number(), z.literal('open')]).nullish(),
  /** `search`, `retriever`, `rerank` and `use` must be found, `use-local` linked to its retriever. */
  kind: z.enum(['search', 'retriever', 'rerank', 'use', 'use-local', 'uncovered', 'lookup', 'lookalike']),
});
type Fact = z.output<typeof factSchema>;

const WANTED: ReadonlySet<Fact['kind']> = new Set(['search', 'retriever', 'rerank', 'use']);

const APPLICATIONS: ReadonlySet<string> = new Set([
  'Azure-Samples/rag-postgres-openai-python',
  'Cinnamon/kotaemon',
  'Mintplex-Labs/anything-llm',
  'PromtEngineer/localGPT',
  'QuivrHQ/quivr',
  'SciPhi-AI/R2R',
  'Shaunwei/RealChar',
  'Shubhamsaboo/awesome-llm-apps',
  'TransformerOptimus/SuperAGI',
  'a16z-infra/companion-app',
  'arc53/DocsGPT',
  'aws-samples/rag-with-amazon-bedrock-and-pgvector',
  'chatchat-space/Langchain-Chatchat',
  'continuedev/continue',
  'danny-avila/rag_api',
  'h2oai/h2ogpt',
  'infiniflow/ragflow',
  'khoj-ai/khoj',
  'mayooear/gpt4-pdf-chatbot-langchain',
  'mckaywrigley/chatbot-ui',
  'mckaywrigley/paul-graham-gpt',
  'mem0ai/mem0',
  'neo4j-labs/llm-graph-builder',
  'neuml/rag',
  'onyx-dot-app/onyx',
  'pinecone-io/canopy',
  'run-llama/create-llama',
  'run-llama/rags',
  'supabase-community/chatgpt-your-files',
  'supabase-community/nextjs-openai-doc-search',
  'vercel-labs/ai-sdk-preview-rag',
  'weaviate/Verba',
  'zilliztech/GPTCache',
  'zilliztech/deep-searcher',
  'zylon-ai/private-gpt',
]);

interface Found {
  readonly site: CallSite;
  readonly cell: number;
  readonly line: number;
  readonly uses: readonly Line[];
}

interface Line {
  readonly cell: number;
  readonly line: number;
}

interface Tally {
  calls: number;
  found: number;
  k: number;
  kRight: number;
  kOpen: number;
  kOpenRight: number;
  uses: number;
  linked: number;
}

const notebookSchema = z.object({
  cells: z.array(z.object({ cell_type: z.string(), source: z.union([z.string(), z.array(z.string())]) })),
  metadata: z.object({ kernelspec: z.object({ language: z.string().optional() }).optional() }).optional(),
});

const detector = createSiteDetector({ wasm });
const facts = readFileSync(values.truth, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => factSchema.parse(JSON.parse(line)));
const byFile = Map.groupBy(facts, (fact) => `${fact.repo}\0${fact.path}`);
const neighbours = new Map<string, Neighbours>();
const rows = new Map<string, Tally>();
const times: number[] = [];
/** Calls of a program's own functions, linked to the retrievals in them. */
let wrappers = 0;
let [missing, sites, unlisted, lookups, lookupsTaken, alike, alikeTaken] = [0, 0, 0, 0, 0, 0, 0];

for (const [name, listed] of byFile) {
  const [repo = '', file = ''] = name.split('\0');
  const where = path.join(repos, repo.replace('/', '+'), file);
  if (!existsSync(where)) {
    missing++;
    continue;
  }
  const { found, wrapped } = await detectFile(repo, file, where);
  wrappers += wrapped.length;
  score(repo, listed, found, wrapped);
}
print();

async function detectFile(
  repo: string,
  file: string,
  where: string,
): Promise<{ readonly found: readonly Found[]; readonly wrapped: readonly Line[] }> {
  const cells = cellsOf(where);
  const [{ text, languageId } = { text: '', languageId: '' }] = cells;
  const others = values.alone ? undefined : await neighboursOf(repo).around(file, text, languageId);
  const began = performance.now();
  const detection = where.endsWith('.ipynb')
    ? await detector.detectNotebook(cells)
    : await detector.detect(text, languageId, { otherFiles: others });
  times.push(performance.now() - began);
  // Decisions of callers in other files arrive later, as in the editor.
  const isAsked = detection.questions.length > 0 && !values.alone;
  const found = isAsked
    ? await detectAmong(detector, neighboursOf(repo), { file, text, languageId })
    : detection;
  const at = ({ cell, start }: CallSite['range']): { cell: number; line: number } => ({
    cell,
    line: (cells[cell]?.text ?? '').slice(0, start).split('\n').length,
  });
  const wrapped = found.links.map(({ range }) => at(range));
  return {
    found: found.sites.map((site) => ({ site, ...at(site.range), uses: site.uses.map(at) })),
    wrapped: [...new Map(wrapped.map((each) => [`${each.cell}:${each.line}`, each])).values()],
  };
}

function neighboursOf(repo: string): Neighbours {
  let known = neighbours.get(repo);
  if (!known) {
    const folder = path.join(repos ?? '', repo.replace('/', '+'));
    const files = new Set(
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((each) => languageIdOf(each)),
    );
    known = new Neighbours({
      files: () => Promise.resolve(files),
      read: (file) => readFile(path.join(folder, file), 'utf8').catch(() => undefined),
      exports: (text, languageId) => detector.exports(text, languageId),
      callers: (...asked) => detector.callers(...asked),
    });
    neighbours.set(repo, known);
  }
  return known;
}

function cellsOf(where: string): { languageId: string; text: string }[] {
  const text = readFileSync(where, 'utf8');
  if (!where.endsWith('.ipynb')) return [{ languageId: languageIdOf(where) ?? '', text }];
  const notebook = notebookSchema.parse(JSON.parse(text));
  const language = notebook.metadata?.kernelspec?.language?.toLowerCase() ?? 'python';
  return notebook.cells.map(({ cell_type, source }) => ({
    languageId: cell_type === 'code' ? language : 'markdown',
    text: typeof source === 'string' ? source : source.join(''),
  }));
}

/** @param wrapped counts for links only: the results of a program's own function count where it retrieves */
function score(
  repo: string,
  listed: readonly Fact[],
  found: readonly Found[],
  wrapped: readonly Line[],
): void {
  sites += found.length;
  const claimed = new Set<Found>();
  for (const fact of listed) {
    const isHere = ({ cell, line }: { cell: number; line: number }): boolean =>
      cell === (fact.cell ?? 0) && line >= fact.line && line <= (fact.lineEnd ?? fact.line);
    const direct =
      found.find((each) => isHere(each) && each.site.library === fact.library) ?? found.find(isHere);
    const through = found.find(({ uses }) => uses.some(isHere));
    if (direct) claimed.add(direct);
    if (fact.kind === 'lookup') {
      lookups++;
      if (direct) lookupsTaken++;
    } else if (fact.kind === 'lookalike') {
      alike++;
      if (direct) alikeTaken++;
    }
    const isLinked = through !== undefined || direct !== undefined || wrapped.some(isHere);
    for (const row of rowsOf(repo, fact)) count(row, fact, direct ?? through, isLinked);
    if (values.list) tell(fact, direct ?? through, direct, isLinked);
  }
  unlisted += found.length - claimed.size;
  if (!values.list) return;
  for (const each of found.filter((one) => !claimed.has(one)))
    say('not listed', repo, listed[0]?.path ?? '', each.cell, each.line, each.site);
}

function tell(fact: Fact, found: Found | undefined, direct: Found | undefined, isLinked: boolean): void {
  const { repo, path: file, line, k, kind } = fact;
  const at = [repo, file, fact.cell ?? 0, line] as const;
  if (WANTED.has(kind) && !found) say(`missed (${kind}, ${fact.library ?? '?'})`, ...at, undefined);
  if (kind === 'use-local' && !isLinked) say('not linked', ...at, undefined);
  if (/^look/u.test(kind) && direct) say(`taken, a ${kind}`, ...at, direct.site);
  if (!WANTED.has(kind) || !found || k === null || k === undefined) return;
  const stated = found.site.k.value;
  if (stated !== (k === 'open' ? undefined : k)) say(`k is ${k}`, ...at, found.site);
}

function say(what: string, repo: string, file: string, cell: number, line: number, site?: CallSite): void {
  const k = site && (site.k.provenance === 'unknown' ? `k open: ${site.k.why}` : `k = ${site.k.value}`);
  process.stdout.write(
    `${[what, `${repo} ${file}`, `cell ${cell}, line ${line}`, site?.library, site?.callee, k].filter(Boolean).join(' | ')}\n`,
  );
}

function rowsOf(repo: string, { library }: Fact): Tally[] {
  const group = APPLICATIONS.has(repo) ? 'all applications' : 'all others';
  return [library ?? '', group, 'all'].map((name) => {
    const row = rows.get(name) ?? {
      calls: 0,
      found: 0,
      k: 0,
      kRight: 0,
      kOpen: 0,
      kOpenRight: 0,
      uses: 0,
      linked: 0,
    };
    rows.set(name, row);
    return row;
  });
}

function count(row: Tally, { kind, k }: Fact, found: Found | undefined, isLinked: boolean): void {
  if (kind === 'use-local') {
    row.uses++;
    if (isLinked) row.linked++;
  }
  if (!WANTED.has(kind)) return;
  row.calls++;
  if (!found) return;
  row.found++;
  const stated = found.site.k.value;
  if (k === 'open') {
    row.kOpen++;
    if (stated === undefined) row.kOpenRight++;
  } else if (typeof k === 'number' && stated !== undefined) {
    row.k++;
    if (stated === k) row.kRight++;
  }
}

function print(): void {
  const shown = [...rows]
    .filter(([name, { calls }]) => name !== '' && calls > 0)
    .toSorted(([a], [b]) => order(a, b));
  const text = table(
    ['library', 'calls', 'found', 'recall', 'k stated', 'right', 'k open', 'left open', 'uses', 'linked'],
    shown.map(([name, row]) => [
      name,
      ...[row.calls, row.found, `${((100 * row.found) / row.calls).toFixed(1)}%`].map(String),
      ...[row.k, row.kRight, row.kOpen, row.kOpenRight, row.uses, row.linked].map(String),
    ]),
  );
  const { p50, p99 } = percentiles(times);
  process.stdout.write(
    `${text}\n\n${byFile.size} files, of which ${missing} are not there. ${sites} calls were found in them, ${unlisted} of which are not listed; ` +
      `look-alikes taken: ${alikeTaken} of ${alike}; look-ups by id or filter taken: ${lookupsTaken} of ${lookups}. ` +
      `On ${wrappers} lines functions of the program itself are linked to what they retrieve.\n` +
      `${milliseconds(p50)} ms a file (median), ${milliseconds(p99)} ms (p99), ${milliseconds(Math.max(...times))} ms at most.\n`,
  );
}

/** Libraries first, sums last. */
function order(a: string, b: string): number {
  return Number(a.startsWith('all')) - Number(b.startsWith('all')) || a.localeCompare(b);
}
