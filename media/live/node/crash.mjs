// An error that nothing catches is printed as without Parallax: its stack leads to the calls as they are written, and
// the excerpt shows the user's line.
import { readFileSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

/** Node prints no excerpt of a line with this text. */
export const NO_EXCERPT = '/*node-do-not-add-exception-line*/';

/** Errors of synchronous calls, which this hook throws on. */
const passedOn = new WeakSet();

export function passed(error) {
  if (typeof error === 'object' && error !== null) passedOn.add(error);
  return error;
}

const HERE = import.meta.url.slice(0, import.meta.url.lastIndexOf('/') + 1);
const FRAME = /^(?<before> +at (?:.*\()?)(?<place>[^()]*):(?<line>\d+):(?<column>\d+)(?<after>\)?)$/u;

export class Crash {
  /** By the name of a script: by line from 1, the text before wrapping, and what was inserted. */
  #scripts = new Map();

  /** @param receive takes pending information about scripts that were wrapped elsewhere */
  constructor(receive) {
    process.on('uncaughtExceptionMonitor', (error, origin) => {
      receive();
      this.#prepare(error, origin);
    });
  }

  /** @param lines [[line, {text, insertions: [[column, length]]}]], with columns of the text before wrapping */
  add(script, lines) {
    this.#scripts.set(script, new Map(lines));
  }

  #prepare(error, origin) {
    if (process.sourceMapsEnabled || process.listenerCount('uncaughtException') > 0) return;
    if (process.hasUncaughtExceptionCaptureCallback()) return;
    try {
      const { stack } = error;
      if (typeof stack !== 'string') return;
      const printed = this.#asWritten(stack.split('\n'));
      error.stack = printed.map((each) => (typeof each === 'string' ? each : textOf(each))).join('\n');
      const excerpt = this.#excerpt(
        printed.find((frame) => typeof frame === 'object'),
        origin,
        passedOn.has(error),
      );
      // Node prints the stack after the last of these listeners.
      if (excerpt !== undefined && isMainThread) process.on('exit', () => writeSync(2, excerpt));
    } catch {
      // The error is printed as it is.
    }
  }

  /** Without the frames of this hook and of functions around wrapped calls; other lines stay texts. */
  #asWritten(lines) {
    const found = [];
    for (const line of lines) {
      const frame = this.#frameOf(line);
      const last = found.at(-1);
      if (frame?.place.startsWith?.(HERE)) {
        // The frame before it may be the function around the call.
        if (this.#scripts.has(last?.place)) last.isInner = true;
      } else if (typeof frame === 'object' && last?.isInner) {
        // It is at the call, in the function that contains it.
        found[found.length - 1] = { ...frame, line: last.line, column: last.column };
      } else found.push(frame ?? line);
    }
    return found;
  }

  #frameOf(text) {
    const groups = FRAME.exec(text)?.groups;
    if (!groups) return undefined;
    const { before, place, after } = groups;
    const [line, column] = [Number(groups.line), Number(groups.column)];
    const edited = this.#scripts.get(place)?.get(line);
    return { before, place, line, column: edited ? columnIn(edited, column) : column, after };
  }

  #excerpt(frame, origin, isPassed) {
    if (!frame) return undefined;
    const edited = this.#scripts.get(frame.place)?.get(frame.line);
    const text = edited?.text ?? (isPassed ? lineOf(frame) : undefined);
    if (text === undefined) return undefined;
    const before = text.slice(0, frame.column - 1);
    // Node knows where an error was thrown, and of one that rejected a promise where it was made.
    const marked = origin === 'uncaughtException' ? before.replace(/\bthrow\s+$/u, '') : before;
    const indent = marked.replace(/[^\t]/gu, ' ');
    return `${frame.place}:${frame.line}\n${text}\n${indent}^\n\n`;
  }
}

/** @throws if the script is not a file */
function lineOf({ place, line }) {
  const file = place.startsWith('file:') ? fileURLToPath(place) : place;
  return readFileSync(file, 'utf8').split(/\r?\n/u)[line - 1];
}

const textOf = ({ before, place, line, column, after }) => `${before}${place}:${line}:${column}${after}`;

/** The column before wrapping, from 1. What is within an insertion is at its place. */
function columnIn({ insertions }, column) {
  let inserted = 0;
  for (const [at, length] of insertions) {
    if (column - 1 <= at + inserted) break;
    if (column - 1 < at + inserted + length) return at + 1;
    inserted += length;
  }
  return column - inserted;
}
