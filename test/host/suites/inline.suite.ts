/** Figures beside the code, in a real editor: the sample programs, an evaluation, checks and a what-if. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ParallaxApi } from '../../../src/extension/main.ts';
import { hostTest } from '../companion/host-test.ts';

const PATIENCE = 300_000;
const extension = vscode.extensions.getExtension<ParallaxApi>('parallax.parallax-rag');
const folder = (): vscode.Uri => vscode.workspace.workspaceFolders![0]!.uri;

async function opened(path: string, content?: string): Promise<vscode.TextDocument> {
  const uri = vscode.Uri.joinPath(folder(), path);
  if (content !== undefined) await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(content));
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { preview: false });
  return document;
}

async function lenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
  const all = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    document.uri,
  );
  return all.filter(({ command }) => command?.command.startsWith('parallax.'));
}

/** Titles of the lenses of each call, in document order. */
async function titles(document: vscode.TextDocument): Promise<string[][]> {
  const byLine = new Map<number, string[]>();
  for (const { range, command } of await lenses(document))
    byLine.set(range.start.line, [...(byLine.get(range.start.line) ?? []), command!.title]);
  return [...byLine].sort(([a], [b]) => a - b).map(([, own]) => own);
}

async function until<T>(what: () => Promise<T | undefined> | T | undefined, why: string): Promise<T> {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(100)) {
    const found = await what();
    if (found !== undefined) return found;
  }
  throw new Error(why);
}

async function run(document: vscode.TextDocument, title: RegExp, line?: number): Promise<void> {
  const lens = (await lenses(document)).find(
    ({ command, range }) => title.test(command!.title) && (line === undefined || range.start.line === line),
  );
  assert.ok(lens?.command, `no lens ${String(title)} in ${JSON.stringify(await titles(document))}`);
  await vscode.commands.executeCommand(lens.command.command, ...(lens.command.arguments as unknown[]));
}

const PLAIN = `from langchain_chroma import Chroma
from langchain_openai import OpenAIEmbeddings

store = Chroma("kb", OpenAIEmbeddings(model="text-embedding-3-small"))
retriever = store.as_retriever(search_kwargs={"k": 5})
`;

hostTest('every call of both sample programs has lenses, and none was evaluated', async () => {
  assert.deepEqual(await titles(await opened('app/rag.py')), [
    ['Run to see what this call misses', 'Try a stand-in'],
    ['Run to see what this call misses', 'Try a stand-in'],
  ]);
  assert.deepEqual(await titles(await opened('app/rag.ts')), [
    ['Run to see what this call misses', 'Try a stand-in'],
  ]);
});

hostTest(
  'an evaluation shows figures beside its call alone, and its hover says that they are rebuilt',
  async () => {
    const document = await opened('app/rag.py');
    await run(document, /^Try a stand-in$/u);
    const [first, second] = await titles(document);
    assert.equal(first?.length, 4);
    assert.match(first[0]!, /^MRecall@5 (?:≥ )?\d+% \(stand-in\)$/u);
    assert.match(first[1]!, /^P@5 (?:≥ )?\d+%$/u);
    assert.match(first[2]!, /^(?:\+MMR 0\.75|\+(?:words|meaning)) (?:no difference|[+−]\d+\.\d pts\??)$/u);
    assert.match(first[3]!, /^Details$/u);
    assert.deepEqual(second, ['Run to see what this call misses', 'Try a stand-in']);
    const [lens] = await lenses(document);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      lens!.range.start,
    );
    const text = hovers.flatMap(({ contents }) =>
      contents.map((part) => (part as vscode.MarkdownString).value),
    );
    const own = text.find((each) => each.includes('**Rebuilt**'));
    assert.ok(own, text.join('\n'));
    for (const said of ['your retriever was not asked', '95% interval', 'written in the call', 'questions;'])
      assert.ok(own.includes(said), `${said}: ${own}`);
  },
  { timeout: 120_000 },
);

