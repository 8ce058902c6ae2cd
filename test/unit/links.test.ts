/** Every `{@link X}` of a doc comment names something in the file or in its imports. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';

const LINK = /\{@link\s+([\w$.#]+)/gu;

/** Top-level names of a file, and `Class.member` for its classes and interfaces. */
function namesOf(file: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  const add = (name: ts.Node | undefined): void => {
    if (name && ts.isIdentifier(name)) names.add(name.text);
  };
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) {
      const { importClause } = statement;
      add(importClause?.name);
      const bindings = importClause?.namedBindings;
      if (bindings && ts.isNamespaceImport(bindings)) add(bindings.name);
      else bindings?.elements.forEach(({ name }) => add(name));
    } else if (ts.isVariableStatement(statement))
      statement.declarationList.declarations.forEach(({ name }) => add(name));
    else if ('name' in statement) add(statement.name as ts.Node);
  }
  return names;
}

/** Links of a file to unknown names. */
function deadLinks(name: string, text: string): string[] {
  if (!text.includes('{@link')) return [];
  const names = namesOf(ts.createSourceFile(name, text, ts.ScriptTarget.Latest));
  return [...text.matchAll(LINK)]
    .map(([, target]) => target!)
    .filter((target) => !names.has(target.split(/[.#]/u)[0]!) && !isMember(text, target));
}

/** Within a class, its members are linked by name only. */
function isMember(text: string, target: string): boolean {
  return new RegExp(
    `^\\s+(?:(?:async|readonly|static|get|set) )*#?${target.replace('#', '')}[?(:<! ]`,
    'mu',
  ).test(text);
}

test('every {@link} names something in its file', () => {
  const dead = ['src', 'webview', 'bench'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('kernels/assembly'))
      .map((name) => path.join(folder, name))
      .flatMap((name) => deadLinks(name, readFileSync(name, 'utf8')).map((target) => `${name}: ${target}`)),
  );
  assert.deepEqual(dead, []);
});

test('finds a link to an unknown name', () => {
  const text = `import { b } from './b.ts';\n/** {@link b}, {@link C.d}, {@link e} {@link gone} */\nclass C { d = 1; }\nfunction e() {}\n`;
  assert.deepEqual(deadLinks('x.ts', text), ['gone']);
});
