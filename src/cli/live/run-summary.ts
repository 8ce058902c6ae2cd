/** A short summary of what a run captured, and of what it could not observe. */
import type { ListedSite } from '../../agents/sites.ts';
import type { SkipReason } from '../../shared/live/protocol.ts';
import type { LiveEvent, LiveRetrieval } from '../../shared/live/requests.ts';
import { counted } from '../presentation/counted.ts';

type EventOf<Type extends LiveEvent['type']> = Extract<LiveEvent, { readonly type: Type }>;

/** Collects the events of a run. */
export class RunSummary {
  readonly #retrievals = new Map<string, LiveRetrieval[]>();
  readonly #dropped = new Map<string, number>();
  readonly #failed = new Map<string, EventOf<'failed-call'>[]>();
  readonly #skipped = new Map<string, EventOf<'skipped'>>();
  readonly #instrumented = new Set<string>();
  readonly #unreadable = new Set<string>();
  #processes = 0;

  get retrievals(): number {
    return [...this.#retrievals.values()].reduce((sum, each) => sum + each.length, 0);
  }

  take(event: LiveEvent): void {
    if (event.type === 'process') this.#processes++;
    if (event.type === 'instrumented') this.#instrumented.add(event.file);
    if (event.type === 'skipped') this.#skipped.set(`${event.file} ${event.reason}`, event);
    if (event.type === 'unreadable') this.#unreadable.add(event.message);
    if (event.type === 'retrieval') added(this.#retrievals, event.site, withoutTexts(event));
    if (event.type === 'dropped')
      this.#dropped.set(event.site, (this.#dropped.get(event.site) ?? 0) + event.count);
    if (event.type === 'failed-call') added(this.#failed, event.site, event);
  }

  /** @param observed keys of the sites to observe */
  text(sites: readonly ListedSite[], observed: ReadonlySet<string>, base: string): string {
    const lines = sites.map((site) => this.#line(site, observed)).filter((line) => line !== undefined);
    return [
      this.#head(sites),
      ...lines.map((line) => `  ${line}\n`),
      ...[...this.#skipped.values()].map((skip) => `  ${skippedText(skip, base)}\n`),
      ...[...this.#unreadable].map((message) => `  ${message}\n`),
    ].join('');
  }

  #head(sites: readonly ListedSite[]): string {
    if (sites.length === 0)
      return 'parallax: no call that retrieves was found in this folder. Name your own function in parallax.json: "sites": {"calls": [{"name": "search_docs"}]}.\n';
    if (this.retrievals > 0) {
      const calls = this.#retrievals.size;
      return `parallax: ${counted(this.retrievals, 'retrieval')} at ${counted(calls, 'call')}.\n`;
    }
    if (this.#processes === 0) return `parallax: no retrieval. ${NOT_REACHED}\n`;
    if (this.#failed.size > 0) return 'parallax: no retrieval: every call that was made failed.\n';
    return 'parallax: no retrieval: the program loaded files with calls that retrieve, but made none of these calls.\n';
  }

  #line({ key, file, line, site }: ListedSite, observed: ReadonlySet<string>): string | undefined {
    const place = `${file}:${line} ${site.callee}`;
    const retrievals = this.#retrievals.get(key) ?? [];
    const failed = this.#failed.get(key) ?? [];
    const parts = [
      ...(retrievals.length > 0 ? [retrievalsText(retrievals, this.#dropped.get(key) ?? 0)] : []),
      ...(failed.length > 0
        ? [`${counted(failed.length, 'call')} failed (${failed.at(-1)!.error.slice(0, 200)})`]
        : []),
    ];
    if (parts.length > 0) return `${place}: ${parts.join('; ')}`;
    return observed.has(key) ? undefined : `${place}: written in a form that is not observed`;
  }
}

const NOT_REACHED =
  'No process of Node or Python loaded a file with a call that retrieves. Programs in a container, under Bun or Deno, with ' +
  'python -I or -S, or bundled into one file are not reached: run the program itself, here.';

function added<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

/** Texts of passages are written to the output and not kept in memory. */
function withoutTexts(retrieval: LiveRetrieval): LiveRetrieval {
  return { ...retrieval, passages: retrieval.passages.map(({ id }) => (id === undefined ? {} : { id })) };
}

function retrievalsText(retrievals: readonly LiveRetrieval[], last: number): string {
  const counts = retrievals.map(({ passages, more }) => passages.length + more);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const dropped = retrievals.reduce((sum, each) => sum + each.dropped, last);
  const questions = new Set(retrievals.flatMap(({ question }) => question ?? [])).size;
  const none = retrievals.find((each) => each.none !== undefined)?.none;
  const parts = [
    counted(retrievals.length, 'retrieval'),
    `k=${least === most ? least : `${least}–${most}`}`,
    ...(questions > 0 ? [counted(questions, 'question')] : ['handed a vector instead of a question']),
    ...(none === 'positions' ? ['returns positions in an index, and no passages'] : []),
    ...(none === 'other' ? ['what it returns is not read as passages'] : []),
    ...(dropped > 0 ? [`${counted(dropped, 'more retrieval')} within a second left out`] : []),
  ];
  return parts.join(', ');
}

const REASONS: Readonly<Record<SkipReason, string>> = {
  changed: 'the file was changed after the run began; run it again',
  'no-source-map': 'it was compiled without a source map; switch source maps on (tsc: "sourceMap": true)',
  'not-found': 'its source map does not lead to the call; switch minifying off',
  'not-compiled': 'with its calls wrapped it could not be compiled',
  'unknown-form': 'the call is written in a form that is not observed',
  'not-seen': 'it is loaded in a way that Parallax does not see',
  error: 'it could not be wrapped',
};

function skippedText({ file, reason, detail, sites }: EventOf<'skipped'>, base: string): string {
  const name = file.startsWith(`${base}/`) ? file.slice(base.length + 1) : file;
  const about = detail === undefined ? '' : ` (${detail})`;
  const calls = sites === undefined ? '' : `, ${counted(sites.length, 'call')}`;
  return `${name}${calls}: not observed: ${REASONS[reason]}${about}`;
}