hostTest('figures move with their call, and are stale once its arguments change', async () => {
  const document = await opened('app/rag.py');
  const editor = await vscode.window.showTextDocument(document);
  const [before] = await lenses(document);
  await editor.edit((change) => change.insert(new vscode.Position(0, 0), '\n\n'));
  const [moved] = await lenses(document);
  assert.equal(moved!.range.start.line, before!.range.start.line + 2);
  assert.equal(moved!.command!.title, before!.command!.title);
  const k = document.getText().indexOf('k=5)') + 2;
  await editor.edit((change) =>
    change.replace(new vscode.Range(document.positionAt(k), document.positionAt(k + 1)), '3'),
  );
  const [changed] = await titles(document);
  assert.match(changed![0]!, /^MRecall@5 (?:≥ )?\d+% \(stand-in, stale\)$/u);
  assert.equal(changed![3], 'Evaluate again');
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
});

hostTest(
  'a call bound to a command is measured by it, and the hover says so',
  async () => {
    const config = vscode.Uri.joinPath(folder(), 'parallax.json');
    const original = await vscode.workspace.fs.readFile(config);
    const parsed = JSON.parse(new TextDecoder().decode(original)) as { pipelines: Record<string, unknown> };
    parsed.pipelines['prod'] = {
      retriever: { type: 'command', command: [process.execPath, 'app/retriever.test.cjs'] },
      k: 5,
    };
    await vscode.workspace.fs.writeFile(
      vscode.Uri.joinPath(folder(), 'app/retriever.test.cjs'),
      new TextEncoder().encode(RETRIEVER),
    );
    await vscode.workspace.fs.writeFile(config, new TextEncoder().encode(JSON.stringify(parsed)));
    try {
      const document = await opened(
        'app/bound_test.py',
        PLAIN.replace('retriever = ', '# parallax: retriever=prod\nretriever = '),
      );
      await until(
        async () => ((await titles(document))[0]?.at(-1) === 'Evaluate (measured)' ? true : undefined),
        'the call is not bound',
      );
      await run(document, /^Evaluate \(measured\)$/u);
      const [own] = await titles(document);
      assert.match(own![0]!, /^MRecall@5 ≥ \d+% measured$/u);
      assert.equal(own![3], 'Details');
    } finally {
      await vscode.workspace.fs.writeFile(config, original);
      await removed('app/bound_test.py', 'app/retriever.test.cjs');
    }
  },
  { timeout: 120_000 },
);

hostTest(
  'a what-if opens a preview of the edit and changes no file',
  async () => {
    const document = await opened('app/plain_test.py', PLAIN);
    const [lens] = await lenses(document);
    const [target] = lens!.command!.arguments as [object];
    await vscode.commands.executeCommand('parallax.previewWhatIf', { ...target, whatIf: '+MMR 0.75' });
    const tab = await until(() => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputTextDiff ? input : undefined;
    }, 'no comparison of texts is open');
    assert.equal(tab.original.toString(), document.uri.toString());
    const preview = await vscode.workspace.openTextDocument(tab.modified);
    assert.match(preview.getText(), /search_type="mmr".*"lambda_mult": 0\.75/u);
    assert.equal(document.getText(), PLAIN);
    assert.equal(document.isDirty, false);
    await vscode.commands.executeCommand('parallax.applyWhatIf', tab.modified);
    assert.equal(document.getText(), preview.getText());
    assert.equal(vscode.window.activeTextEditor?.document, document);
    assert.ok(
      vscode.window.tabGroups.activeTabGroup.tabs.every(
        ({ input }) => !(input instanceof vscode.TabInputTextDiff),
      ),
      'a preview that says "nothing is changed" does not stay behind the change',
    );
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), PLAIN);
    await document.save();
    await removed('app/plain_test.py');
  },
  { timeout: 120_000 },
);

