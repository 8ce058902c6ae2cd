// From the text of a file as it is loaded to the text that is run.
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { placed, rewritten } from './rewrite.mjs';

/** Wraps the calls of planned files. What it finds out is handed to `report`, as messages of the protocol. */
export class Instrument {
  #files;
  #report;
  #known;
  #real = new Map();

  /**
   * @param files of the plan
   * @param known called with the id, the call and the file of every call that is wrapped
   */
  constructor(files, { report, known }) {
    this.#files = files;
    this.#report = report;
    this.#known = known;
  }

  /** The path by which the plan knows an address or a path; nothing for a file that is not in it. */
  fileOf(address) {
    if (typeof address !== 'string') return undefined;
    const path = address.startsWith('file:') ? pathOf(address) : address;
    if (path === undefined) return undefined;
    if (Object.hasOwn(this.#files, path)) return path;
    if (!this.#real.has(path)) this.#real.set(path, realOf(path));
    const real = this.#real.get(path);
    return real !== undefined && Object.hasOwn(this.#files, real) ? real : undefined;
  }

  /**
   * @param text that is about to be compiled
   * @param check throws if a text cannot be compiled; left out if nothing can be checked
   * @returns the text to be compiled instead
   */
  text(file, text, check) {
    try {
      return this.#wrapped(file, text, check) ?? text;
    } catch (error) {
      this.#skip(file, 'error', String(error?.message ?? error));
      return text;
    }
  }

  #wrapped(file, text, check) {
    const { sha256, calls: planned } = this.#files[file];
    const bytes = readFileSync(file);
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) return this.#skip(file, 'changed');
    const original = bytes.toString('utf8');
    if (!isSamePlaces(original, text)) return this.#skip(file, 'no-source-map');
    const { calls, refused } = placed(original, planned);
    for (const { call, reason } of refused) this.#skip(file, reason, undefined, [call.site]);
    if (calls.length === 0) return undefined;
    const ids = calls.map(({ planned: call }) => `${file}:${planned.indexOf(call)}`);
    const written = rewritten(text, calls, ids);
    try {
      check?.(written);
    } catch (error) {
      return this.#skip(file, 'not-compiled', String(error?.message ?? error));
    }
    calls.forEach(({ planned: call }, place) => this.#known(ids[place], call, file));
    this.#report({ type: 'instrumented', file, calls: calls.length });
    return written;
  }

  #skip(file, reason, detail, sites) {
    this.#report({
      type: 'skipped',
      file,
      reason,
      ...(detail === undefined ? {} : { detail: detail.slice(0, 500) }),
      ...(sites === undefined ? {} : { sites }),
    });
    return undefined;
  }
}

// Types that Node strips leave blanks, so that everything else is where it was.
function isSamePlaces(original, text) {
  if (text === original) return true;
  if (text.length !== original.length) return false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign !== original[at] && sign !== ' ' && sign !== ';') return false;
  }
  return true;
}

function pathOf(address) {
  try {
    return fileURLToPath(address.split(/[?#]/u, 1)[0]);
  } catch {
    return undefined;
  }
}

function realOf(path) {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
