import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { SyntheticCorpus } from '../../../bench/support/synthetic-corpus.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { writeManifest } from '../../../src/engine/bm25/manifest.ts';
import { Bm25Index } from '../../../src/engine/bm25/bm25-index.ts';
import { SegmentFiles } from '../../../src/engine/bm25/segment-files.ts';
import { Pace } from '../../../src/engine/concurrency/pace.ts';
import { naiveSearch } from './naive-bm25.ts';
import { indexOf, liveSlots, LUCENE, numbered, OKAPI } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const texts = ['the cat sat', 'a dog and a cat', '', 'naïve 東京 🎉', 'cat '.repeat(300)];

describe('segments built elsewhere', () => {
  const built = async (folder: string, texts: ReadonlyMap<number, string>): Promise<string> => {
    const file = path.join(folder, 'built');
    const segment = new SegmentFiles('english').begin();
    for (const [slot, text] of texts) segment.add(slot, text);
    await segment.write(file, new Pace({}));
    return file;
  };

  test('are searched with the others, also after reopening', async (t) => {
    const folder = temporaryFolder(t);
    const corpus = new SyntheticCorpus(4);
    const passages = numbered(Array.from({ length: 300 }, () => corpus.passage()));
    const { index: whole, live } = await indexOf(passages, 'english');
    const first = new Map([...passages].slice(0, 120));
    const { index } = await indexOf(first, 'english', path.join(folder, 'index'));
    await index.adopt(await built(folder, new Map([...passages].slice(120))));
    const { index: again } = await Bm25Index.open(path.join(folder, 'index'), 'english');
    for (const query of [corpus.query(), corpus.query(), corpus.query()]) {
      const expected = whole.search(query, OKAPI, 50, live);
      assert.deepEqual(index.search(query, OKAPI, 50, live), expected);
      assert.deepEqual(again.search(query, OKAPI, 50, live), expected);
    }
    assert.ok(index.covered.has(299));
    assert.deepEqual(await readdir(folder), ['index']);
  });

  test('are refused if they are damaged or contain an existing passage', async (t) => {
    const folder = temporaryFolder(t);
    const { index, live } = await indexOf(numbered(texts), 'english', path.join(folder, 'index'));
    const twice = await built(folder, new Map([[1, 'a dog']]));
    assert.equal(await index.adopt(twice), false);
    assert.ok(existsSync(twice));
    const short = await built(folder, new Map([[70, 'a dog']]));
    await truncate(short, 40);
    await assert.rejects(index.adopt(short), (error) => ParallaxError.is(error, 'store-unusable'));
    assert.equal(index.search('dog', LUCENE, 9, live).length, 1);
    assert.equal(index.covered.has(70), false);
  });
});

