import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import iconv from 'iconv-lite';
import JSZip from 'jszip';
import { addFiles, FIXTURES, folderWith, scan, type Files } from './workspace.ts';
import type { TestContext } from 'node:test';
import { formatBaseline } from '../../../src/features/gate/core/baseline.ts';
import { failedReport } from '../../../src/features/gate/core/report.ts';
import { REPORT_FORMATS } from '../../../src/core/reports/report.ts';
import { textFormOf } from '../../../src/engine/corpus/readers/table.ts';

/** The only document of a file, and the problems in it. */
async function read(t: TestContext, name: string, content: string | Buffer, config = {}) {
  const scanned = await scan(await folderWith(t, { [name]: content }), config);
  return {
    documents: [...scanned.documents.values()],
    skipped: scanned.of('skipped'),
    end: scanned.of('file-end')[0],
  };
}
const fixture = (name: string) => readFile(path.join(FIXTURES, name));
const problems = (end: { problems: readonly { message: string }[] } | undefined) =>
  end?.problems.map(({ message }) => message);

describe('text files', () => {
  it('are read verbatim, line breaks included, without the byte order mark', async (t) => {
    const [document] = (await read(t, 'a.md', '\uFEFF# Títle \r\n\r\ntext\rmore\n')).documents;
    assert.deepEqual(document, {
      id: 'a.md',
      title: 'Títle',
      text: '# Títle \r\n\r\ntext\rmore\n',
      verbatim: true,
      recordLine: undefined,
      isRecord: false,
    });
  });

  it('have a title: front matter, first heading, or file name', async (t) => {
    const files: Files = {
      'front.md': '---\nlayout: x\ntitle: "Front: matter"\n---\n# Heading',
      'setext.md': 'Under\n=====',
      'none.md': 'text',
      'main.py': '# comment\nprint(1)',
      README: '# not looked at',
    };
    const { documents } = await scan(await folderWith(t, files));
    assert.deepEqual(Object.fromEntries([...documents].map(([id, { title }]) => [id, title])), {
      README: 'README',
      'front.md': 'Front: matter',
      'main.py': 'main.py',
      'none.md': 'none.md',
      'setext.md': 'Under',
    });
  });

  it('are decoded from UTF-16 by their mark and from other encodings by statistics', async (t) => {
    const german =
      'Über die Maut: Größere Straßen füllen sich schnell, kleinere müssen büßen. Kürzere Wege lösen das nicht überall.';
    const french = 'Le café près de l’église est fermé à Noël, dit le maire, déçu.';
    const russian =
      'Платный въезд в центр сокращает пробки, но бьёт по тем, кто не может выбирать время поездки.';
    const japanese = 'これは渋滞税に関する文章です。反対する人も多い。';
    const samples: [string, string, string][] = [
      ['latin1.txt', german, 'latin1'],
      ['accent.txt', 'One naïve word.', 'latin1'],
      ['windows.txt', french, 'windows-1252'],
      ['russian.txt', russian, 'windows-1251'],
      ['japanese.txt', japanese, 'shift_jis'],
      ['utf16le.txt', `\uFEFF${japanese}`, 'utf-16le'],
      ['utf16be.txt', `\uFEFF${german}`, 'utf-16be'],
    ];
    const folder = await folderWith(t, {});
    for (const [name, text, encoding] of samples)
      await addFiles(folder, { [name]: iconv.encode(text, encoding, { addBOM: false }) });
    const { documents, reasons } = await scan(folder);
    assert.deepEqual(reasons, {});
    for (const [name, text] of samples)
      assert.equal(documents.get(name)?.text, text.replace('\uFEFF', ''), name);
  });

  it('are decoded by bytes far behind an ASCII beginning', async (t) => {
    const text = `${'plain ascii text. '.repeat(10_000)}Größere Straßen füllen sich schnell, kleinere müssen büßen.`;
    const [document] = (await read(t, 'a.txt', Buffer.from(text, 'latin1'))).documents;
    assert.equal(document?.text, text);
  });

  it('are skipped if they are binary', async (t) => {
    const folder = await folderWith(t, {
      'null.txt': Buffer.from('text\0text'),
      'late-null.txt': Buffer.from(`${'a'.repeat(200_000)}\0`),
      'png.txt': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
      'noise.md': Buffer.from(
        Array.from({ length: 5000 }, (_, at) => ((at * 7919 + (at >> 3) * 104_729) % 255) + 1),
      ),
      'utf32.txt': iconv.encode('text', 'utf-32le', { addBOM: true }),
      'null16.txt': Buffer.from([0xff, 0xfe, 65, 0, 0, 0]),
      'bad.txt': Buffer.concat([
        Buffer.from('Größe und mehr, überall Straßen. '.repeat(20)),
        Buffer.from([0x81, 0x8d]),
      ]),
      'empty.txt': '',
      'blank.md': ' \r\n\t\n',
      'mark.txt': '\uFEFF',
    });
    const { documents, reasons } = await scan(folder);
    assert.deepEqual([...documents.keys()], []);
    assert.deepEqual(reasons, {
      'bad.txt': 'encoding',
      'blank.md': 'empty',
      'empty.txt': 'empty',
      'late-null.txt': 'binary',
      'mark.txt': 'empty',
      'noise.md': 'binary',
      'null.txt': 'binary',
      'null16.txt': 'binary',
      'png.txt': 'binary',
      'utf32.txt': 'binary',
    });
  });

  it('may be a single line of ten million characters', async (t) => {
    const [document] = (await read(t, 'long.txt', 'word '.repeat(2_000_000))).documents;
    assert.equal(document?.text.length, 10_000_000);
  });
});

