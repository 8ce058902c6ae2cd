/** Texts for users go through `l10n.t`, so that they can be translated. The sources are parsed as TypeScript. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { folderOf } from '../../scripts/lib/rooms.mjs';

/** The command line is excluded: its output is compared in CI logs and stays English. */
const LAYERS = [
  'src/core',
  'src/engine',
  'src/shared',
  'src/sites',
  'src/features/agents/tools',
  'src/extension',
];

interface Source {
  readonly name: string;
  readonly file: ts.SourceFile;
  /** Of the whole file. */
  readonly nodes: readonly ts.Node[];
}

function parse(name: string, text: string): Source {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  return { name, file, nodes: [...nodesOf(file)] };
}

function sourcesOf(layers: readonly string[]): Source[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => path.posix.join('src', name))
    .filter((name) => layers.includes(folderOf(name)?.folder ?? ''))
    .map((name) => parse(name, readFileSync(name, 'utf8')));
}

function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  node.forEachChild((child) => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

/** The place and the first words of a node, for the message. */
function shown({ name, file }: Source, node: ts.Node): string {
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
  return `${name}:${line + 1} ${node.getText(file).replace(/\s+/gu, ' ').slice(0, 80)}`;
}

const isTranslator = (expression: ts.Expression): boolean =>
  /^(vscode\.)?l10n\.t$/u.test(expression.getText());

/** A string or template that is not translated. */
const isText = (node: ts.Node): node is ts.StringLiteralLike | ts.TemplateExpression =>
  ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

function wordsOf(node: ts.StringLiteralLike | ts.TemplateExpression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
}

/** The raw texts that an expression may be. Texts from calls and variables are checked where they are created. */
function rawTexts(expression: ts.Expression, { nodes }: Pick<Source, 'nodes'>): ts.Node[] {
  const within = (part: ts.Expression): ts.Node[] => rawTexts(part, { nodes });
  if (isText(expression)) return [expression];
  if (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression))
    return within(expression.expression);
  if (ts.isConditionalExpression(expression))
    return [...within(expression.whenTrue), ...within(expression.whenFalse)];
  if (ts.isBinaryExpression(expression)) return [...within(expression.left), ...within(expression.right)];
  // `…`.trim()
  if (ts.isCallExpression(expression) && ts.isPropertyAccessExpression(expression.expression))
    return isTranslator(expression.expression) ? [] : within(expression.expression.expression);
  if (ts.isIdentifier(expression)) return constantOf(expression.text, nodes).flatMap(within);
  return [];
}

/** The initialisers of the constants with a name in the same file. */
function constantOf(name: string, nodes: readonly ts.Node[]): ts.Expression[] {
  return nodes
    .filter(ts.isVariableDeclaration)
    .filter((declared) => ts.isIdentifier(declared.name) && declared.name.text === name)
    .flatMap(({ initializer }) => (initializer && !ts.isIdentifier(initializer) ? [initializer] : []));
}

function rawErrors(source: Source): string[] {
  const names = errorNames(source);
  return source.nodes.flatMap((node) => {
    const [, message] = errorArguments(node, names) ?? [];
    return message ? rawTexts(message, source).map((text) => shown(source, text)) : [];
  });
}

/** `ParallaxError`, and the classes of the file that only extend it. */
function errorNames({ nodes }: Source): Set<string> {
  const same = nodes
    .filter(ts.isClassDeclaration)
    .filter((declared) => extendsError(declared) && !declared.members.some(ts.isConstructorDeclaration));
  return new Set(['ParallaxError', ...same.flatMap(({ name }) => name?.text ?? [])]);
}

/** The arguments of a `ParallaxError`, or of a class that extends it: id, message, options. */
function errorArguments(node: ts.Node, names: ReadonlySet<string>): readonly ts.Expression[] | undefined {
  if (ts.isNewExpression(node)) return names.has(node.expression.getText()) ? node.arguments : undefined;
  const isSuper = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword;
  return isSuper && extendsError(ts.findAncestor(node, ts.isClassLike)) ? node.arguments : undefined;
}

function extendsError(declared: ts.ClassLikeDeclaration | undefined): boolean {
  return declared?.heritageClauses?.some((clause) => clause.getText() === 'extends ParallaxError') ?? false;
}

/** Properties that the editor shows. */
const SHOWN_PROPERTIES = new Set([
  ...['placeHolder', 'placeholder', 'title', 'prompt', 'label', 'tooltip', 'detail', 'description'],
  ...['message', 'validationMessage'],
]);
const SHOWN_ARGUMENTS =
  /\.(showInformationMessage|showWarningMessage|showErrorMessage|setStatusBarMessage)$/u;

/** More than one word: ids, commands and file names contain no blanks. */
const isSentence = (node: ts.Node): boolean =>
  isText(node) && /\p{L}{2}/u.test(wordsOf(node)) && /[\p{L}\p{P}…] [\p{L}…]/u.test(wordsOf(node));

function rawDialogs(source: Source): string[] {
  const handed = source.nodes.flatMap((node): readonly ts.Expression[] => {
    if (ts.isCallExpression(node) && SHOWN_ARGUMENTS.test(node.expression.getText())) return node.arguments;
    if (ts.isPropertyAssignment(node))
      return SHOWN_PROPERTIES.has(node.name.getText()) ? [node.initializer] : [];
    // item.tooltip = …
    const isSet = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
    const isShown =
      isSet && ts.isPropertyAccessExpression(node.left) && SHOWN_PROPERTIES.has(node.left.name.text);
    return isShown ? [node.right] : [];
  });
  return handed
    .flatMap((expression) => rawTexts(expression, source))
    .filter(isSentence)
    .map((text) => shown(source, text));
}

