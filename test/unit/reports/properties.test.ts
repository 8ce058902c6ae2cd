/** Every output is well-formed and contains the texts of any query: a real parser reads each back. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DOMParser } from '@xmldom/xmldom';
import fc from 'fast-check';
import { marked, type Token } from 'marked';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { escapeLatex, escapeMarkdown, oneLine } from '../../../src/core/reports/escape.ts';
import { toGitHub } from '../../../src/core/reports/github.ts';
import { withoutControls, withoutMarks } from '../../../src/core/reports/log-commands.ts';
import { toHtml } from '../../../src/core/reports/html.ts';
import { withoutFullStop } from '../../../src/core/text/trim.ts';
import { toJUnit } from '../../../src/core/reports/junit.ts';
import { REPORT_FORMATS } from '../../../src/core/reports/report.ts';
import { toSarif } from '../../../src/core/reports/sarif.ts';
import { reportWith } from './support.ts';

const snippet = fc.constantFrom(
  ...['<', '>', '&', '"', "'", ']]>', '<!--', '-->', '</td>', '<script>', '&amp;', '&#x0;', '%', '%0A', '::'],
  ...[
    '\r',
    '\n',
    '\r\n',
    '\t',
    '\0',
    '\u0001',
    '\u001B[31m',
    '\u007F',
    '\u0085',
    '\u2028',
    '\uFFFE',
    '\uFFFF',
  ],
  ...['\uD800', '\uDC00', '😀', '\u202E', '|', '`', '**', '__', '[a](b)', '![a](b)', '# ', '- ', '1. ', '+ '],
  ...[
    '##[error]',
    'section_end:1:a',
    'http://a.b',
    'www.a.b',
    '~~',
    '$$',
    '\\',
    '{',
    '}',
    '#',
    '_',
    '^',
    '~',
    '\u{1FFFE}',
    ' ',
    'word',
  ],
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.array(snippet, { maxLength: 8 }).map((parts) => parts.join('')),
);
const reports = fc
  .record({
    dataset: text,
    pipeline: text,
    query: text,
    question: text,
    perspective: text,
    file: text,
    judge: text,
  })
  .map((texts) => ({ texts, report: reportWith(texts) }));

/** A text as XML returns it: without characters that XML cannot contain. */
const inXml = (value: string): string =>
  value.toWellFormed().replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/gu, '\uFFFD');

const withoutOrders = (value: string): string => withoutMarks(withoutControls(value));

/** Attributes by element: required by the schema of Ant's JUnit task and allowed by the schema of Jenkins. */
const JUNIT: Readonly<Record<string, readonly string[]>> = {
  testsuites: [],
  testsuite: [
    ...['name', 'package', 'id', 'hostname', 'timestamp'],
    ...['tests', 'failures', 'errors', 'skipped', 'time'],
  ],
  properties: [],
  property: ['name', 'value'],
  testcase: ['classname', 'name', 'time'],
  failure: ['message', 'type'],
  'system-out': [],
  'system-err': [],
};