describe('kept on disk', () => {
  test('a reopened index answers as before', async (t) => {
    const folder = temporaryFolder(t);
    const corpus = new SyntheticCorpus(9);
    const passages = numbered([...texts, ...Array.from({ length: 200 }, () => corpus.passage())]);
    const { index, live } = await indexOf(passages, 'english', folder);
    index.add(1000, 'one more cat');
    await index.flush();
    live.add(1000);
    const { index: again, damaged } = await Bm25Index.open(folder, 'english');
    assert.deepEqual(damaged, []);
    assert.deepEqual(again.stats, index.stats);
    assert.ok(again.covered.has(1000) && again.covered.has(2) && !again.covered.has(1001));
    for (const query of ['cat', 'Tokyo 東京', corpus.query(), corpus.query()])
      for (const params of [LUCENE, OKAPI])
        assert.deepEqual(again.search(query, params, 50, live), index.search(query, params, 50, live), query);
  });

  test('frequencies and slots of any size survive', async (t) => {
    const folder = temporaryFolder(t);
    const passages = new Map([
      [0, 'b'],
      [5, 'a '.repeat(254)],
      [6, 'a '.repeat(255)],
      [70_000, 'a '.repeat(256) + 'b'],
      [2 ** 31 + 3, 'a '.repeat(70_000)],
      [2 ** 32 - 1, 'a b'],
    ]);
    await indexOf(passages, 'simple', folder);
    const { index } = await Bm25Index.open(folder, 'simple');
    const everything = { count: passages.size, has: (slot: number) => passages.has(slot) };
    // With a k1 as large as this, one more occurrence among 70,000 still changes the score.
    const params = { ...LUCENE, k1: 1000, b: 1 };
    const scores = new Map(
      index.search('a b', params, 10, everything).map(({ item, score }) => [item, score]),
    );
    for (const { item, score } of naiveSearch(passages, 'a b', params, 'simple'))
      assert.ok(Math.abs(scores.get(item)! - score) < 1e-9, `slot ${item}`);
    assert.equal(index.search('a', LUCENE, 10, everything)[0]!.item, 2 ** 31 + 3);
  });

  test('words of invalid Unicode survive', async (t) => {
    const folder = temporaryFolder(t);
    const { live } = await indexOf(numbered(['x \ud800y', 'x y', '']), 'whitespace', folder);
    const { index } = await Bm25Index.open(folder, 'whitespace');
    assert.deepEqual(
      index.search('\ud800y', LUCENE, 5, live).map(({ item }) => item),
      [0],
    );
    assert.deepEqual(
      index.search('  ', LUCENE, 5, live).map(({ item }) => item),
      [2],
      'the empty word',
    );
  });

  test('flushing without additions writes nothing', async (t) => {
    const folder = temporaryFolder(t);
    const { index } = await indexOf(numbered(texts), 'simple', folder);
    const before = await readdir(folder);
    await index.flush();
    await index.flush();
    assert.deepEqual(await readdir(folder), before);
    assert.equal(index.stats.segments, 1);
  });

  test('passages that were not flushed are missing after reopening', async (t) => {
    const folder = temporaryFolder(t);
    const { index } = await indexOf(numbered(['cat']), 'simple', folder);
    index.add(1, 'dog');
    assert.ok(index.covered.has(1));
    assert.equal(index.stats.pending, 1);
    const { index: again } = await Bm25Index.open(folder, 'simple');
    assert.ok(again.covered.has(0) && !again.covered.has(1));
  });

  test('merging leaves one file of the same content, without deleted passages', async (t) => {
    const folder = temporaryFolder(t);
    const { index } = await Bm25Index.open(folder, 'simple');
    for (let slot = 0; slot < 8; slot++) {
      index.add(slot, `word${slot} common ${'often '.repeat(300)}`);
      await index.flush();
    }
    const live = liveSlots([0, 1, 2, 4, 5, 7]);
    const before = index.search('common word7 often', LUCENE, 10, live);
    await index.merge(live);
    assert.deepEqual(index.search('common word7 often', LUCENE, 10, live), before);
    assert.ok(!index.covered.has(3) && index.covered.has(7));
    const { index: again } = await Bm25Index.open(folder, 'simple');
    assert.deepEqual(again.search('common word7 often', LUCENE, 10, live), before);
    assert.equal((await readdir(folder)).length, 1 + again.stats.segments);
    assert.ok(again.stats.segments < 4);
    again.add(3, 'word3 again');
    await again.flush();
    live.add(3);
    assert.equal(again.search('word3', LUCENE, 1, live)[0]!.item, 3);
  });

  test('an index without live passages becomes empty', async (t) => {
    const folder = temporaryFolder(t);
    const { index } = await indexOf(numbered(texts), 'simple', folder);
    await index.merge(liveSlots([]));
    assert.deepEqual(index.search('cat', LUCENE, 5, liveSlots([0])), []);
    assert.equal(index.stats.segments, 0);
    assert.deepEqual((await Bm25Index.open(folder, 'simple')).damaged, []);
  });

  test('leftovers of an interrupted write are removed', async (t) => {
    const folder = temporaryFolder(t);
    await writeFile(path.join(folder, 'segment-7.bm25'), 'half');
    await writeFile(path.join(folder, 'segment-8.bm25.tmp'), 'less');
    const { index } = await indexOf(numbered(['cat']), 'simple', folder);
    assert.deepEqual((await readdir(folder)).sort(), ['segment-1.bm25', 'segments.json']);
    assert.equal(index.stats.passages, 1);
  });
});

