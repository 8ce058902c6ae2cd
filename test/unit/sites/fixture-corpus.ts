/**
 * The fixture corpus of call sites: programs with comments for the expected sites of their line, `# expect:
 * library=chroma k=5 from=const`, and lines that must not match, marked `# not: …`. `tuned` was written before the
 * rules and used to develop them; `held-out` was not used.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Detection, SiteDetector } from '../../../src/sites/detector.ts';
import type { CallSite, Field } from '../../../src/sites/model.ts';

const root = new URL('../../fixtures/call-sites/', import.meta.url);
export const PARTS = ['tuned', 'held-out', 'look-alikes'] as const;
export type Part = (typeof PARTS)[number];

const LANGUAGES: Readonly<Record<string, string>> = {
  '.py': 'python',
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.tsx': 'typescriptreact',
  '.js': 'javascript',
};

interface Cell {
  readonly languageId: string;
  readonly text: string;
}

export interface FixtureFile {
  readonly part: Part;
  readonly name: string;
  readonly cells: readonly Cell[];
  readonly isNotebook: boolean;
}

/** The comment on the call of its line; `k` is NaN if it must be unknown. */
export interface Expectation {
  readonly file: string;
  readonly cell: number;
  readonly line: number;
  readonly library: string;
  readonly fields: ReadonlyMap<string, string>;
}

export async function fixtureFiles(): Promise<FixtureFile[]> {
  const files: FixtureFile[] = [];
  for (const part of PARTS)
    for (const name of (await readdir(new URL(`${part}/`, root))).toSorted()) {
      const text = await readFile(new URL(`${part}/${name}`, root), 'utf8');
      const isNotebook = extname(name) === '.json';
      const cells = isNotebook
        ? (JSON.parse(text) as Cell[])
        : [{ languageId: LANGUAGES[extname(name)] ?? extname(name), text }];
      files.push({ part, name, cells, isNotebook });
    }
  return files;
}

export function detectFixture(
  detector: SiteDetector,
  { cells, isNotebook }: FixtureFile,
): Promise<Detection> {
  const [only] = cells;
  return isNotebook || !only ? detector.detectNotebook(cells) : detector.detect(only.text, only.languageId);
}

function expectations({ name, cells }: FixtureFile): Expectation[] {
  return cells.flatMap(({ text }, cell) =>
    text.split('\n').flatMap((content, line): Expectation[] => {
      const said = /(?:#|\/\/|\/\*) expect: ([^*\n]*)/u.exec(content)?.[1];
      if (said === undefined) return [];
      const fields = new Map(
        said
          .trim()
          .split(/\s+/u)
          .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
      );
      return [{ file: name, cell, line, library: fields.get('library') ?? '', fields }];
    }),
  );
}

/** Lines that must not match. */
export function lookAlikes({ cells }: FixtureFile): number {
  return cells.reduce((sum, { text }) => sum + (text.match(/(?:#|\/\/) not\b/gu)?.length ?? 0), 0);
}

export interface Outcome {
  readonly file: FixtureFile;
  readonly found: readonly { readonly expected: Expectation; readonly site: CallSite }[];
  readonly missed: readonly Expectation[];
  readonly spurious: readonly CallSite[];
}

/** Pairs what was found with what must be, by cell, line and library. */
export function compare(file: FixtureFile, sites: readonly CallSite[]): Outcome {
  const open = [...sites];
  const found: { expected: Expectation; site: CallSite }[] = [];
  const missed: Expectation[] = [];
  for (const expected of expectations(file)) {
    const at = open.findIndex(
      (site) =>
        site.library === expected.library &&
        site.range.cell === expected.cell &&
        lineOf(file, site) === expected.line,
    );
    const [site] = at < 0 ? [] : open.splice(at, 1);
    if (site) found.push({ expected, site });
    else missed.push(expected);
  }
  return { file, found, missed, spurious: open };
}

function lineOf({ cells }: FixtureFile, { range }: CallSite): number {
  return (cells[range.cell]?.text.slice(0, range.start).match(/\n/gu) ?? []).length;
}

/** A site's fields in the words of the expectations. */
function described(site: CallSite): ReadonlyMap<string, string> {
  const { k, pool, mmr, hybridDense, rerank, embedModel, index } = site;
  const topN = rerank?.topN && `:${shown(rerank.topN)}`;
  const all: Record<string, string | undefined> = {
    library: site.library,
    k: shown(k),
    from: k.provenance,
    pool: pool && shown(pool),
    mmr: mmr && shown(mmr.relevance),
    hybrid: hybridDense && shown(hybridDense),
    rerank: rerank && `${rerank.model ? shown(rerank.model) : ''}${topN ?? ''}`,
    embed: embedModel && shown(embedModel),
    index: index && shown(index),
    filter: site.filtered ? 'yes' : undefined,
  };
  return new Map(
    Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}

function shown(field: Field<number> | Field<string>): string {
  return field.value === undefined ? '?' : String(field.value);
}

/** Expected and found values that differ, e.g. `k: 5 expected, 4 found`. */
export function differences(expected: Expectation, site: CallSite): string[] {
  const actual = described(site);
  return [...expected.fields]
    .filter(([key, value]) => actual.get(key) !== value)
    .map(([key, value]) => `${key}: ${value} expected, ${actual.get(key) ?? 'nothing'} found`);
}