describe('files with vectors that programs store', () => {
  const vector = Array.from({ length: 32 }, (_, at) => at / 32);
  const record = { id: 'a', text: 'A passage.', metadata: { embedding: vector } };
  const files = {
    'vectors.json': JSON.stringify([record, record]),
    'vectors.jsonl': `${JSON.stringify(record)}\n${JSON.stringify(record)}\n`,
    'default__vector_store.json': JSON.stringify({ embedding_dict: { 'node-1': vector } }),
    'memory.json': JSON.stringify({ memoryVectors: [{ content: 'A passage.', embedding: vector }] }),
    'ratings.json': JSON.stringify([{ id: 'b', text: 'A film.', ratings: vector }]),
    'tags.jsonl': `${JSON.stringify({ id: 'c', text: 'On vectors.', vector: [1, 2, 3] })}\n`,
  };

  it('are skipped, but files with other numbers are not', async (t) => {
    const { documents, reasons, of } = await scan(await folderWith(t, files));
    assert.deepEqual([...documents.keys()], ['b', 'c']);
    assert.deepEqual(reasons, {
      'default__vector_store.json': 'vectors',
      'memory.json': 'vectors',
      'vectors.json': 'vectors',
      'vectors.jsonl': 'vectors',
    });
    assert.match(of('skipped')[0]!.message, /^Its records carry vectors.*name the file in "roots"\.$/);
  });

  it('are read if the corpus names the file or the field with the text', async (t) => {
    const folder = await folderWith(t, files);
    assert.equal((await scan(folder, { roots: ['vectors.json'] })).documents.size, 2);
    assert.equal((await scan(folder, { roots: ['vectors.jsonl'] })).documents.size, 2);
    const named = await scan(folder, { include: ['vectors.jsonl'], textField: 'text' });
    assert.equal(named.documents.size, 2);
  });
});

