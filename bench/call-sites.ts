/**
 * The fixture corpus of call sites as a table for each library, for docs/measured.md, and the time to find them: a
 * program of 2,000 lines when opened, after each of 200 keystrokes in a separate statement, and after as many in the
 * arguments of a call that retrieves. Also how long the requesting thread is blocked meanwhile, which in the editor is
 * the extension host's. Processor time includes the garbage collector; it is more reliable while other work runs.
 *
 *   npm run bench -- call-sites [--repos <folder with owner+name/… for each repository>]
 *
 * With `--repos`, every program there when opened, and the longest of them compared with the parser alone. Then the
 * same keystrokes in a call of each of the 20 longest programs with a call in test/fixtures/public-call-sites.jsonl.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Program } from '../src/features/agents/tools/programs.ts';
import { SiteThread } from '../src/site-thread/site-thread.ts';
import { createSiteDetector, type Detection } from '../src/sites/detector.ts';
import { Parsers } from '../src/sites/parsing.ts';
import { Source } from '../src/sites/source.ts';
import {
  compare,
  detectFixture,
  differences,
  fixtureFiles,
  lookAlikes,
  PARTS,
  type Outcome,
  type Part,
} from '../test/unit/sites/fixture-corpus.ts';
import { languageIdOf } from '../src/sites/syntax/language.ts';
import { wasm } from '../test/unit/sites/wasm-files.ts';
import { filesOf, programsAmong } from './support/public-programs.ts';
import { milliseconds, percentiles, table, times as quoted } from './support/report.ts';

const { values } = parseArgs({ options: { repos: { type: 'string' } } });
const LINES = 2000;
const LONGEST = 20;
const KEYSTROKES = 200;
const WARM_UP = 10;
const SLOWEST = 10;
const AGAIN = 5;

const place = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const detector = createSiteDetector({ wasm });
const parsers = new Parsers(wasm);
const thread = new SiteThread({
  program: place('../src/site-thread/thread.ts'),
  wasmFolder: place('../node_modules/@vscode/tree-sitter-wasm/wasm'),
  texts: undefined,
  log: console.error,
});
const files = await fixtureFiles();
const programs = [
  {
    name: 'Python',
    languageId: 'python',
    text: inOrdinaryCode(['langchain_basics.py', 'vector_dbs.py'], pythonFiller),
  },
  {
    name: 'TypeScript',
    languageId: 'typescript',
    text: inOrdinaryCode(['langchain.ts'], typescriptFiller),
  },
];

// First, while this thread has as little memory as the extension host.
for (const program of programs) await inEditor(program);
await thread.dispose();
await accuracy();
for (const program of programs) await speed(program);
if (values.repos !== undefined) {
  await everyProgram(values.repos);
  await longest(values.repos);
}

async function accuracy(): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const file of files) {
    const detection = await detectFixture(detector, file);
    outcomes.push(compare(file, detection.sites));
  }
  const libraries = [
    ...new Set(
      outcomes
        .flatMap(({ found, missed }) => [...found.map(({ expected }) => expected), ...missed])
        .map(({ library }) => library),
    ),
  ].toSorted();
  const rows = libraries.map((library) => [
    library,
    ...counts(outcomes.map((outcome) => only(outcome, library))),
  ]);
  const heads = [
    'library',
    'sites',
    'found',
    'wrong',
    'k right',
    'k open, rightly',
    'k open, needlessly',
    'k wrong',
  ];
  print(
    table(heads, [
      ...rows,
      ...PARTS.map((part) => [`all ${part}`, ...counts(outcomes.filter(inPart(part)))]),
    ]),
  );
  const alike = files.reduce((sum, file) => sum + lookAlikes(file), 0);
  print(
    `${alike} look-alikes, of which ${outcomes.filter(inPart('look-alikes')).flatMap(({ spurious }) => spurious).length} matched.`,
  );
}

function inPart(part: Part): (outcome: Outcome) => boolean {
  return ({ file }) => file.part === part;
}

function only({ file, found, missed, spurious }: Outcome, library: string): Outcome {
  return {
    file,
    found: found.filter(({ expected }) => expected.library === library),
    missed: missed.filter((expected) => expected.library === library),
    spurious: spurious.filter((site) => site.library === library),
  };
}

/** sites, found, wrong finds, k right, k rightly unknown, k needlessly unknown, k wrong */
function counts(outcomes: readonly Outcome[]): string[] {
  const found = outcomes.flatMap((outcome) => outcome.found);
  const missed = outcomes.flatMap((outcome) => outcome.missed);
  const isOpen = (wanted: boolean, got: boolean): number =>
    found.filter(
      ({ expected, site }) =>
        (expected.fields.get('k') === '?') === wanted && (site.k.value === undefined) === got,
    ).length;
  const wrong = found.filter(
    ({ expected, site }) =>
      site.k.value !== undefined && differences(expected, site).some((each) => each.startsWith('k:')),
  ).length;
  return [
    found.length + missed.length,
    found.length,
    outcomes.flatMap(({ spurious }) => spurious).length,
    isOpen(false, false) + isOpen(true, false) - wrong,
    isOpen(true, true),
    isOpen(false, true),
    wrong,
  ].map(String);
}