describe('damage is found and named, never searched', () => {
  async function damagedCopies(
    folder: string,
    file: string,
    damage: (copy: string, at: number) => Promise<void>,
    positions: readonly number[],
  ): Promise<void> {
    for (const at of positions) {
      const copy = path.join(folder, 'copy');
      await mkdir(copy);
      for (const name of await readdir(folder))
        if (name !== 'copy') await copyFile(path.join(folder, name), path.join(copy, name));
      await damage(path.join(copy, file), at);
      const { index, damaged } = await Bm25Index.open(copy, 'simple');
      assert.equal(damaged.length, 1, `${file}, byte ${at}`);
      assert.equal(index.covered.has(0), false, `${file}, byte ${at}`);
      index.add(0, 'cat'); // and it can be built again
      await index.flush();
      assert.deepEqual((await Bm25Index.open(copy, 'simple')).damaged, []);
      await rm(copy, { recursive: true });
    }
  }

  const flip = async (file: string, at: number): Promise<void> => {
    const bytes = await readFile(file);
    bytes[at]! ^= 1 << (at % 8);
    await writeFile(file, bytes);
  };

  async function smallIndex(folder: string): Promise<number> {
    await indexOf(numbered(texts.slice(0, 4)), 'simple', folder);
    return (await readFile(path.join(folder, 'segment-1.bm25'))).length;
  }

  test('any flipped byte of a segment', async (t) => {
    const folder = temporaryFolder(t);
    const size = await smallIndex(folder);
    await damagedCopies(folder, 'segment-1.bm25', flip, [...Array(size).keys()]);
  });

  test('any flipped byte of the list of segments', async (t) => {
    const folder = temporaryFolder(t);
    await smallIndex(folder);
    const size = (await readFile(path.join(folder, 'segments.json'))).length;
    await damagedCopies(folder, 'segments.json', flip, [...Array(size).keys()]);
  });

  test('a list that names a segment twice', async (t) => {
    const folder = temporaryFolder(t);
    await smallIndex(folder);
    const [segment = ''] = (await readdir(folder)).filter((name) => name.endsWith('.bm25'));
    await writeManifest(folder, { next: 2, segments: [segment, segment] });
    const { index, damaged } = await Bm25Index.open(folder, 'simple');
    assert.deepEqual([damaged.length, index.stats.passages], [1, 0]);
  });

  test('a segment cut short at any length, or missing', async (t) => {
    const folder = temporaryFolder(t);
    const size = await smallIndex(folder);
    await damagedCopies(folder, 'segment-1.bm25', truncate, [...Array(size).keys()]);
    await damagedCopies(folder, 'segment-1.bm25', (file) => rm(file), [0]);
  });

  test('a segment with trailing bytes', async (t) => {
    const folder = temporaryFolder(t);
    await smallIndex(folder);
    const append = async (file: string): Promise<void> => writeFile(file, 'x', { flag: 'a' });
    await damagedCopies(folder, 'segment-1.bm25', append, [0]);
  });

  test('an index made with another analyzer', async (t) => {
    const folder = temporaryFolder(t);
    await smallIndex(folder);
    const { index, damaged } = await Bm25Index.open(folder, 'english');
    assert.match(damaged[0]!.reason, /another analyzer/);
    assert.equal(index.covered.has(0), false);
  });

  test('the other segments stay usable', async (t) => {
    const folder = temporaryFolder(t);
    const { index } = await indexOf(numbered(['cat', 'dog']), 'simple', folder);
    index.add(2, 'cat and dog');
    await index.flush();
    await flip(path.join(folder, 'segment-1.bm25'), 100);
    const { index: again, damaged } = await Bm25Index.open(folder, 'simple');
    assert.equal(damaged.length, 1);
    assert.deepEqual(
      again.search('cat', LUCENE, 5, liveSlots([0, 1, 2])).map(({ item }) => item),
      [2],
    );
    again.add(0, 'cat');
    again.add(1, 'dog');
    await again.flush();
    assert.deepEqual(
      again.search('cat', LUCENE, 5, liveSlots([0, 1, 2])),
      index.search('cat', LUCENE, 5, liveSlots([0, 1, 2])),
    );
  });
});