describe('reports of Parallax', () => {
  const given = { at: '2026-01-01T00:00:00Z', commit: undefined, k: 5, judge: 'labels' };
  const report = failedReport('There is no index.', given);
  const files = {
    ...Object.fromEntries(
      (['json', 'junit', 'html', 'markdown', 'latex'] as const).map((format) => [
        `${{ json: 'r.json', junit: 'r.xml', html: 'r.html', markdown: 'r.md', latex: 'r.tex' }[format]}`,
        REPORT_FORMATS[format](report),
      ]),
    ),
    'baseline.json': formatBaseline({
      version: 1,
      at: given.at,
      k: 5,
      datasets: [
        {
          name: 'set',
          evalSet: 'set.jsonl',
          corpus: { name: 'docs', fingerprint: 'a', passages: 1 },
          judgements: { judge: 'labels', pairs: 0, judged: 0, by: [] },
          pipelines: [],
        },
      ],
    }),
    'eval.json': JSON.stringify({ pipelines: [], comparisons: [], macro: [] }),
    'store/parallax-store.json': JSON.stringify({ corpus: { name: 'docs', base: '/tmp' } }),
    'store/derived-1/segments.json': JSON.stringify({ segments: [] }),
  };

  it('are skipped, like index files, but similar documents are not', async (t) => {
    const like = { 'a.md': '# Parallax gates\n\nText.\n', 'b.json': JSON.stringify({ datasets: ['a'] }) };
    const { documents, reasons, of } = await scan(await folderWith(t, { ...files, ...like }), { code: true });
    assert.deepEqual([...documents.keys()], ['a.md', 'b.json']);
    assert.deepEqual(
      reasons,
      Object.fromEntries(
        Object.keys(files)
          .filter((name) => !name.startsWith('store/'))
          .map((name) => [name, 'report']),
      ),
    );
    assert.match(of('skipped')[0]!.message, /^It is a report of Parallax.*name the file in "roots"\.$/);
  });

  it('are read if the corpus names the file', async (t) => {
    const folder = await folderWith(t, files);
    assert.equal((await scan(folder, { roots: ['r.md', 'r.json'] })).documents.size, 2);
  });
});

describe('HTML', () => {
  it('keeps code in a fence, and omits content beside the main content', async (t) => {
    const said = 'What the page says. '.repeat(20).trim();
    const html =
      `<div class="menu">Menu</div><main><h1>Title<a class="headerlink">¶</a></h1><p>${said}</p>` +
      '<pre># a comment\nrun</pre></main><div>Beside</div>';
    const [document] = (await read(t, 'a.html', html)).documents;
    assert.equal(document?.text, `# Title\n\n${said}\n\n\`\`\`\n# a comment\nrun\n\`\`\``);
  });

  it('becomes text with headings, without navigation, scripts, styles and footers', async (t) => {
    const [document] = (await read(t, 'page.html', await fixture('page.html'))).documents;
    assert.equal(document?.title, 'Wind & birds');
    assert.equal(document?.verbatim, false);
    assert.match(
      document?.text ?? '',
      /^# Wind turbines\n\nTurbines kill birds, but cats kill more\.\n\n## Siting\n/,
    );
    assert.match(document?.text ?? '', /Away from ridges[\s\S]*Ridge\s+12/);
    assert.doesNotMatch(document?.text ?? '', /Home|script text|color|Imprint|Wind & birds/);
  });

  it('is decoded as declared', async (t) => {
    const html = '<meta charset="iso-8859-2"><p>Zażółć gęślą jaźń</p>';
    const [document] = (await read(t, 'a.htm', iconv.encode(html, 'iso-8859-2'))).documents;
    assert.equal(document?.text, 'Zażółć gęślą jaźń');
  });

  it('may be a fragment, broken, or endlessly nested', async (t) => {
    assert.equal((await read(t, 'a.html', '<p>unclosed <b>bold')).documents[0]?.text, 'unclosed bold');
    const deep = await read(t, 'deep.html', `<p>seen</p>${'<div>'.repeat(20_000)}unseen`);
    assert.match(deep.documents[0]?.text ?? '', /^seen/);
    assert.equal((await read(t, 'a.html', '<b>'.repeat(1_000_000))).skipped[0]?.reason, 'broken');
    assert.equal((await read(t, 'a.html', '<p>a<br>'.repeat(30_000))).documents.length, 1);
  });
});

