/**
 * Regular expressions applied to foreign text run in linear time. One line of a document, or one file of a repository,
 * must not block the engine or the extension host for minutes.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { analyse } from 'scslre';
import ts from 'typescript';
import { beginsAgain } from './repeated-beginnings.ts';

const FOLDERS = ['src', 'webview'];

/** Super-linear on long input, and why their input is never long. */
const BOUNDED: Readonly<Record<string, string>> = {
  [String.raw`/\B(?=(?:\d{3})+$)/g`]: 'the digits of a number that Parallax counted',
  [String.raw`/^title:[ \t]*(.+?)[ \t]*$/m`]: 'the first 10,000 characters of a file',
  [String.raw`/\S+$/u`]: 'a message that was cut to a few hundred characters',
  [String.raw`/[\w$]*$/u`]: 'what stands before a word of a program, as many letters as a name may have',
  [String.raw`/\b(?:\w*Retrieval\w*(?:QA|Chain)\w*|VectorDBQA\w*|create_retrieval_chain|createRetrievalChain)\b.*\(\)$/u`]:
    'the dotted name of what a program calls, which stands in one line of it',
  [String.raw`/\b(?:await|void|yield)\s+[^;={}]*$/u`]: 'as much before a call as a name may have',
  [String.raw`/[\p{ID_Continue}$]*$/u`]: 'the 80 characters before the end of a name',
  [String.raw`/"?[\w-]*$/u`]: 'a line of the editor up to the cursor, when the user types',
  [String.raw`/^([ \t]*%{1,2}(?:time|timeit|prun|capture)\b(?:[ \t]+-\S+)*)(.*)$/u`]:
    'a line of a notebook, which has no line separator within',
};

interface Literal {
  readonly place: string;
  readonly text: string;
}

function literalsIn(file: string): Literal[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const literals: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      literals.push({ place: `${file}:${line + 1}`, text: node.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return literals;
}

function isSuperLinear(literal: string): boolean {
  const end = literal.lastIndexOf('/');
  const { reports } = analyse(
    { source: literal.slice(1, end), flags: literal.slice(end + 1) },
    { reportTypes: { Move: true, Self: true, Trade: true } },
  );
  return reports.length > 0 || beginsAgain(literal);
}

const literals = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => literalsIn(path.join(folder, name))),
);

test('every regular expression runs in linear time, or its text is short', () => {
  const slow = literals.filter(({ text }) => !(text in BOUNDED) && isSuperLinear(text));
  assert.deepEqual(
    slow.map(({ place, text }) => `${place} ${text}`),
    [],
  );
});

/** Fields of rules that are searched for in a whole program or in the arguments of a call. */
const LOOKED_FOR = ['contains', 'carries', 'mentions', 'unless', 'beside', 'pattern'];

function patternsOf(rule: unknown): string[] {
  if (Array.isArray(rule)) return rule.flatMap(patternsOf);
  if (typeof rule !== 'object' || rule === null) return [];
  return Object.entries(rule).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'examples') return [];
    return typeof value === 'string' && LOOKED_FOR.includes(name) ? [value] : patternsOf(value);
  });
}

test('every expression that a rule searches for in a program runs in linear time', () => {
  const files = readdirSync('src/sites/rules', { recursive: true, encoding: 'utf8' });
  const patterns = files
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => patternsOf(JSON.parse(readFileSync(path.join('src/sites/rules', name), 'utf8'))));
  assert.ok(patterns.length > 100);
  assert.deepEqual(
    patterns.filter((pattern) => !pattern.startsWith('^') && isSuperLinear(`/${pattern}/u`)),
    [],
  );
});

test('every exception is still needed', () => {
  for (const text of Object.keys(BOUNDED)) {
    assert.ok(
      literals.some((literal) => literal.text === text),
      `${text} is gone`,
    );
    assert.ok(isSuperLinear(text), `${text} is linear`);
  }
});

test('the audit finds the expressions that once blocked the engine and the extension host', () => {
  for (const text of [
    String.raw`/^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/`,
    String.raw`/[\s.!?…。]+$/u`,
    String.raw`/(?:\bfrom|\bimport|\brequire)\s*\(?\s*(?:'[^'\n]*'|"[^"\n]*")/gu`,
    String.raw`/^[ \t]*from[ \t]+(?<from>[\w.]+)[ \t]+import\b[ \t]*(?<names>\([^)]*\)|[^\n#;]*)/gmu`,
    String.raw`/(?:^|\t)"[^\t\n]*"(?:\t|\r?$)/m`,
    String.raw`/instrumentation[.-](?<library>[\w-]+)$/iu`,
  ])
    assert.ok(isSuperLinear(text), text);
});
