/** Globs that never finish, names that every object inherits, and text that is active where it is shown. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dataInLog, isInWorkflow, printable } from '../../../src/cli/presentation/printable.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { parseEvalSet } from '../../../src/core/formats/queries.ts';
import { parseRanxRun } from '../../../src/core/formats/exchange/ranx.ts';
import { parseRun } from '../../../src/core/formats/exchange/trec.ts';
import { parseRetrieved } from '../../../src/core/formats/retrieved.ts';
import { escapeCsv, escapeHtml, escapeMarkdown } from '../../../src/core/reports/escape.ts';
import { REPORT_FORMATS } from '../../../src/core/reports/report.ts';
import { globProblem } from '../../../src/core/text/glob-limits.ts';
import { Selection } from '../../../src/engine/corpus/selection.ts';
import { Embedders } from '../../../src/engine/embedders/embedders.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { Judges } from '../../../src/engine/judges/judges.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { withoutSecret } from '../../../src/engine/without-secret.ts';
import { parseConfig } from '../../../src/extension/workspace/workspace-model.ts';
import { keyOf } from '../../../src/shared/key-names.ts';
import { reportWith } from '../reports/support.ts';

describe('globs', () => {
  it('are refused if matching takes exponential time', () => {
    const slow = [
      '*a*a*a*a*b',
      '**/a/**/a/**/a/**/b',
      '+(a*)b',
      '*(a|+(b))c',
      `${'a'.repeat(2000)}*`,
      '{x,*a*a*a*b}',
      'eval/{1..100000000}.jsonl',
      '{a,b,c,d,e,f,g,h}'.repeat(12),
      '{a,{b,{c,{1..999}}}}',
      `{1..257}`,
      '{a..z}{1..10}',
      '{-5..300}',
      '{10..1000}',
      '{1..99999..10}',
      '{a,{1..200}{b,c}}',
      `{\\},${'x,'.repeat(256)}}`,
    ];
    for (const pattern of slow) {
      assert.ok(globProblem(pattern), pattern);
      for (const config of [
        { include: [pattern], exclude: [] },
        { include: [], exclude: [pattern] },
      ])
        assert.throws(
          () => new Selection(config, '/base', []),
          (error) => ParallaxError.is(error, 'bad-config'),
        );
      assert.throws(() => new Selection({ include: [], exclude: [] }, '/base', [pattern]));
    }
  });

  it('are accepted if people commonly write them', () => {
    const usual = [
      '**/*.md',
      'docs/**',
      '**/{a,b}/**/*.{md,txt}',
      'eval/{1..12}-{a..f}.jsonl',
      '{not closed',
      '\\{1..1000000}',
      '*.test.*',
      '!(drafts)/**',
      '@(a|b)*.md',
      '[a-z]?.txt',
      '**/node_modules/**',
      'x'.repeat(1000),
      '{1..256}',
      '{0..1275..5}',
      '{300..1..-2}',
      '{a..z}{1..9}',
      '{x1..300}{1..300x}',
      '{d..[}',
      'a*b*c*',
    ];
    for (const pattern of usual) assert.equal(globProblem(pattern), undefined, pattern);
  });

  it('are quoted in full in the error if they are short', () => {
    assert.match(globProblem('*a*a*a*b')!, /"\*a\*a\*a\*b"/u);
    assert.match(globProblem('x'.repeat(1001))!, /"x{100}…"/u);
  });

  it('finish on every name once they are accepted', () => {
    const part = fc.constantFrom('*', '**', '/', 'a', '?', '+(a)', '*(a|b)', '[ab]', '{a,b}', '!(a)', '.');
    const pattern = fc.array(part, { minLength: 1, maxLength: 16 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(pattern, (glob) => {
        if (globProblem(glob) !== undefined) return;
        const select = new Selection({ include: [glob], exclude: [] }, '/base', []);
        // If the time grew without bound, the test would not end.
        for (const name of ['a'.repeat(250), `${'a/'.repeat(60)}b`]) select.wants('/base', `/base/${name}`);
      }),
      { numRuns: 300, seed: 8 },
    );
  });
});