describe('PDF', () => {
  it('gives the text of all pages and the title', async (t) => {
    const [document] = (await read(t, 'congestion.pdf', await fixture('congestion.pdf'))).documents;
    assert.equal(document?.title, 'Congestion charges');
    assert.match(
      document?.text ?? '',
      /shortens journeys in the centre\.\s+It falls hardest[\s\S]*\n\nOn the second page/,
    );
  });

  it('has its metadata fields, except the producing programs', async (t) => {
    const [document] = (await read(t, 'congestion.pdf', await fixture('congestion.pdf'))).documents;
    assert.deepEqual(document?.fields, { author: 'anonymous', subject: 'unspecified', date: '2000-01-01' });
  });

  it('is skipped without a report if broken, encrypted or only scanned', async (t) => {
    const whole = await fixture('congestion.pdf');
    const noise = t.mock.method(console, 'log');
    const warnings = t.mock.method(console, 'warn');
    const folder = await folderWith(t, {
      'cut.pdf': whole.subarray(0, 300),
      'none.pdf': 'this is no PDF',
      'encrypted.pdf': await fixture('encrypted.pdf'),
      'scanned.pdf': await fixture('scanned.pdf'),
    });
    const { reasons, of } = await scan(folder);
    assert.deepEqual(reasons, {
      'cut.pdf': 'broken',
      'encrypted.pdf': 'encrypted',
      'none.pdf': 'broken',
      'scanned.pdf': 'empty',
    });
    assert.match(of('skipped').find(({ path: file }) => file.endsWith('scanned.pdf'))?.message ?? '', /OCR/);
    assert.equal(noise.mock.callCount() + warnings.mock.callCount(), 0);
  });
});

describe('Word documents', () => {
  it('become text with headings', async (t) => {
    const [document] = (await read(t, 'a.docx', await fixture('night-trains.docx'))).documents;
    assert.equal(document?.title, 'Night trains in Europe');
    assert.match(
      document?.text ?? '',
      /^# Night trains in Europe\n\nNight trains replace[\s\S]*\n## Costs\n/,
    );
  });

  it('have the fields of their properties, if there are any that can be read', async (t) => {
    const archive = await JSZip.loadAsync(await fixture('night-trains.docx'));
    const fieldsWith = async (properties: string | undefined): Promise<unknown> => {
      if (properties !== undefined) archive.file('docProps/core.xml', properties);
      const bytes = await archive.generateAsync({ type: 'nodebuffer' });
      const [document] = (await read(t, 'a.docx', bytes)).documents;
      assert.equal(document?.title, 'Night trains in Europe');
      return document?.fields;
    };
    assert.equal(await fieldsWith(undefined), undefined);
    const properties = `<cp:coreProperties><dc:title/><dc:creator>Kim &amp; Lee&#33;</dc:creator><cp:keywords></cp:keywords>
      <cp:category>Rail</cp:category><dcterms:created xsi:type="dcterms:W3CDTF">2021-05-04T10:00:00Z</dcterms:created>`;
    assert.deepEqual(await fieldsWith(properties), {
      author: 'Kim & Lee!',
      category: 'Rail',
      date: '2021-05-04',
    });
    assert.equal(await fieldsWith('<dc:creator>never closed'), undefined);
    assert.deepEqual(await fieldsWith('<dc:creator>&#x110000;&none;</dc:creator>'), {
      author: '&#x110000;&none;',
    });
  });

  it('are skipped if the archive is truncated or of another kind', async (t) => {
    const whole = await fixture('night-trains.docx');
    const folder = await folderWith(t, { 'cut.docx': whole.subarray(0, 700), 'text.docx': 'text' });
    assert.deepEqual((await scan(folder)).reasons, { 'cut.docx': 'broken', 'text.docx': 'broken' });
  });
});