interface LongProgram {
  readonly name: string;
  readonly languageId: string;
  readonly text: string;
}

/** Programs of the fixtures, and ordinary code after them. */
function inOrdinaryCode(names: readonly string[], filler: (i: number) => string): string {
  const own = files.filter(({ name }) => names.includes(name));
  let text = own.flatMap(({ cells }) => cells.map((cell) => cell.text)).join('\n');
  for (let i = 0; text.split('\n').length < LINES; i++) text += filler(i);
  return text;
}

async function speed({ name, languageId, text }: LongProgram): Promise<void> {
  let detection: Detection | undefined;
  const whole: number[] = [];
  for (let i = 0; i < WARM_UP + 20; i++) {
    const began = performance.now();
    detection = await detector.detect(text, languageId);
    if (i >= WARM_UP) whole.push(performance.now() - began);
  }
  const sites = detection?.sites.length ?? 0;
  const call = callIn(detection, text) ?? 0;
  const beside = await typing(text, languageId, besideCalls(text), '\nx = 1');
  const within = await typing(text, languageId, call, '1');
  print(
    [
      `${name}, ${text.split('\n').length} lines, ${sites} sites:`,
      `  at first sight: ${summary(whole)}`,
      `  after a keystroke in a statement of its own: ${summary(beside.elapsed)}; ${summary(beside.processor)} of the processor`,
      `  after a keystroke in a call that retrieves: ${summary(within.elapsed)}; ${summary(within.processor)} of the processor`,
    ].join('\n'),
  );
}

/** Before the first class of the ordinary code. */
function besideCalls(text: string): number {
  return text.search(/\n+(?:export interface Row0|class Step0)/u);
}

/** How long a keystroke blocks the requesting thread, compared with waiting for as long. */
async function inEditor({ name, languageId, text }: LongProgram): Promise<void> {
  const call = callIn(await thread.detect(text, languageId), text) ?? 0;
  const { held, waited, answered } = await typingInEditor(text, languageId, call);
  const [asking, waiting] = [percentiles(held), percentiles(waited)];
  const longest = (times: readonly number[]): string => milliseconds(Math.max(...times));
  print(
    `${name}: the thread that asks was held for ${milliseconds(asking.p50)} ms at a keystroke in a call (p99 ${milliseconds(asking.p99)}, longest ${longest(held)} ms); where it only waits as long, ${milliseconds(waiting.p50)} ms (p99 ${milliseconds(waiting.p99)}, longest ${longest(waited)} ms). The answer of the other thread took ${summary(answered)}.`,
  );
}

function summary(times: readonly number[]): string {
  const { p50, p99 } = percentiles([...times]);
  return `${milliseconds(p50)} ms (median; fastest ${milliseconds(Math.min(...times))}, p99 ${milliseconds(p99)} ms)`;
}

/** The start of the arguments of the first call with arguments. */
function callIn(detection: Detection | undefined, text: string): number | undefined {
  const site = detection?.sites.find(({ range }) => text[range.end] === '(');
  return site && site.range.end + 1;
}