hostTest('a preview is offered only for calls with a known edit', async () => {
  const hover = async (document: vscode.TextDocument): Promise<string> => {
    const [lens] = await lenses(document);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      lens!.range.start,
    );
    return hovers
      .flatMap(({ contents }) => contents.map((part) => (part as vscode.MarkdownString).value))
      .join('\n');
  };
  const unknownStore =
    'from stores import opened\n\nretriever = opened().as_retriever(search_kwargs={"k": 5})\n';
  assert.match(await hover(await opened('app/offered_test.py', PLAIN)), /Preview \+MMR 0\.75/u);
  const other = await hover(
    await opened(
      'app/unoffered_test.py',
      `from langchain_core.vectorstores import VectorStore\n${unknownStore}`,
    ),
  );
  assert.match(other, /Evaluate/u);
  assert.doesNotMatch(other, /Preview/u);
  await removed('app/offered_test.py', 'app/unoffered_test.py');
});

hostTest('a retriever of another file has its figures there, with a link to it', async () => {
  const store = vscode.Uri.joinPath(folder(), 'app/nearby_store_test.py');
  await vscode.workspace.fs.writeFile(store, new TextEncoder().encode(PLAIN));
  const document = await opened(
    'app/nearby_test.py',
    'from nearby_store_test import retriever\n\nretriever.invoke("q")\n',
  );
  const link = await until(async () => {
    const all = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
    );
    return all.find(({ command }) => command?.title.includes('app/nearby_store_test.py, line 5'));
  }, 'no link');
  assert.equal(link.range.start.line, 2);
  assert.deepEqual(await titles(document), []);
  // The editor translates its command for opening files here.
  const { command, arguments: target } = link.command!;
  await vscode.commands.executeCommand(command, ...(target as unknown[]));
  await until(
    () => vscode.window.activeTextEditor?.document.uri.toString() === store.toString() || undefined,
    'the other file was not opened',
  );
  await removed('app/nearby_test.py', 'app/nearby_store_test.py');
});

hostTest('a click on a figure opens the compare panel', async () => {
  const document = await opened('app/rag.py');
  await run(document, /^MRecall@5 (?:≥ )?\d+%/u);
  await until(
    () =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .find(({ label }) => label === 'Compare Pipelines'),
    'the compare panel did not open',
  );
});

hostTest('an argument without effect gets a warning with documentation and a quick fix', async () => {
  const document = await opened('app/lint_test.py', PLAIN.replace('search_kwargs={"k": 5}', 'k=5'));
  const [problem] = await until(() => {
    const own = vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === 'Parallax');
    return own.length > 0 ? own : undefined;
  }, 'no diagnostic');
  assert.equal(problem!.severity, vscode.DiagnosticSeverity.Warning);
  const code = problem!.code as { value: string; target: vscode.Uri };
  assert.equal(code.value, 'langchain-ignored-argument');
  assert.match(code.target.toString(), /^https:/u);
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    document.uri,
    problem!.range,
  );
  const fix = actions.find(({ edit, kind }) => edit && kind?.value === 'quickfix');
  assert.ok(fix?.edit, JSON.stringify(actions.map(({ title }) => title)));
  await vscode.workspace.applyEdit(fix.edit);
  assert.match(document.getText(), /search_kwargs=\{"k": 5\}/u);
  await until(
    () =>
      vscode.languages.getDiagnostics(document.uri).every(({ source }) => source !== 'Parallax')
        ? true
        : undefined,
    'the diagnostic stays',
  );
  await document.save();
  await removed('app/lint_test.py');
});

hostTest('checks can be switched off, and so can the lenses', async () => {
  const settings = vscode.workspace.getConfiguration('parallax');
  const document = await opened('app/off_test.py', PLAIN.replace('search_kwargs={"k": 5}', 'k=5'));
  const own = (): vscode.Diagnostic[] =>
    vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === 'Parallax');
  await until(() => (own().length > 0 ? true : undefined), 'no diagnostic');
  try {
    await settings.update('diagnostics.disabled', ['langchain-ignored-argument']);
    await until(() => (own().length === 0 ? true : undefined), 'the diagnostic stays');
    await settings.update('inline.display', 'off');
    assert.deepEqual(await titles(document), []);
  } finally {
    await settings.update('diagnostics.disabled', undefined);
    await settings.update('inline.display', undefined);
    await removed('app/off_test.py');
  }
});