describe('notebooks', () => {
  it('become the sources of their cells, code in fences', async (t) => {
    const [document] = (await read(t, 'notebook.ipynb', await fixture('notebook.ipynb'))).documents;
    assert.equal(document?.title, 'Retrieval notes');
    assert.equal(
      document?.text,
      "# Retrieval notes\nBoth sides of the question.\n\n````python\n# a comment, no heading\nprint('```')\n````\n\nThe end.",
    );
  });

  it('may be of format 3', async (t) => {
    const old = {
      worksheets: [
        {
          cells: [
            { cell_type: 'heading', level: 2, source: 'Old' },
            { cell_type: 'code', input: 'x = 1' },
          ],
        },
      ],
    };
    assert.equal(
      (await read(t, 'a.ipynb', JSON.stringify(old))).documents[0]?.text,
      '## Old\n\n```\nx = 1\n```',
    );
  });

  it('are skipped if they are invalid', async (t) => {
    const folder = await folderWith(t, {
      'a.ipynb': '{"cells": ',
      'b.ipynb': '[]',
      'c.ipynb': '{"cells": []}',
      'd.ipynb': '{"cells": {}}',
    });
    assert.deepEqual((await scan(folder)).reasons, {
      'a.ipynb': 'broken',
      'b.ipynb': 'broken',
      'c.ipynb': 'empty',
      'd.ipynb': 'broken',
    });
  });
});

describe('CSV', () => {
  it('has one record per row, with quotes, line breaks and first lines', async (t) => {
    const csv = '\uFEFFid,Title,Text\r\nr1,First,"One, ""two""\r\nthree"\r\n\r\nr2,,Second\r\n';
    const { documents, end } = await read(t, 'rows.csv', csv);
    assert.deepEqual(documents, [
      {
        id: 'r1',
        title: 'First',
        text: 'One, "two"\r\nthree',
        verbatim: false,
        recordLine: 1,
        isRecord: true,
      },
      { id: 'r2', title: '', text: 'Second', verbatim: false, recordLine: 4, isRecord: true },
    ]);
    assert.equal(end?.problemCount, 0);
  });

  it('reports ragged and empty rows and keeps the others', async (t) => {
    const { documents, end } = await read(t, 'rows.csv', 'a,text\n1,one\n2\n3,three,x\n4,\n5,five\n');
    assert.deepEqual(
      documents.map(({ id, text }) => [id, text]),
      [
        ['rows.csv#1', 'one'],
        ['rows.csv#3', 'three'],
        ['rows.csv#5', 'five'],
      ],
    );
    assert.deepEqual(problems(end), [
      'Line 3: 1 fields where the header has 2; read as far as they go.',
      'Line 3: the text is empty.',
      'Line 4: 3 fields where the header has 2; read as far as they go.',
      'Line 5: the text is empty.',
    ]);
  });

  it('is as fast for short rows under a header with thousands of columns', async (t) => {
    const columns = Array.from({ length: 5_000 }, (_, place) => `c${place}`).join(',');
    const { documents } = await read(t, 'wide.csv', `${columns},text\n${'1\n'.repeat(15_000)}2,3\n`);
    assert.deepEqual(documents, []);
    const lines = await read(t, 'untold.csv', `${columns}\n${'1\n'.repeat(15_000)}2,3\n`);
    assert.equal(lines.documents.at(-1)?.text, 'c0: 2\nc1: 3');
  });

  it('is not read if its header has more columns than any table', async (t) => {
    const columns = Array.from({ length: 20_001 }, (_, place) => `c${place}`).join(',');
    const { documents, skipped } = await read(t, 'wide.csv', `${columns}\n1\n`);
    assert.deepEqual(documents, []);
    assert.match(
      skipped[0]?.message ?? '',
      /Line 1: the header has 20001 columns; at most 20000 are read\.$/u,
    );
  });

  it('keeps text before an unclosed quotation mark', async (t) => {
    const { documents, end } = await read(t, 'rows.csv', 'text\none\n"two\nthree\nfour');
    assert.deepEqual(
      documents.map(({ text }) => text),
      ['one'],
    );
    assert.match(problems(end)?.[0] ?? '', /^Line 3: a quotation mark is opened and never closed/);
  });

  it('detects the delimiter, and reads quotes in TSV literally', async (t) => {
    assert.equal((await read(t, 'a.csv', 'id;text\n1;a, b\n')).documents[0]?.text, 'a, b');
    assert.equal(
      (await read(t, 'a.tsv', 'id\ttext\n1\t"Stop," she said\n2\ttwo\n')).documents[0]?.text,
      '"Stop," she said',
    );
    assert.equal((await read(t, 'b.tsv', 'id\ttext\n1\t"a ""b"""\n')).documents[0]?.text, 'a "b"');
  });

  it('uses the configured column, or all columns if none is known to be text', async (t) => {
    const csv = 'name,claim,text\nn1,c1,t1\n';
    assert.equal(
      (await read(t, 'a.csv', csv, { textField: 'claim', idField: 'name' })).documents[0]?.text,
      'c1',
    );
    assert.equal(
      (await read(t, 'a.csv', csv, { textField: 'claim', idField: 'name' })).documents[0]?.id,
      'n1',
    );
    assert.equal(
      (await read(t, 'a.csv', 'city,cost\nRome,3\nOslo,\n')).documents[0]?.text,
      'city: Rome\ncost: 3',
    );
    const missing = await read(t, 'a.csv', csv, { textField: 'nope' });
    assert.equal(missing.skipped[0]?.reason, 'broken');
    assert.match(missing.skipped[0]?.message ?? '', /no text in the field "nope"/);
  });

  it('is decoded like any text', async (t) => {
    const csv = 'text\nGrößere Straßen füllen sich schnell, kleinere müssen büßen.\n'.repeat(3);
    const { documents } = await read(t, 'a.csv', Buffer.from(csv, 'latin1'));
    assert.equal(documents[0]?.text, 'Größere Straßen füllen sich schnell');
  });

  it('with only a header is empty', async (t) => {
    assert.equal((await read(t, 'a.csv', 'id,text\n')).skipped[0]?.reason, 'empty');
  });
});

