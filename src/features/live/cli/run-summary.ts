/** A short summary of what a run captured, and of what it could not observe. */
import { counted, counts } from '../../../core/counted.ts';
import type { ListedSite } from '../../agents/tools/sites.ts';
import type { SkipReason } from '../contract/protocol.ts';
import type { LiveEvent, LiveRetrieval } from '../contract/requests.ts';

type EventOf<Type extends LiveEvent['type']> = Extract<LiveEvent, { readonly type: Type }>;

/** The most distinct questions of a call to count. */
const MAX_QUESTIONS = 1000;
const MAX_UNREADABLE = 20;

/** Counts of a call. Retrievals are not kept, as a server may run for days. */
interface Tally {
  retrievals: number;
  least: number;
  most: number;
  dropped: number;
  failed: number;
  lastError: string;
  none: LiveRetrieval['none'];
  readonly questions: Set<string>;
}

/** Collects the events of a run. */
export class RunSummary {
  readonly #tallies = new Map<string, Tally>();
  readonly #skipped = new Map<string, EventOf<'skipped'>>();
  readonly #unreadable = new Set<string>();
  #processes = 0;

  get retrievals(): number {
    return sumOf(this.#tallies, ({ retrievals }) => retrievals);
  }

  take(event: LiveEvent): void {
    if (event.type === 'process') this.#processes++;
    if (event.type === 'skipped') this.#skipped.set(`${event.file} ${event.reason}`, event);
    if (event.type === 'unreadable' && this.#unreadable.size < MAX_UNREADABLE)
      this.#unreadable.add(event.message);
    if (event.type === 'retrieval') this.#retrieved(event);
    if (event.type === 'dropped') this.#tally(event.site).dropped += event.count;
    if (event.type === 'failed-call') {
      const tally = this.#tally(event.site);
      tally.failed++;
      tally.lastError = event.error.slice(0, 200);
    }
  }

  #retrieved({ site, passages, more, dropped, none, question }: LiveRetrieval): void {
    const tally = this.#tally(site);
    const count = passages.length + more;
    tally.retrievals++;
    tally.least = Math.min(tally.least, count);
    tally.most = Math.max(tally.most, count);
    tally.dropped += dropped;
    tally.none ??= none;
    if (question !== undefined && tally.questions.size <= MAX_QUESTIONS) tally.questions.add(question);
  }

  #tally(site: string): Tally {
    const known = this.#tallies.get(site);
    if (known) return known;
    const tally: Tally = {
      retrievals: 0,
      least: Infinity,
      most: 0,
      dropped: 0,
      failed: 0,
      lastError: '',
      none: undefined,
      questions: new Set(),
    };
    this.#tallies.set(site, tally);
    return tally;
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
      const calls = [...this.#tallies.values()].filter(({ retrievals }) => retrievals > 0).length;
      return counted(
        'parallax: {0} [0:retrieval|retrievals] at {1} [1:call|calls].\n',
        this.retrievals,
        calls,
      );
    }
    if (this.#processes === 0) return `parallax: no retrieval. ${NOT_REACHED}\n`;
    if (sumOf(this.#tallies, ({ failed }) => failed) > 0)
      return 'parallax: no retrieval: every call that was made failed.\n';
    return 'parallax: no retrieval: the program loaded files with calls that retrieve, but made none of these calls.\n';
  }

  #line({ key, file, line, site }: ListedSite, observed: ReadonlySet<string>): string | undefined {
    const place = `${file}:${line} ${site.callee}`;
    const tally = this.#tallies.get(key);
    const parts = [
      ...(tally && tally.retrievals > 0 ? [retrievalsText(tally)] : []),
      ...(tally && tally.failed > 0
        ? [counted('{0} [0:call|calls] failed ({1})', tally.failed, tally.lastError)]
        : []),
      ...(tally && tally.dropped > 0
        ? [counted('{0} more [0:call|calls] within a second left out', tally.dropped)]
        : []),
    ];
    if (parts.length > 0) return `${place}: ${parts.join('; ')}`;
    return observed.has(key) ? undefined : `${place}: written in a form that is not observed`;
  }
}

const NOT_REACHED =
  'No process of Node or Python loaded a file with a call that retrieves. Programs in a container, under Bun or Deno, with ' +
  'python -I or -S, or bundled into one file are not reached: run the program itself, here.';

function sumOf(tallies: ReadonlyMap<string, Tally>, count: (tally: Tally) => number): number {
  return [...tallies.values()].reduce((sum, tally) => sum + count(tally), 0);
}

function retrievalsText({ retrievals, least, most, none, questions }: Tally): string {
  const parts = [
    counted('{0} [0:retrieval|retrievals]', retrievals),
    `k=${least === most ? least : `${least}–${most}`}`,
    questionsText(questions.size),
    ...(none === 'positions' ? ['returns positions in an index, and no passages'] : []),
    ...(none === 'other' ? ['what it returns is not read as passages'] : []),
  ];
  return parts.join(', ');
}

function questionsText(count: number): string {
  if (count === 0) return 'handed a vector instead of a question';
  return count > MAX_QUESTIONS ? `more than ${counts.questions(MAX_QUESTIONS)}` : counts.questions(count);
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
  const calls = sites === undefined ? '' : counted(', {0} [0:call|calls]', sites.length);
  return `${name}${calls}: not observed: ${REASONS[reason]}${about}`;
}