describe('passages in several languages', () => {
  const GERMAN = [
    'Die Häuser an der Straße werden im Sommer gestrichen, und das ist nicht billig.',
    'Der Brunnen auf dem Platz ist seit einem Jahr trocken, und das ist nicht schön.',
  ];
  const ENGLISH = [
    'The houses on the street are painted in the summer, and that is not cheap.',
    'The fountain in the square has been dry for a year, and that is not nice.',
  ];

  test('a question is stemmed in the languages of the passages', async () => {
    for (const texts of [GERMAN, [...GERMAN, ...ENGLISH]]) {
      const { index, live } = await indexOf(numbered(texts), 'auto');
      assert.deepEqual(
        index.search('Haus', LUCENE, 5, live).map(({ item }) => item),
        [0],
      );
      assert.equal(index.frequencies(live).having('Hause'), 1);
    }
    const { index, live } = await indexOf(numbered([...GERMAN, ...ENGLISH]), 'auto');
    assert.equal(index.search('painting', LUCENE, 1, live)[0]!.item, 2);
    const english = await indexOf(numbered(GERMAN), 'english');
    assert.deepEqual(english.index.search('Haus', LUCENE, 5, english.live), []);
  });

  test('the terms of an explanation add up to the score', async () => {
    const texts = [...GERMAN, ...ENGLISH, 'def paintHouse(wall_colour): pass'];
    const { index, live } = await indexOf(numbered(texts), 'auto');
    const query = 'Häuser, Brunnen, painted house and paint_house';
    for (const { item, score } of index.search(query, LUCENE, 9, live)) {
      const { terms } = index.explain(query, LUCENE, texts[item]!, live);
      const sum = terms.reduce((total, { contribution }) => total + contribution, 0);
      assert.ok(Math.abs(sum - score) < 1e-9, texts[item]);
    }
    const { terms } = index.explain('Häuser ungewiss', LUCENE, GERMAN[0]!, live);
    assert.deepEqual(
      terms.map(({ word, passages }) => [word, passages]),
      [
        ['hauser', 1],
        ['ungewiss', 0],
      ],
    );
  });

  test('a language is asked for as long as its passages are live', async () => {
    const { index } = await indexOf(numbered([...GERMAN, ...ENGLISH]), 'auto');
    assert.deepEqual(index.search('Haus', LUCENE, 5, liveSlots([2, 3])), []);
    assert.equal(index.search('Haus', LUCENE, 5, liveSlots([0, 2]))[0]!.item, 0);
  });
});

describe('awkward input', () => {
  test('passages and queries without terms', async () => {
    const { index, live } = await indexOf(numbered(['', '!!!', 'the of and', 'the cat']), 'english');
    for (const query of ['', ' ', 'the', '🎉', 'unknown'])
      assert.deepEqual(index.search(query, LUCENE, 5, live), []);
    assert.equal(index.search('cat', LUCENE, 5, live)[0]!.item, 3);
    assert.equal(index.stats.passages, 4);
    assert.deepEqual((await Bm25Index.open(undefined, 'english')).index.search('cat', LUCENE, 5, live), []);
  });

  test('only passages without terms', async () => {
    const { index, live } = await indexOf(numbered(['', '']), 'english');
    assert.deepEqual(index.search('cat', OKAPI, 5, live), []);
  });

  test('mixed scripts', async () => {
    const { index, live } = await indexOf(
      numbered(['東京タワー tower', 'Москва tower', 'برج خليفة', 'कुतुब मीनार']),
      'english',
    );
    const best = (query: string): number | undefined => index.search(query, LUCENE, 1, live)[0]?.item;
    assert.deepEqual(['東京', 'МОСКВА', 'خليفة', 'मीनार', 'タワー'].map(best), [0, 1, 2, 3, 0]);
  });

  test('a query of 10,000 words', async () => {
    const corpus = new SyntheticCorpus(2);
    const { index, live } = await indexOf(
      numbered(Array.from({ length: 100 }, () => corpus.passage())),
      'english',
    );
    const query = Array.from({ length: 100 }, () => corpus.passage()).join(' ');
    assert.equal(index.search(query, LUCENE, 1000, live).length, 100);
  });

  test('a depth below 1 returns nothing', async () => {
    const { index, live } = await indexOf(numbered(['cat']));
    assert.deepEqual(index.search('cat', LUCENE, 0, live), []);
  });

  test('an invalid slot is refused, a covered one ignored', async () => {
    const { index, live } = await indexOf(numbered(['cat']));
    for (const slot of [-1, 0.5, 2 ** 32, NaN])
      assert.throws(
        () => index.add(slot, 'x'),
        (error) => ParallaxError.is(error, 'bad-argument'),
      );
    index.add(0, 'dog');
    await index.flush();
    assert.deepEqual(index.search('dog', LUCENE, 5, live), []);
  });

  test('a segment may have its slots in any order', async () => {
    const { index, live } = await indexOf(
      new Map([
        [9, 'cat'],
        [3, 'cat'],
        [6, 'cat dog'],
      ]),
    );
    assert.deepEqual(
      index.search('cat', LUCENE, 5, live).map(({ item }) => item),
      [3, 9, 6],
    );
  });
});