describe('JSONL', () => {
  it('reads BEIR, LangChain and LlamaIndex records and their lines', async (t) => {
    const lines = [
      { _id: 'b1', title: 'Beir', text: 'beir text', metadata: {} },
      { page_content: 'python text', metadata: { title: 'Meta' } },
      { pageContent: 'javascript text', metadata: {}, id: 'js' },
      {
        lc: 1,
        type: 'constructor',
        id: ['langchain', 'Document'],
        kwargs: { page_content: 'kwargs text', id: 'k1' },
      },
      { id_: 'l1', text_resource: { text: 'resource text' }, metadata: {} },
      { id_: 'l2', text: 'node text', class_name: 'TextNode' },
      { _id: 7, title: 'Title alone', text: '' },
    ];
    const { documents } = await read(
      t,
      'c.jsonl',
      `\uFEFF${lines.map((line) => JSON.stringify(line)).join('\n\n')}`,
    );
    assert.deepEqual(
      documents.map(({ id, title, text, recordLine }) => [id, title, text, recordLine]),
      [
        ['b1', 'Beir', 'beir text', 0],
        ['c.jsonl#2', 'Meta', 'python text', 2],
        ['js', '', 'javascript text', 4],
        ['k1', '', 'kwargs text', 6],
        ['l1', '', 'resource text', 8],
        ['l2', '', 'node text', 10],
        ['7', 'Title alone', 'Title alone', 12],
      ],
    );
    assert.ok(documents.every(({ isRecord, verbatim }) => isRecord && !verbatim));
  });

  it('reports invalid lines with their numbers and continues', async (t) => {
    const content = Buffer.concat([
      Buffer.from('{"text":"one"}\n{"text":\n[1]\n\n{"other":1}\n{"text":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}\nnull\n{"text":"größer"}\n{"text":" "}\n'),
    ]);
    const { documents, end } = await read(t, 'c.jsonl', content);
    assert.deepEqual(
      documents.map(({ id, text }) => [id, text]),
      [
        ['c.jsonl#1', 'one'],
        ['c.jsonl#7', 'größer'],
      ],
    );
    assert.deepEqual(
      problems(end)?.map((message) => message.replace(/ \(.*\)/, '')),
      [
        'Line 2: not valid JSON.',
        'Line 3: no field with text; name it with textField.',
        'Line 5: no field with text; name it with textField.',
        'Line 6: not valid UTF-8.',
        'Line 7: no field with text; name it with textField.',
        'Line 9: the text is empty.',
      ],
    );
  });

  it('may be UTF-16', async (t) => {
    const { documents } = await read(
      t,
      'c.jsonl',
      iconv.encode('{"text":"größer 😀"}\n{"text":"b"}\n', 'utf-16le', { addBOM: true }),
    );
    assert.deepEqual(
      documents.map(({ text }) => text),
      ['größer 😀', 'b'],
    );
  });

  it('uses a configured field, with dots into objects', async (t) => {
    const line = JSON.stringify({ doc: { body: ['a', 'b'], key: 5 }, 'doc.title': 'x', text: 'no' });
    const { documents } = await read(t, 'c.jsonl', line, { textField: 'doc.body', idField: 'doc.key' });
    assert.deepEqual(
      documents.map(({ id, text }) => [id, text]),
      [['5', 'a\nb']],
    );
  });

  it('is skipped if no line is a record', async (t) => {
    const { skipped } = await read(t, 'c.jsonl', '{"a":1}\n{"b":2}\n');
    assert.equal(skipped[0]?.reason, 'broken');
    assert.match(skipped[0]?.message ?? '', /^No record could be read\. Line 1: .* 1 more like it\.$/);
  });
});

