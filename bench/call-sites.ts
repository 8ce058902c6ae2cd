/**
 * The fixture corpus of call sites as a table per library, for docs/measured.md, and the time of finding them: a
 * program of 2,000 lines at first sight, after each of a hundred keystrokes in a statement of its own, and after as many in
 * the arguments of a call that retrieves; and how long the thread that asks is held
 * meanwhile, which in the editor is the extension host's.
 *
 *   npm run bench -- call-sites
 */
import { fileURLToPath } from 'node:url';
import { SiteThread } from '../src/extension/call-sites/site-thread.ts';
import { createSiteDetector, type Detection } from '../src/sites/detector.ts';
import {
  compare,
  detectFixture,
  differences,
  fixtureFiles,
  lookAlikes,
  PARTS,
  type FixtureFile,
  type Outcome,
  type Part,
} from '../test/unit/sites/fixture-corpus.ts';
import { wasm } from '../test/unit/sites/wasm-files.ts';
import { milliseconds, percentiles, table } from './support/report.ts';

const LINES = 2000;
const KEYSTROKES = 100;
const WARM_UP = 10;

const place = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const detector = createSiteDetector({ wasm });
const thread = new SiteThread({
  program: place('../src/extension/call-sites/thread.ts'),
  wasmFolder: place('../node_modules/@vscode/tree-sitter-wasm/wasm'),
  texts: undefined,
  log: console.error,
});
const files = await fixtureFiles();

await accuracy();
await speed(
  'Python',
  'python',
  files.filter(({ name }) => name === 'langchain_basics.py' || name === 'vector_dbs.py'),
  pythonFiller,
);
await speed(
  'TypeScript',
  'typescript',
  files.filter(({ name }) => name === 'langchain.ts'),
  typescriptFiller,
);
await thread.dispose();

async function accuracy(): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const file of files) {
    const detection = await detectFixture(detector, file);
    outcomes.push(compare(file, detection.sites));
    detector.release(detection);
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

/** The fixtures' programs in the middle of ordinary code. */
async function speed(
  name: string,
  languageId: string,
  programs: readonly FixtureFile[],
  filler: (i: number) => string,
): Promise<void> {
  const own = programs.flatMap(({ cells }) => cells.map(({ text }) => text)).join('\n');
  let text = own;
  for (let i = 0; text.split('\n').length < LINES; i++) text += filler(i);
  const unchanged = text;
  let detection: Detection | undefined;
  const whole: number[] = [];
  for (let i = 0; i < WARM_UP + 20; i++) {
    if (detection) detector.release(detection);
    const began = performance.now();
    detection = await detector.detect(text, languageId);
    if (i >= WARM_UP) whole.push(performance.now() - began);
  }
  const sites = detection?.sites.length ?? 0;
  const at = own.length;
  const typing = async (where: number, typed: string): Promise<number[]> => {
    const edits: number[] = [];
    text = `${unchanged.slice(0, where)}${typed}${unchanged.slice(where)}`;
    detection = await detector.detect(text, languageId, { previous: detection });
    for (let i = 0; i < KEYSTROKES; i++) {
      const end = where + typed.length + i;
      text = `${text.slice(0, end)}1${text.slice(end)}`;
      const began = performance.now();
      detection = await detector.detect(text, languageId, { previous: detection });
      if (i >= WARM_UP) edits.push(performance.now() - began);
    }
    return edits;
  };
  const beside = await typing(at, '\nx = 1');
  const call = detection?.sites.find(({ range }) => unchanged[range.end] === '(')?.range.end ?? 0;
  const within = await typing(call + 1, '1');
  print(
    `${name}, ${unchanged.split('\n').length} lines, ${sites} sites:\n${[
      ['at first sight', whole] as const,
      ['after a keystroke in a statement of its own', beside] as const,
      ['after a keystroke in a call that retrieves', within] as const,
    ]
      .map(([when, times]) => {
        const { p50, p99 } = percentiles(times);
        return `  ${milliseconds(p50)} ms ${when} (median; fastest ${milliseconds(Math.min(...times))}, p99 ${milliseconds(p99)} ms)`;
      })
      .join('\n')}`,
  );
  const held = await heldWhileTyping(unchanged, languageId, at);
  const { p50, p99 } = percentiles(held);
  print(
    `${name}: the thread that asks was held for ${milliseconds(p50)} ms at a keystroke (p99 ${milliseconds(p99)}, longest ${milliseconds(Math.max(...held))} ms).`,
  );
}

/** The longest that nothing else could be done in this thread, for each keystroke of which another thread finds the calls. */
async function heldWhileTyping(text: string, languageId: string, at: number): Promise<number[]> {
  let detection = await thread.detect(text, languageId);
  let typed = `${text.slice(0, at)}\nx = ${text.slice(at)}`;
  const longest: number[] = [];
  for (let i = 0; i < KEYSTROKES; i++) {
    const end = at + 5 + i;
    typed = `${typed.slice(0, end)}1${typed.slice(end)}`;
    let last = performance.now();
    let most = 0;
    const look = (): void => {
      const now = performance.now();
      most = Math.max(most, now - last);
      last = now;
    };
    const asked = thread.detect(typed, languageId, { previous: detection });
    let isDone = false;
    const done = asked.then((found) => {
      detection = found;
      isDone = true;
    });
    while (!isDone) {
      look();
      await new Promise((resolve) => setImmediate(resolve));
    }
    look();
    await done;
    if (i >= WARM_UP) longest.push(most);
  }
  return longest;
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