describe('long work', () => {
  const corpus = new SyntheticCorpus(4);
  const passages = numbered(Array.from({ length: 4000 }, () => corpus.passage()));

  test('cancelling a flush loses nothing', async (t) => {
    const folder = temporaryFolder(t);
    const { index } = await Bm25Index.open(folder, 'simple');
    for (const [slot, text] of passages) index.add(slot, text);
    const controller = new AbortController();
    const flushed = index.flush({ signal: controller.signal });
    setImmediate(() => controller.abort());
    await assert.rejects(flushed, (error) => ParallaxError.is(error, 'cancelled'));
    assert.equal(index.stats.passages, 0);
    index.add(passages.size, 'added meanwhile');
    await index.flush();
    assert.equal(index.stats.passages, passages.size + 1);
    const { index: again } = await Bm25Index.open(folder, 'simple');
    assert.equal(again.stats.passages, passages.size + 1);
  });

  test('opening can be cancelled', async (t) => {
    const folder = temporaryFolder(t);
    await indexOf(passages, 'simple', folder);
    const opened = Bm25Index.open(folder, 'simple', { signal: AbortSignal.abort() });
    await assert.rejects(opened, (error) => ParallaxError.is(error, 'cancelled'));
  });

  test('passages are added and searched during a flush', async () => {
    const { index, live } = await indexOf(numbered(['cat']));
    for (const [slot, text] of passages) index.add(slot + 10, text);
    const flushed = index.flush();
    index.add(5, 'cat');
    live.add(5);
    assert.equal(index.search('cat', LUCENE, 5, live).length, 1);
    await Promise.all([flushed, index.flush()]);
    assert.equal(index.search('cat', LUCENE, 5, live).length, 2);
  });

  test('long work yields to other tasks', async () => {
    const { index } = await Bm25Index.open(undefined, 'simple');
    // Many times what a fast machine seals in one slice.
    for (let copy = 0; copy < 10; copy++)
      for (const [slot, text] of passages) index.add(copy * passages.size + slot, text);
    let turns = 0;
    let flushing = true;
    const count = (): void => {
      turns++;
      if (flushing) setImmediate(count);
    };
    setImmediate(count);
    await index.flush().finally(() => (flushing = false));
    // Any promise that waits for the event loop gives one turn. More turns show that the work yields.
    assert.ok(turns > 2, `${turns} turns`);
  });

  test('a read-only folder is an error that names it, and nothing is lost', async (t) => {
    const folder = temporaryFolder(t);
    const { index, live } = await indexOf(numbered(['cat']), 'simple', folder);
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file where the folder was');
    index.add(1, 'cat too');
    live.add(1);
    await assert.rejects(index.flush(), (error) => ParallaxError.is(error, 'store-unusable'));
    await rm(folder);
    await mkdir(folder);
    await index.flush();
    assert.equal(index.search('cat', LUCENE, 5, live).length, 2);
    await assert.rejects(Bm25Index.open(path.join(folder, 'segments.json', 'x'), 'simple'), (error) =>
      ParallaxError.is(error, 'store-unusable'),
    );
  });
});