/** Calls of `l10n.t` outside of functions, which run before the language is known. */
function earlyTexts(source: Source): string[] {
  return source.nodes
    .filter(
      (node) =>
        (ts.isTaggedTemplateExpression(node) && isTranslator(node.tag)) ||
        (ts.isCallExpression(node) && isTranslator(node.expression)),
    )
    .filter((node) => !runsLater(node))
    .map((node) => shown(source, node));
}

function runsLater(node: ts.Node): boolean {
  for (let outer = node.parent; !ts.isSourceFile(outer); outer = outer.parent) {
    if (ts.isFunctionLike(outer)) return true;
    if (ts.isPropertyDeclaration(outer))
      return !outer.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);
  }
  return false;
}

/** The collector reads literals only, so other texts would never reach translators. */
function uncollected(source: Source): string[] {
  return source.nodes
    .filter(ts.isCallExpression)
    .filter(({ expression, arguments: [text] }) => {
      if (!isTranslator(expression)) return false;
      const message = text && ts.isObjectLiteralExpression(text) ? messageIn(text) : text;
      return message === undefined || !ts.isStringLiteralLike(message);
    })
    .map((node) => shown(source, node));
}

function messageIn(options: ts.ObjectLiteralExpression): ts.Expression | undefined {
  return options.properties.filter(ts.isPropertyAssignment).find(({ name }) => name.getText() === 'message')
    ?.initializer;
}

describe('texts for users', () => {
  const sources = sourcesOf(LAYERS);
  const inEditor = sources.filter(({ name }) => name.startsWith(path.join('src', 'extension')));

  test('the sentences of errors', () => {
    assert.deepEqual(sources.flatMap(rawErrors), []);
  });

  test('messages, dialogs, trees and progress of the editor', () => {
    assert.ok(inEditor.length > 50);
    assert.deepEqual(inEditor.flatMap(rawDialogs), []);
  });

  test('none is looked up while a module loads, before the language is known', () => {
    assert.deepEqual(sources.flatMap(earlyTexts), []);
  });

  test('all are collected, because every lookup is a literal', () => {
    assert.deepEqual(sources.flatMap(uncollected), []);
  });
});

describe('the checks see', () => {
  const see = (check: (source: Source) => string[], code: string): number =>
    check(parse('example.ts', code)).length;

  test('find a raw sentence of an error, however it is wrapped', () => {
    for (const message of [
      "'Type a question first.'",
      '`There is no ${name}.`',
      '`${a} ${b}`.trim()',
      "known ? l10n.t('Yes.') : `No ${name}.`",
      "error.message ?? 'Nothing.'",
      "'One. ' + l10n.t('Two.')",
    ])
      assert.equal(see(rawErrors, `throw new ParallaxError('bad-file', ${message});`), 1, message);
    const subclass = 'class E extends ParallaxError { constructor(p) { super("bad-file", `No ${p}.`); } }';
    assert.equal(see(rawErrors, subclass), 1);
    assert.equal(see(rawErrors, "class E extends ParallaxError {} throw new E('bad-file', 'No file.');"), 1);
    assert.equal(see(rawErrors, "const s = `No ${a}.`; throw new ParallaxError('bad-file', s);"), 1);
    for (const message of [
      'l10n.t`No ${name}.`',
      "vscode.l10n.t('No {0}.', name)",
      'error.message',
      'why(x)',
    ])
      assert.equal(see(rawErrors, `throw new ParallaxError('bad-file', ${message});`), 0, message);
  });

  test('find a raw sentence that the editor would show', () => {
    assert.equal(see(rawDialogs, "vscode.window.showErrorMessage('It did not work.', 'Show Log');"), 2);
    assert.equal(see(rawDialogs, 'withProgress({ title: `Judging with ${judge}` }, run);'), 1);
    assert.equal(see(rawDialogs, "const item = { label: 'Set k', id: 'set k' };"), 1);
    assert.equal(see(rawDialogs, "view.message = busy ? 'Still at work.' : undefined;"), 1);
    assert.equal(
      see(rawDialogs, "showErrorMessage(vscode.l10n.t('Oh no.')); f({ label: name, title: 'k=?' });"),
      0,
    );
  });

  test('find lookups that run too early or that the collector misses', () => {
    assert.equal(see(earlyTexts, "const A = l10n.t('Too early.'); const b = { c: l10n.t`So early.` };"), 2);
    assert.equal(see(earlyTexts, "const a = () => l10n.t('Late.'); class B { c = l10n.t('Late.'); }"), 0);
    assert.equal(see(earlyTexts, "class B { static c = l10n.t('Too early.'); }"), 1);
    assert.equal(
      see(uncollected, "l10n.t(sentence); l10n.t('a' + 'b'); l10n.t({ message: x, comment: '' });"),
      3,
    );
    assert.equal(see(uncollected, "l10n.t('One {0}.', x); l10n.t({ message: 'One.', comment: 'c' });"), 0);
  });
});
