/**
 * Entry point of the extension host's thread that detects calls, so that the host stays responsive whatever a program
 * contains. Independent of the editor.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import * as l10n from '@vscode/l10n';
import { asParallaxError } from '../core/errors.ts';
import { createSiteDetector, type Detection } from '../sites/detector.ts';
import { ParserDamaged } from '../sites/parsing.ts';
import { builtInRules } from '../sites/rules/library.ts';
import { OtherFiles } from '../sites/workspace/other-files.ts';
import type { Found, FromThread, Kept, Request, ThreadBeginnings, ToThread } from './messages.ts';

const { wasmFolder, texts } = workerData as ThreadBeginnings;
if (texts) l10n.config({ contents: { ...texts } });

const detector = createSiteDetector({
  wasm: {
    runtime: () => readFile(path.join(wasmFolder, 'tree-sitter.wasm')),
    grammar: (grammar) => readFile(path.join(wasmFolder, `tree-sitter-${grammar}.wasm`)),
  },
});
const entries = new Map<number, Kept>();
/** Built once for each kept set, because detections are cached by its identity. */
const otherFilesById = new Map<number, OtherFiles>();
const detections = new Map<number, Detection>();

/** Requests are processed one after the other, and so are changes of kept data between them. */
let turn: Promise<unknown> = Promise.resolve();

parentPort?.on('message', (message: ToThread) => {
  turn = turn.then(() => take(message));
});
answer({ hasBegun: true });

async function take(message: ToThread): Promise<void> {
  switch (message.kind) {
    case 'keep':
      entries.set(message.id, message.kept);
      if (message.kept.kind === 'others') otherFilesById.set(message.id, otherFiles(message.kept));
      return;
    case 'drop':
      entries.delete(message.id);
      otherFilesById.delete(message.id);
      detections.delete(message.id);
      return;
    case 'request':
      answer(await answerTo(message.id, message.request));
  }
}

function answer(content: FromThread): void {
  parentPort?.postMessage(content);
}

async function answerTo(id: number, request: Request): Promise<FromThread> {
  try {
    return { id, found: await find(id, request) };
  } catch (thrown) {
    // Ends the thread; the next one creates a new parser.
    if (thrown instanceof ParserDamaged) throw thrown;
    const error = asParallaxError(thrown);
    return { id, error: { id: error.id, message: error.message } };
  }
}

async function find(id: number, request: Request): Promise<Found> {
  switch (request.kind) {
    case 'detect':
      return { kind: 'detect', detection: await detect(id, request) };
    case 'exports': {
      const { text, languageId } = request.file;
      const exports = await detector.exports(text, languageId, { rules: rulesOf(request.rules) });
      return { kind: 'exports', exports };
    }
    case 'callers': {
      const { text, asked: questions, file, asker, files } = request;
      const asking = { file, asker, files: filesOf(files) };
      return {
        kind: 'callers',
        callers: await detector.callers(text.text, text.languageId, questions, asking),
      };
    }
  }
}

async function detect(
  id: number,
  { program, rules, others: known, previous, without, live }: Request & { readonly kind: 'detect' },
): Promise<Detection> {
  const before = previous === undefined ? undefined : detections.get(previous);
  const options = {
    rules: rulesOf(rules),
    otherFiles: known === undefined ? undefined : otherFilesById.get(known),
    previous: before,
    without,
    live,
  };
  const detection =
    'text' in program
      ? await detector.detect(program.text, program.languageId, options)
      : await detector.detectNotebook(program, options);
  detections.set(id, detection);
  return detection;
}

function rulesOf(id: number | undefined) {
  const entry = id === undefined ? undefined : entries.get(id);
  return entry?.kind === 'rules' ? entry.rules : builtInRules();
}

function filesOf(id: number): ReadonlySet<string> {
  const entry = entries.get(id);
  return entry?.kind === 'files' ? entry.files : new Set();
}

function otherFiles({
  file,
  language,
  files,
  exports,
  called,
  implementers,
}: Kept & { readonly kind: 'others' }): OtherFiles {
  return new OtherFiles(file, language, filesOf(files), exports, called, implementers);
}
