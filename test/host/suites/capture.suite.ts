/** Captured retrievals in a real editor: spans of a real exporter, the list, and the lens at the call. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import * as vscode from 'vscode';
import type { ParallaxApi } from '../../../src/extension/main.ts';
import { hostTest } from '../companion/host-test.ts';

const PATIENCE = 300_000;
const QUESTION = 'Should Tarnbridge charge drivers to enter the town centre?';
const PROGRAM = `from langchain_chroma import Chroma
from langchain_openai import OpenAIEmbeddings

store = Chroma("kb", OpenAIEmbeddings(model="text-embedding-3-small"))
retriever = store.as_retriever(search_kwargs={"k": 5})
passages = retriever.invoke("${QUESTION}")
`;
const extension = vscode.extensions.getExtension<ParallaxApi>('parallax.parallax-rag');
const folder = (): vscode.Uri => vscode.workspace.workspaceFolders![0]!.uri;

async function until<T>(what: () => Promise<T | undefined> | T | undefined, why: () => string): Promise<T> {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(100)) {
    const found = await what();
    if (found !== undefined) return found;
  }
  throw new Error(why());
}

async function captured(): Promise<string[]> {
  return (await extension!.activate()).captured();
}

/** The address for spans, as terminals of the extension receive it. */
async function endpoint(): Promise<string> {
  await vscode.commands.executeCommand('parallax.openCaptureTerminal');
  const terminal = await until(
    () => vscode.window.terminals.findLast(({ name }) => name === 'Parallax capture'),
    () => 'no terminal was opened',
  );
  const { env } = terminal.creationOptions as vscode.TerminalOptions;
  terminal.dispose();
  const url = env?.['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  assert.ok(url, JSON.stringify(env));
  return url;
}

/** Sends the spans of an instrumented program that has retrieved. */
async function retrieve(url: string, texts: readonly string[], code: Record<string, string | number>) {
  const processor = new SimpleSpanProcessor(new OTLPTraceExporter({ url }));
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  const documents = texts.map((text, place) => [`retrieval.documents.${place}.document.content`, text]);
  const attributes = {
    'openinference.span.kind': 'RETRIEVER',
    'input.value': QUESTION,
    ...(Object.fromEntries(documents) as Record<string, string>),
    ...code,
  };
  const tracer = provider.getTracer('openinference.instrumentation.langchain');
  tracer.startSpan('VectorStoreRetriever', { attributes }).end();
  await provider.forceFlush();
  await provider.shutdown();
}

/** A text that the corpus's splitter keeps as one passage. */
async function firstWords(name: string): Promise<string> {
  const uri = vscode.Uri.joinPath(folder(), 'docs/congestion-charge', name);
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  return /^(?:\s*\S+){100}/u.exec(text)![0];
}

async function opened(path: string): Promise<vscode.TextDocument> {
  const uri = vscode.Uri.joinPath(folder(), path);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(PROGRAM));
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { preview: false });
  return document;
}

/** Replaces a text that occurs in the document once. */
async function edited(document: vscode.TextDocument, before: string, after: string): Promise<void> {
  const start = document.getText().indexOf(before);
  const range = new vscode.Range(document.positionAt(start), document.positionAt(start + before.length));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, range, after);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

async function titles(document: vscode.TextDocument): Promise<string[]> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    document.uri,
  );
  return lenses.flatMap(({ command }) => (command?.command.startsWith('parallax.') ? [command.title] : []));
}

async function listening(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}