interface Times {
  readonly elapsed: number[];
  readonly processor: number[];
}

/** Milliseconds of each keystroke at one place of the text. */
async function typing(unchanged: string, languageId: string, where: number, typed: string): Promise<Times> {
  const times: Times = { elapsed: [], processor: [] };
  let text = `${unchanged.slice(0, where)}${typed}${unchanged.slice(where)}`;
  let detection = await detector.detect(text, languageId);
  for (let i = 0; i < KEYSTROKES; i++) {
    const end = where + typed.length + i;
    text = `${text.slice(0, end)}1${text.slice(end)}`;
    const before = process.cpuUsage();
    const began = performance.now();
    detection = await detector.detect(text, languageId, { previous: detection });
    const elapsed = performance.now() - began;
    const { user, system } = process.cpuUsage(before);
    if (i < WARM_UP) continue;
    times.elapsed.push(elapsed);
    times.processor.push((user + system) / 1000);
  }
  return times;
}

interface Seen extends Program {
  readonly repository: string;
  readonly elapsed: number;
  readonly calls: number;
}

/** Every program once, as when the editor opens it. The fixtures have warmed up the code. */
async function everyProgram(repos: string): Promise<void> {
  const elapsed: number[] = [];
  const processor: number[] = [];
  let slowest: Seen[] = [];
  for (const repository of readdirSync(repos))
    for (const program of programsAmong(
      path.join(repos, repository),
      filesOf(path.join(repos, repository)),
    )) {
      const before = process.cpuUsage();
      const { took, calls } = await firstSight(program);
      const { user, system } = process.cpuUsage(before);
      elapsed.push(took);
      processor.push((user + system) / 1000);
      slowest = [...slowest, { ...program, repository, elapsed: took, calls }]
        .toSorted((a, b) => b.elapsed - a.elapsed)
        .slice(0, SLOWEST);
    }
  print(
    `${elapsed.length} programs at first sight: ${summary(elapsed)}, longest ${milliseconds(Math.max(...elapsed))} ms; of the processor ${summary(processor)}, longest ${milliseconds(Math.max(...processor))} ms.`,
  );
  const rows: string[][] = [];
  for (const seen of slowest) rows.push(await besideParsing(seen));
  print(table(['program', 'lines', 'calls', 'once', 'fastest', 'parsed alone', 'ratio'], rows));
}

async function firstSight({
  cells,
  isNotebook,
}: Program): Promise<{ readonly took: number; readonly calls: number }> {
  const [{ text, languageId } = { text: '', languageId: '' }] = cells;
  const began = performance.now();
  const detection = isNotebook
    ? await detector.detectNotebook(cells)
    : await detector.detect(text, languageId);
  const took = performance.now() - began;
  return { took, calls: detection.sites.length };
}

/** The fastest of several detections, and of as many parses of the same text. */
async function besideParsing(seen: Seen): Promise<string[]> {
  const [{ text, languageId } = { text: '', languageId: '' }] = seen.cells;
  const source = seen.isNotebook ? Source.notebook(seen.cells) : Source.file(text, languageId);
  let [fastest, parsed] = [Infinity, Infinity];
  for (let i = 0; i < AGAIN; i++) {
    fastest = Math.min(fastest, (await firstSight(seen)).took);
    if (!source) continue;
    const began = performance.now();
    await parsers.parse(source.grammar, source.text);
    parsed = Math.min(parsed, performance.now() - began);
  }
  return [
    `${seen.repository}/${seen.file}`,
    String((source?.text ?? '').split('\n').length),
    String(seen.calls),
    milliseconds(seen.elapsed),
    milliseconds(fastest),
    milliseconds(parsed),
    quoted(fastest / parsed),
  ];
}