const CHAIN = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
const isClean = (): boolean =>
  !('polluted' in {}) && Object.prototype.toString.call({}) === '[object Object]';

describe('names that every object inherits', () => {
  it('pollute no prototype, whichever file contains them', () => {
    const nested = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const readers: Readonly<Record<string, () => unknown>> = {
      config: () => parseConfig(`{"corpora":${nested}}`),
      'config, nested': () => parseConfig(`{"pipelines":{"a":${nested}},"__proto__":{"polluted":1}}`),
      'eval set': () =>
        parseEvalSet(
          `{"id":"__proto__","question":"q","perspectives":["p"],"__proto__":{"polluted":1}}`,
          'set',
        ),
      ranx: () => parseRanxRun(`{"__proto__":{"polluted":1},"constructor":{"prototype":1}}`, 'run'),
      'TREC run': () => parseRun('__proto__ Q0 polluted 1 2 t\nconstructor Q0 __proto__ 1 2 t\n'),
      'what a retriever retrieved': () =>
        parseRetrieved(
          '{"id":"__proto__","results":[{"id":"__proto__","score":1,"__proto__":{"polluted":1}}]}',
          'run',
        ),
    };
    for (const [name, parse] of Object.entries(readers)) {
      try {
        parse();
      } catch (error) {
        assert.ok(ParallaxError.is(error), `${name}: ${String(error)}`);
      }
      assert.ok(isClean(), name);
    }
  });

  it('are ordinary query ids', () => {
    const run = parseRun('__proto__ Q0 a 1 2 t\n').run;
    assert.deepEqual([...run.keys()], ['__proto__']);
  });

  it('find no judge, embedder or key', async () => {
    const database = openDatabase(':memory:');
    const judges = new Judges({ judges: {}, keys: {} }, new JudgementCache(database), undefined);
    const embedders = new Embedders({ embedders: {}, keys: {}, base: '/' });
    for (const name of CHAIN) {
      assert.throws(
        () => judges.get(name),
        (error) => ParallaxError.is(error, 'bad-argument'),
        name,
      );
      await assert.rejects(embedders.get(name), (error) => ParallaxError.is(error, 'bad-pipeline'), name);
      assert.equal(keyOf({}, name), undefined);
    }
    database.close();
  });
});

describe('active text', () => {
  it('is no formula in a spreadsheet', () => {
    const formulas = [
      '=1+1',
      '+1+1',
      '-1+1',
      '@SUM(1)',
      '\t=1',
      '\r=1',
      '\n=1',
      ' =1',
      '\u00a0=1',
      '\u200b=1',
      '\uff1d1',
      '\uff0b1',
      '-',
      '=cmd|"/c calc"!A1',
    ];
    for (const text of formulas) assert.match(escapeCsv(text), /^"'/u, JSON.stringify(text));
    for (const text of ['plain', '-1.5', '1e-7', '', 'a=b', '−1.1'])
      assert.equal(escapeCsv(text), `"${text}"`);
    assert.equal(escapeCsv('a "b",\nc'), '"a ""b"",\nc"');
  });

  it('is neither markup nor an external image in a report', () => {
    const text = '<img src=http://evil/x onerror=alert(1)>![](http://evil/x)[y](command:z)"\'&';
    assert.doesNotMatch(escapeHtml(text), /[<>"']/u);
    assert.doesNotMatch(escapeMarkdown(text), /<|(?<!\\)[[\]]|[^\\]:\/\//u);
  });

  it('controls neither a terminal nor a workflow', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const shown = printable(`a\n${text}`, true);
        assert.doesNotMatch(
          shown,
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u,
        );
        assert.ok(shown.isWellFormed());
      }),
      { seed: 8 },
    );
    assert.equal(printable('a\tb\r\nc\u200f\n'), 'a\tb\nc\u200f\n');
    assert.equal(printable('::x\n  ::y\na::b', true), '\uFFFD::x\n  \uFFFD::y\na::b');
    assert.equal(printable('::x ##[y]'), '::x ##[y]');
  });

  it('contains no command for the runner of a workflow', () => {
    const signs = ['#', '[', '::', '\n', ' ', 'vso', 'teamcity', 'section_', 'start:', '1', '\u001B', 'a'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...signs), { maxLength: 12 }), (parts) => {
        assert.deepEqual(commandsIn(printable(parts.join(''), true)), []);
      }),
      { seed: 8, numRuns: 2_000 },
    );
    assert.equal(printable('a ##VSO[task.x]', true), 'a #\uFFFD#VSO[task.x]');
    assert.equal(printable('section_start:1:x', true), 'section\uFFFD_start:1:x');
  });

  it('is escaped for a runner, which environment variables identify', () => {
    assert.ok(isInWorkflow({ TF_BUILD: 'True' }));
    assert.ok(isInWorkflow({ GITLAB_CI: 'true' }));
    assert.ok(isInWorkflow({ CI: '1' }));
    assert.ok(!isInWorkflow({ CI: 'false', GITHUB_ACTIONS: '' }));
  });
});

