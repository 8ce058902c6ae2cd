/** `parallax web`: saves the pages that a search provider finds for queries as a corpus in a folder. */
import { counted, counts } from '../../../core/counted.ts';
import { EvalSetReading } from '../../../core/formats/queries.ts';
import { describeIssue } from '../../../core/schema-issue.ts';
import {
  DEFAULT_RESULTS,
  MAX_RESULTS,
  requestsPerQuery,
  SEARCH_PROVIDERS,
  searchSettingsSchema,
  type SearchSettings,
} from '../core/search.ts';
import { readArgumentLines } from '../../../engine/files/read-input.ts';
import type { EngineOptions } from '../../../engine/engine.ts';
import { configSchema } from '../../../shared/config.ts';
import { skippedByReason, type WebReport } from '../contract/web.ts';
import { command, type Command } from '../../../cli/commands/command.ts';
import { LocalEngine } from '../../../cli/local-engine.ts';
import { progressLine } from '../../../cli/presentation/progress.ts';
import { formatTable, required, UsageError, writeJson, type Io } from '../../../cli/presentation/terminal.ts';
import { untilInterrupted } from '../../../cli/until-interrupted.ts';

type WebOptions = NonNullable<EngineOptions['web']>;

/** `extra` lets tests replace how pages are fetched. */
export const webCommand: Command<WebOptions> = command({
  usage: `parallax web --queries <file> --provider <name> --out <folder> [--results ${DEFAULT_RESULTS}]`,
  options: {
    queries: { type: 'string', help: 'an eval set, JSONL: its questions are searched for' },
    query: { type: 'string', help: 'one question instead' },
    provider: { type: 'string', help: SEARCH_PROVIDERS.join(', ') },
    url: {
      type: 'string',
      help: 'base URL of the provider; SearXNG needs it, and has to offer JSON (search.formats)',
    },
    results: {
      type: 'string',
      default: String(DEFAULT_RESULTS),
      help: `pages wanted for each query, up to ${MAX_RESULTS} (default ${DEFAULT_RESULTS})`,
    },
    out: { type: 'string', help: 'folder of the snapshot; run it again to continue' },
    json: {
      type: 'string',
      help: 'also write the report as JSON to a file; - writes JSON, and nothing else, to standard output',
    },
  },
  notes: `Keys: SERPER_API_KEY, BRAVE_API_KEY. What a search costs is between you and the provider.
Pages are fetched over http and https only from public addresses, one at a time from each host, and only if
robots.txt allows it. The snapshot is a corpus: parallax eval --corpus <folder> --split words:100 …
With --per-query, every question has the pages that were found for it as a corpus of its own (BERDS, section 4.2).
The exit code is 1 when a query could not be searched for.
`,

  async run({ values }, io, web?: WebOptions) {
    const search = readSearch(values);
    const folder = required(values.out, 'out');
    const queries = await readQueries(values, io);
    io.stderr(
      `Up to ${queries.length * requestsPerQuery(search)} searches, ${queries.length * search.results} pages.\n`,
    );
    const options = { base: process.cwd(), models: configSchema.parse({}) };
    await using engine = await LocalEngine.open(options, io, undefined, { web });
    const onProgress = progressLine(io, 'Fetching');
    const report = await untilInterrupted((signal) =>
      engine.request('fetchWeb', { queries, search, folder }, { signal, onProgress }),
    );
    if (values.json !== '-') io.stdout(describe(report, folder));
    if (values.json !== undefined) await writeJson(values.json, report, io);
    for (const { query, message } of report.searchesFailed) io.stderr(`${query}: ${message}\n`);
    return report.searchesFailed.length > 0 ? 1 : 0;
  },
});

interface SearchValues {
  readonly provider?: string | undefined;
  readonly url?: string | undefined;
  readonly results: string;
}

/** @throws UsageError */
function readSearch({ provider, url, results }: SearchValues): SearchSettings {
  const given = {
    provider: required(provider, 'provider'),
    results: Number(results),
    ...(url === undefined ? {} : { baseUrl: url }),
  };
  const parsed = searchSettingsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const option = { baseUrl: 'url', provider: 'provider', results: 'results' }[
    String(parsed.error.issues[0]?.path[0])
  ];
  throw new UsageError(`--${option ?? 'provider'}: ${describeIssue(parsed.error, given)}`);
}

/** @throws UsageError, ParallaxError `not-found`, `bad-file` */
async function readQueries(
  { queries: file, query }: { readonly queries?: string | undefined; readonly query?: string | undefined },
  io: Io,
): Promise<{ id: string; text: string }[]> {
  if (file !== undefined && query !== undefined) throw new UsageError('Give --queries or --query, not both.');
  if (query !== undefined) return [{ id: 'q1', text: required(query.trim(), 'query') }];
  const place = required(file, 'queries');
  const { queries, warnings } = await readArgumentLines(place, new EvalSetReading(place));
  for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
  return queries.map(({ id, text }) => ({ id, text }));
}

function describe(report: WebReport, folder: string): string {
  const { queries, searchesKept, searchesFailed, found, fetched, kept, skipped, bytes, damaged } = report;
  const lines = [
    `${counts.questions(queries)} (${searchesKept} searched for earlier, ${searchesFailed.length} failed), ${counts.pages(found)} found.`,
    `${fetched} fetched (${(bytes / 1024 / 1024).toFixed(1)} MB), ${kept} kept from earlier, ${skipped.length} skipped.`,
    ...(damaged > 0
      ? [
          counted(
            '{0} [0:page|pages] of the snapshot [0:was|were] changed or lost since [0:it was|they were] fetched.',
            damaged,
          ),
        ]
      : []),
    `Snapshot ${report.fingerprint.slice(0, 16)} in ${folder}.`,
  ];
  const rows = skippedByReason(report).map(([reason, pages]) => [reason, String(pages)]);
  return `${lines.join('\n')}\n${rows.length > 0 ? `\n${formatTable(['skipped', 'pages'], rows)}` : ''}`;
}