/** Keystrokes in a call of public programs. */
async function longest(repos: string): Promise<void> {
  const listed = readFileSync('test/fixtures/public-call-sites.jsonl', 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly repo: string; readonly path: string });
  const files = new Set(listed.map(({ repo, path: file }) => path.join(repos, repo.replace('/', '+'), file)));
  const programs = [...files]
    .filter((file) => existsSync(file) && languageIdOf(file) !== undefined)
    .map((file) => ({ text: readFileSync(file, 'utf8'), languageId: languageIdOf(file) ?? '' }))
    .toSorted((a, b) => b.text.length - a.text.length);
  const rows: string[][] = [];
  const all: Times = { elapsed: [], processor: [] };
  for (const { text, languageId } of programs) {
    if (rows.length === LONGEST) break;
    const detection = await detector.detect(text, languageId);
    const call = callIn(detection, text);
    if (call === undefined) continue;
    const times = await typing(text, languageId, call, '1');
    all.elapsed.push(...times.elapsed);
    all.processor.push(...times.processor);
    const row = [
      text.split('\n').length,
      detection.sites.length,
      summary(times.elapsed),
      summary(times.processor),
    ];
    rows.push(row.map(String));
  }
  print(table(['lines', 'calls', 'after a keystroke', 'of the processor'], rows));
  print(`All: ${summary(all.elapsed)}; ${summary(all.processor)} of the processor.`);
}

/**
 * As in the editor, in another thread: for each keystroke, the longest time that this thread was blocked, and the time
 * of the answer. Then the longest block while it waits for as long without a request. Other work of the machine affects
 * both.
 */
async function typingInEditor(
  text: string,
  languageId: string,
  at: number,
): Promise<{
  readonly held: readonly number[];
  readonly waited: readonly number[];
  readonly answered: readonly number[];
}> {
  let detection = await thread.detect(text, languageId);
  let typed = text;
  const held: number[] = [];
  const waited: number[] = [];
  const answered: number[] = [];
  for (let i = 0; i < KEYSTROKES; i++) {
    typed = `${typed.slice(0, at + i)}1${typed.slice(at + i)}`;
    let isDone = false;
    const began = performance.now();
    const most = await longestTurn(
      () => {
        void thread.detect(typed, languageId, { previous: detection }).then((found) => {
          detection = found;
          isDone = true;
        });
      },
      () => isDone,
    );
    const took = performance.now() - began;
    const end = performance.now() + took;
    const idle = await longestTurn(
      () => {},
      () => performance.now() >= end,
    );
    if (i < WARM_UP) continue;
    held.push(most);
    waited.push(idle);
    answered.push(took);
  }
  return { held, waited, answered };
}

/** The longest time, until it is done, in which this thread was blocked. */
async function longestTurn(begin: () => void, isDone: () => boolean): Promise<number> {
  let last = performance.now();
  let most = 0;
  const look = (): void => {
    const now = performance.now();
    most = Math.max(most, now - last);
    last = now;
  };
  begin();
  while (!isDone()) {
    look();
    await new Promise((resolve) => setImmediate(resolve));
  }
  look();
  return most;
}

function pythonFiller(i: number): string {
  return `

class Step${i}:
    """One step of the import."""

    size: int = ${i}

    def __init__(self, source, target=None):
        self.source = source
        self.target = target or f"{source}-${i}"
        self.seen = set()

    def run(self, rows, limit=100):
        for number, row in enumerate(rows):
            if number >= limit or row["id"] in self.seen:
                continue
            self.seen.add(row["id"])
            text = row.get("text", "").strip().replace("\\t", " ")
            yield {"id": row["id"], "text": text, "length": len(text), "step": ${i}}
`;
}

function typescriptFiller(i: number): string {
  return `
export interface Row${i} { readonly id: string; readonly text?: string }

export class Step${i} {
  private readonly seen = new Set<string>();
  constructor(private readonly source: string, private readonly target = \`\${source}-${i}\`) {}

  *run(rows: readonly Row${i}[], limit = 100) {
    for (const [number, row] of rows.entries()) {
      if (number >= limit || this.seen.has(row.id)) continue;
      this.seen.add(row.id);
      const text = (row.text ?? '').trim().replaceAll('\\t', ' ');
      yield { id: row.id, text, length: text.length, step: ${i} };
    }
  }
}
`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}