describe('JSON', () => {
  const record = { id: 'r', text: 'text' };

  it('reads lists of records in all usual places', async (t) => {
    for (const value of [
      [record],
      { documents: [record] },
      { data: [record] },
      { 'docstore/data': { r: { __data__: record } } },
    ]) {
      const { documents } = await read(t, 'a.json', JSON.stringify(value));
      assert.deepEqual(
        documents.map(({ id, text, isRecord }) => [id, text, isRecord]),
        [['r', 'text', true]],
        JSON.stringify(value),
      );
    }
  });

  it('reads a single record if it is unambiguous', async (t) => {
    const read1 = async (value: unknown, config = {}) =>
      (await read(t, 'a.json', JSON.stringify(value), config)).documents[0];
    assert.equal((await read1({ page_content: 'pc' }))?.text, 'pc');
    assert.equal((await read1({ _id: 'x', text: 'beir' }))?.id, 'x');
    assert.equal((await read1({ a: { b: 'deep' } }, { textField: 'a.b' }))?.text, 'deep');
    assert.equal((await read1({ name: 'pkg', description: 'A package.' }))?.verbatim, true);
  });

  it('reads anything else as text', async (t) => {
    for (const text of ['{\n  "a": [1, 2]\n}\n', '[1, 2]', '"text"', '[{"a": 1}]']) {
      const { documents, end } = await read(t, 'a.json', text);
      assert.deepEqual(
        documents.map((document) => [document.text, document.verbatim]),
        [[text, true]],
      );
      assert.equal(end?.problemCount, 0);
    }
  });

  it('reads one record a line, and reports invalid JSON', async (t) => {
    const perLine = await read(t, 'a.json', '{"text":"a"}\n{"text":\n\n{"text":"c"}\n');
    assert.deepEqual(
      perLine.documents.map(({ id, recordLine }) => [id, recordLine]),
      [
        ['a.json#1', 0],
        ['a.json#3', 3],
      ],
    );
    assert.equal(perLine.end?.problemCount, 1);
    const cut = await read(t, 'a.json', '[{"text":"a"},');
    assert.equal(cut.documents[0]?.verbatim, true);
    assert.match(problems(cut.end)?.[0] ?? '', /not valid JSON .* read as plain text/);
  });

  it('reports records without text and keeps the others', async (t) => {
    const { documents, end } = await read(t, 'a.json', JSON.stringify([record, { x: 1 }, { text: 'c' }]));
    assert.deepEqual(
      documents.map(({ id }) => id),
      ['r', 'a.json#3'],
    );
    assert.match(problems(end)?.[0] ?? '', /^Record 2: no field with text/);
  });
});