hostTest('the cells of a notebook are one program', async () => {
  const [imports, call] = [
    PLAIN.slice(0, PLAIN.indexOf('retriever =')),
    PLAIN.slice(PLAIN.indexOf('retriever =')),
  ];
  const cells = [imports, call].map(
    (text) => new vscode.NotebookCellData(vscode.NotebookCellKind.Code, text, 'python'),
  );
  const data = new vscode.NotebookData(cells);
  const notebook = await vscode.workspace.openNotebookDocument('jupyter-notebook', data);
  await vscode.window.showNotebookDocument(notebook);
  const [first, second] = notebook.getCells().map(({ document }) => document);
  // The editor and lenses of a cell appear some time after its notebook.
  const shown = async (): Promise<true | undefined> => {
    try {
      return (await titles(second!)).length > 0 ? true : undefined;
    } catch (error) {
      assert.match(String(error), /Illegal argument/u);
      return undefined;
    }
  };
  await until(shown, 'the cells have no lenses');
  assert.deepEqual(await titles(first!), []);
  assert.deepEqual(await titles(second!), [['Run to see what this call misses', 'Try a stand-in']]);
  // An unsaved notebook would ask for confirmation when a later case closes it.
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
});

hostTest('a program without a known library has no lenses', async () => {
  const document = await opened('app/other_test.py', 'import re\nre.search("a", "b")\n');
  assert.deepEqual(await titles(document), []);
  await removed('app/other_test.py');
});

hostTest('an unknown k is not guessed', async () => {
  const text = PLAIN.replace('{"k": 5}', '{"k": asked}');
  const document = await opened('app/unknown_test.py', text);
  assert.deepEqual(await titles(document), [['Run to see what this call misses', 'Details']]);
  assert.ok(extension?.isActive);
  await removed('app/unknown_test.py');
});

const STORE = `from langchain_chroma import Chroma

store = Chroma("kb")


def search_docs(question):
    return store.similarity_search(question, k=5)
`;

hostTest('a call of a helper in another file has a quiet link to what it retrieves', async () => {
  const store = vscode.Uri.joinPath(folder(), 'app/linked_store_test.py');
  await vscode.workspace.fs.writeFile(store, new TextEncoder().encode(STORE));
  const document = await opened(
    'app/linked_test.py',
    'from linked_store_test import search_docs\n\nfound = search_docs("q")\n',
  );
  const link = await until(async () => {
    const all = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
    );
    return all.find(({ command }) =>
      command?.title.includes('uses the retrieval in app/linked_store_test.py, line 7'),
    );
  }, 'there is no link');
  assert.equal(link.range.start.line, 2);
  assert.deepEqual(await titles(document), []);
  const { command, arguments: target } = link.command!;
  await vscode.commands.executeCommand(command, ...(target as unknown[]));
  await until(() => {
    const editor = vscode.window.activeTextEditor;
    const isThere = editor?.document.uri.toString() === store.toString();
    return (isThere && editor.selection.start.line === 6) || undefined;
  }, 'the line that retrieves was not opened');
  await removed('app/linked_test.py', 'app/linked_store_test.py');
});

async function removed(...paths: string[]): Promise<void> {
  for (const path of paths) await vscode.workspace.fs.delete(vscode.Uri.joinPath(folder(), path));
}

/** The user's own retriever, which returns the same words for every question. */
const RETRIEVER = `
const { createInterface } = require('node:readline');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, k } = JSON.parse(line);
  const results = Array.from({ length: k }, (_, i) => ({ id: 'own-' + i, text: 'Passage ' + i, score: k - i }));
  process.stdout.write(JSON.stringify({ id, results }) + '\\n');
});
`;