hostTest(
  'retrievals of a running program are listed and shown at their call',
  async () => {
    const document = await opened('app/captured_test.py');
    try {
      assert.ok(!(await titles(document)).some((title) => title.startsWith('captured')));
      await vscode.commands.executeCommand('parallax.indexCorpus');
      await vscode.commands.executeCommand('parallax.startCapture');
      const url = await endpoint();
      const code = { 'code.filepath': document.uri.fsPath, 'code.lineno': 6 };
      await retrieve(url, [await firstWords('council-paper.md'), 'Nothing that the corpus holds.'], code);
      const [line] = await until(
        async () => {
          const lines = await captured();
          return lines.length > 0 ? lines : undefined;
        },
        () => 'nothing is listed',
      );
      assert.match(line!, /^Should Tarnbridge charge drivers/u);
      assert.match(
        line!,
        / · 2 passages · 50% match the index · (?:nothing judged yet|MRecall@2 (?:≥ )?\d+% · )/u,
      );
      const lens = await until(
        async () => (await titles(document)).find((title) => /^captured: 1 question/u.test(title)),
        () => 'the lens does not come',
      );
      assert.match(
        lens,
        /^captured: 1 question · (?:MRecall@5 –|k=5 · (?:≥ )?\d of \d perspectives) \(\d+% judged/u,
      );
      assert.ok(!(await titles(document)).some((title) => title.includes('stand-in')), 'one kind of figures');
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        document.uri,
        document.positionAt(PROGRAM.indexOf('as_retriever') + 2),
      );
      const hover = hovers
        .flatMap(({ contents }) => contents.map((part) => (part as vscode.MarkdownString).value))
        .find((part) => part.includes('**Captured**'));
      assert.ok(hover?.includes('your own program retrieved this while it ran'), hover);
      await edited(document, '"k": 5', '"k": 8');
      await until(
        async () => (await titles(document)).find((title) => /^captured: .* \(stale\)$/u.test(title)),
        () => 'what the call retrieved before the edit does not become stale',
      );
      await edited(document, '"k": 8', '"k": 5');
      await until(
        async () => (await titles(document)).find((title) => title === lens),
        () => 'the call asks for what it did, and what it retrieved stays stale',
      );
      await document.save();
    } finally {
      await vscode.commands.executeCommand('parallax.stopCapture');
      await vscode.commands.executeCommand('parallax.clearCaptured');
    }
    assert.deepEqual(await captured(), []);
    await until(
      async () => ((await titles(document)).some((title) => title.startsWith('captured')) ? undefined : true),
      () => 'the lens stays',
    );
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await vscode.workspace.fs.delete(document.uri);
  },
  { timeout: 150_000 },
);

hostTest(
  'stopping closes the port, and the next start has another address',
  async () => {
    await vscode.commands.executeCommand('parallax.startCapture');
    const first = await endpoint();
    assert.equal(await listening(first), true);
    await vscode.commands.executeCommand('parallax.stopCapture');
    assert.equal(await listening(first), false);
    await vscode.commands.executeCommand('parallax.startCapture');
    const second = await endpoint();
    assert.notEqual(new URL(second).pathname, new URL(first).pathname);
    await vscode.commands.executeCommand('parallax.stopCapture');
    assert.equal(await listening(second), false);
  },
  { timeout: 120_000 },
);

hostTest(
  "VS Code's agents send to the receiver after consent, and the user's settings are back when capturing stops",
  async () => {
    const settings = (): vscode.WorkspaceConfiguration =>
      vscode.workspace.getConfiguration('github.copilot.chat.otel');
    const global = vscode.ConfigurationTarget.Global;
    await settings().update('otlpEndpoint', 'http://localhost:9999', global);
    try {
      const done = vscode.commands.executeCommand('parallax.captureAgents');
      await until(
        async () => {
          await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
          return settings().get('enabled') === true && settings().get('captureContent') === true
            ? true
            : undefined;
        },
        () => 'the settings are not set',
      );
      await done;
      const base = settings().get<string>('otlpEndpoint')!;
      const agentHost = (): vscode.WorkspaceConfiguration =>
        vscode.workspace.getConfiguration('chat.agentHost.otel');
      assert.deepEqual(
        ['enabled', 'captureContent', 'otlpEndpoint'].map((name) => agentHost().inspect(name)?.globalValue),
        [true, true, base],
      );
      assert.match(base, /^http:\/\/127\.0\.0\.1:\d+\/[^/]{16,}$/u);
      await retrieve(`${base}/v1/traces`, ['Nothing that the corpus holds.'], {});
      await until(
        async () => ((await captured()).length > 0 ? true : undefined),
        () => 'what was sent to the address in the settings does not arrive',
      );
      await vscode.commands.executeCommand('parallax.stopCapture');
      assert.equal(settings().inspect('enabled')?.globalValue, undefined);
      assert.equal(settings().inspect('captureContent')?.globalValue, undefined);
      assert.equal(settings().inspect('otlpEndpoint')?.globalValue, 'http://localhost:9999');
      assert.equal(agentHost().inspect('enabled')?.globalValue, undefined);
      assert.equal(agentHost().inspect('otlpEndpoint')?.globalValue, undefined);
    } finally {
      await vscode.commands.executeCommand('parallax.stopCapture');
      await vscode.commands.executeCommand('parallax.clearCaptured');
      await settings().update('otlpEndpoint', undefined, global);
    }
  },
  { timeout: 120_000 },
);