/** The commands that runners of GitHub, Azure, TeamCity and GitLab look for. */
function commandsIn(text: string): string[] {
  return [...text.matchAll(/^\s*::|##\w*\[|section_(?:start|end):\d+|[\u001b\u009b]/gimu)].map(String);
}

describe('data in the log of a workflow', () => {
  const value = {
    '##[group]a': ['x ##[add-mask]e', '##vso[task.x]', '## [no', '#[#', 'section_end:1:x', '\u009b31m\u202e'],
  };

  it('keeps its value and contains no command as JSON and JSON Lines', () => {
    for (const json of [JSON.stringify(value, null, 2), `${JSON.stringify(value)}\n`]) {
      const shown = dataInLog(json);
      assert.deepEqual(JSON.parse(shown), value);
      assert.deepEqual(commandsIn(shown), []);
    }
    const lines = `${JSON.stringify(value)}\r\n${JSON.stringify([value])}\n`;
    assert.deepEqual(
      dataInLog(lines)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [value, [value]],
    );
  });

  it('is refused in formats that cannot escape a command', () => {
    for (const data of ['q1 Q0 ##[d] 1 2 tag', '::error::x Q0 d 1 2 tag', '{ Q0 ##[d] 1 2 tag', 'a\u001b[2J'])
      assert.throws(() => dataInLog(data), /would run as a log command\. Write the output to a file\.$/u);
    assert.equal(dataInLog('q1 Q0 d::e 1 2 tag\r\n'), 'q1 Q0 d::e 1 2 tag\r\n');
  });

  it('contains no command of a report except annotations, whatever the names', () => {
    const hostile = '::error::x ##[error]y ##vso[task.z] section_start:1:a \u001b[2J\r\n::stop-commands::b';
    const texts = { dataset: hostile, pipeline: hostile, query: hostile, question: hostile };
    const report = reportWith({ ...texts, perspective: hostile, file: hostile, judge: hostile });
    for (const [format, write] of Object.entries(REPORT_FORMATS)) {
      const shown = format === 'json' || format === 'sarif' ? dataInLog(write(report)) : write(report);
      const found = commandsIn(shown);
      if (format === 'github') assert.equal(found.length, shown.trimEnd().split('\n').length);
      else assert.deepEqual(found, [], format);
    }
  });
});

describe('a key in an error', () => {
  it('is removed in every form in which it was sent', () => {
    const key = 'planted/key+"1"';
    const basic = Buffer.from(`user:${key}`).toString('base64');
    const said = `${key} ${encodeURIComponent(key)} ${JSON.stringify(key)} ${basic}`;
    assert.equal(withoutSecret(said, key, 'user'), '… … "…" …');
    assert.equal(withoutSecret('nothing was sent', undefined), 'nothing was sent');
    assert.equal(withoutSecret('the word none stays', 'none'), 'the word none stays');
  });
});