describe('a file called .txt', () => {
  it('has the headings of its language', () => {
    const styles = {
      "NAME\n----\n\n[verse]\n'git add' [<options>]\n": 'asciidoc',
      'Title\n=====\n\ninclude::config.txt[]\n': 'asciidoc',
      'gitignore(5)\n============\n\nNAME\n----\ngitignore - files\n': 'asciidoc',
      'An entry::\n\tText of it.\n+\nMore of it.\n': 'asciidoc',
      'As here:\n\n----\n$ git add file.c\n\n$ git commit\n----\n\nDone.\n': 'asciidoc',
      'Lead.\r\n\r\n-----\r\n$ git add file.c\r\n-----\r\n\r\nDone.\r\n': 'asciidoc',
      'Lead.\n\n-----\nTitle\n-----\n\nText.\n': 'markdown',
      'One.\n\n----\n\nTwo.\n\n----\n\nThree.\n': 'markdown',
      'A sum: 1\n+ 1\n\n----\nnever closed\n': 'markdown',
      'Title\n=====\n\n.. note:: It is.\n': 'rst',
      'Notes\n=====\n\n[1] A footnote, and [verse] in a line.\n': 'markdown',
    };
    for (const [text, style] of Object.entries(styles))
      assert.equal(textFormOf('a.txt', text).headings, style, text);
    assert.equal(textFormOf('a.md', '[verse]\ntext').headings, 'markdown');
  });
});

describe('fields of documents', () => {
  const fieldsIn = async (t: TestContext, name: string, content: string) =>
    (await read(t, name, content)).documents.map(({ fields }) => fields);

  it('are at the beginning of texts and pages', async (t) => {
    assert.deepEqual(await fieldsIn(t, 'a.md', '---\nauthor: Kim\n---\n# A'), [{ author: 'Kim' }]);
    const page = '<head><meta name="date" content="2019"></head><p>text';
    assert.deepEqual(await fieldsIn(t, 'a.html', page), [{ date: '2019' }]);
    assert.deepEqual(await fieldsIn(t, 'a.md', '# A'), [undefined]);
  });

  it('are short values of records, beside text, title and id, from metadata first', async (t) => {
    const record = {
      id: 'r',
      title: 'T',
      text: 'Long.',
      year: 2019,
      open: true,
      tags: ['a', 'b'],
      about: { nested: 'x' },
      body: 'x'.repeat(300),
      author: 'outer',
      metadata: { Author: 'Kim', page: 3 },
    };
    const expected = { author: 'outer', page: '3', year: '2019', open: 'true', tags: 'a\nb' };
    assert.deepEqual(await fieldsIn(t, 'a.jsonl', JSON.stringify(record)), [expected]);
    assert.deepEqual(await fieldsIn(t, 'a.json', JSON.stringify([record])), [expected]);
    assert.deepEqual(await fieldsIn(t, 'a.csv', 'id,text,Author\n1,Long.,Kim\n2,Short.,'), [
      { author: 'Kim' },
      undefined,
    ]);
  });
});