describe('with any texts', () => {
  test('JUnit is well-formed XML with the texts in its attributes', () => {
    fc.assert(
      fc.property(reports, ({ texts, report }) => {
        const problems: string[] = [];
        const document = new DOMParser({
          errorHandler: (_, message) => void problems.push(String(message)),
        }).parseFromString(toJUnit(report), 'text/xml');
        assert.deepEqual(problems, []);
        const cases = [...Array.from({ length: 3 }, (_, i) => document.getElementsByTagName('testcase')[i]!)];
        assert.equal(cases[2]!.getAttribute('name'), `query ${inXml(texts.query)}`);
        const [, failure] = Array.from({ length: 2 }, (_, i) => document.getElementsByTagName('failure')[i]!);
        assert.equal(failure!.getAttribute('message'), inXml(texts.question));
        assert.ok(
          failure!.textContent!.includes(`Newly lost: ${inXml(withoutFullStop(texts.perspective))} (`),
        );
      }),
      { numRuns: 300, seed: 6 },
    );
  });

  test('JUnit has the elements and attributes that the schemas of Ant and Jenkins require and allow', () => {
    fc.assert(
      fc.property(reports, ({ report }) => {
        const document = new DOMParser().parseFromString(toJUnit(report), 'text/xml');
        for (const element of Array.from(document.getElementsByTagName('*'))) {
          const allowed = JUNIT[element.tagName]!;
          const found = Array.from(element.attributes, ({ name }) => name);
          assert.deepEqual(found.sort(), [...allowed].sort(), element.tagName);
        }
        for (const suite of Array.from(document.getElementsByTagName('testsuite'))) {
          const parts = Array.from(suite.childNodes, ({ nodeName }) => nodeName);
          const order = [...new Set(parts.filter((name) => name !== '#text'))];
          assert.deepEqual(order, ['properties', 'testcase', 'system-out', 'system-err']);
          assert.match(suite.getAttribute('timestamp')!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/u);
        }
      }),
      { numRuns: 50, seed: 6 },
    );
  });

  test('HTML has no parse error, only its own elements, and the texts as text', () => {
    const plain = elementsOf(toHtml(reportWith({ ...EMPTY, question: 'x' })));
    fc.assert(
      fc.property(reports, ({ texts, report }) => {
        const html = toHtml(report);
        const errors: string[] = [];
        const document = parse(html, { onParseError: ({ code }) => errors.push(code) });
        assert.deepEqual(errors, []);
        assert.deepEqual(elementsOf(html), plain);
        const shown = textOf(document);

        const control =
          /[\u0000-\u0008\u000B\u000E-\u001F\u007F-\u009F\u202A-\u202E\p{Noncharacter_Code_Point}]/gu;
        const expected = texts.question.toWellFormed().replace(/\r\n?/gu, '\n').replace(control, '\uFFFD');
        assert.ok(shown.includes(expected), `${JSON.stringify(expected)} in ${JSON.stringify(shown)}`);
      }),
      { numRuns: 300, seed: 6 },
    );
  });

  test('JSON and SARIF contain the texts, and paths are relative URIs', () => {
    fc.assert(
      fc.property(reports, ({ texts, report }) => {
        assert.deepEqual(JSON.parse(REPORT_FORMATS.json(report)), JSON.parse(JSON.stringify(report)));
        const log = JSON.parse(toSarif(report)) as {
          runs: {
            results: {
              message: { text: string };
              locations: { physicalLocation: { artifactLocation: { uri: string } } }[];
            }[];
          }[];
        };
        const result = log.runs[0]!.results[1]!;
        assert.ok(result.message.text.includes(texts.question));
        const { uri } = result.locations[0]!.physicalLocation.artifactLocation;
        assert.match(uri, /^[\w\-.~!*'()/%]*$/u);
        assert.equal(decodeURIComponent(uri), texts.file.toWellFormed().replaceAll('\\', '/'));
      }),
      { numRuns: 300, seed: 6 },
    );
  });

  test('GitHub: every command is one line and reads back as the texts', () => {
    fc.assert(
      fc.property(reports, ({ texts, report }) => {
        const commands = toGitHub(report).trimEnd().split('\n');
        assert.equal(commands.length, 3 + report.notes.length);
        const [, level, properties, data] = /^::(\w+) ([^]*?)::([^]*)$/u.exec(commands[1]!)!;
        assert.equal(level, 'warning');
        const fields = new Map(
          properties!.split(',').map((property) => property.split(/=(.*)/su) as unknown as [string, string]),
        );
        assert.equal(unescaped(fields.get('file')!), withoutOrders(texts.file));
        assert.equal(unescaped(fields.get('title')!), withoutOrders(`${texts.pipeline}: ${texts.query}`));
        assert.ok(unescaped(data!).startsWith(withoutOrders(`${texts.question}\nMissed: `)));
        assert.ok(commands.every((command) => !command.includes('\r')));
      }),
      { numRuns: 300, seed: 6 },
    );
  });

  test('Markdown renders the texts as plain text, at the start of a line and within', () => {
    fc.assert(
      fc.property(text, (own) => {
        for (const before of ['- ', 'within ', '| ']) {
          const line =
            before === '| ' ? `| h |\n| --- |\n| ${escapeMarkdown(own)} |` : before + escapeMarkdown(own);
          const kinds = new Set<string>();
          marked.walkTokens(marked.lexer(line), ({ type }: Token) => void kinds.add(type));
          for (const kind of [
            'html',
            'link',
            'image',
            'codespan',
            'strong',
            'em',
            'del',
            'heading',
            'hr',
            'code',
            'blockquote',
          ])
            assert.ok(!kinds.has(kind), `${kind} in ${JSON.stringify(line)}`);
          const rendered = textOf(parse(marked.parse(line, { async: false })))
            .replace(/\s+/gu, ' ')
            .trim();
          const expected = `${{ '- ': '', 'within ': 'within ', '| ': 'h ' }[before]!}${oneLine(own)}`;
          assert.equal(rendered, expected.replace(/\s+/gu, ' ').trim(), JSON.stringify(line));
        }
      }),
      { numRuns: 500, seed: 6 },
    );
  });

  test('LaTeX has only commands for single characters', () => {
    const signs =
      /\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|textquotedbl|textperiodcentered)\{\}|^\s*:\{\}(?=:)|\\[&%$#_{}]|\$(?:-|\\ge|\\alpha)\$/gu;
    fc.assert(
      fc.property(text, (own) => {
        assert.ok(!/[\\&%$#_{}~^]/u.test(escapeLatex(own).replace(signs, '')));
      }),
      { numRuns: 500, seed: 6 },
    );
  });
});

const EMPTY = {
  dataset: 'a',
  pipeline: 'b',
  query: 'c',
  question: 'd',
  perspective: 'e',
  file: 'f',
  judge: 'g',
};

/** Parses a command as the runner of a workflow does. */
function unescaped(value: string): string {
  return value
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%');
}

function elementsOf(html: string): string[] {
  const names: string[] = [];
  walk(parse(html), (node) => {
    if ('tagName' in node) names.push(`${node.tagName} ${node.attrs.map(({ name }) => name).join(' ')}`);
  });
  return names;
}

function textOf(document: DefaultTreeAdapterTypes.Node): string {
  let shown = '';
  walk(document, (node) => {
    if ('value' in node) shown += node.value;
  });
  return shown;
}

function walk(node: DefaultTreeAdapterTypes.Node, visit: (node: DefaultTreeAdapterTypes.Node) => void): void {
  visit(node);
  if ('childNodes' in node) for (const child of node.childNodes) walk(child, visit);
}
