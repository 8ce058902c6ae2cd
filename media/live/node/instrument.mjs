// Instruments the text of a file while it is loaded.
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placedInCompiled, sourceMapOf } from './compiled.mjs';
import { placed, rewritten } from './rewrite.mjs';

/** Length of the end of a file that may name a source map; an inline map makes a line of any length. */
const TAIL = 4 * 1024 * 1024;

const EVALUATES = /\beval\((?:__webpack_require__\.ts\()?"/u;
const EVALUATED =
  /(\beval\((?:__webpack_require__\.ts\()?)("(?:[^"\\\n]|\\.)*sourceMappingURL=(?:[^"\\\n]|\\.)*")/gu;

/** Wraps the calls of planned files. Passes its findings to `report`, as messages of the protocol. */
export class Instrument {
  #files;
  #report;
  #known;
  #wrote;
  #real = new Map();

  /**
   * @param files of the plan
   * @param known called with the id, the call and the file of every wrapped call
   * @param wrote called with the name of a script and its changed lines
   */
  constructor(files, { report, known, wrote }) {
    this.#wrote = wrote;
    this.#files = files;
    this.#report = report;
    this.#known = known;
  }

  /** The path in the plan for a URL or a path. `undefined` for a file that is not in the plan. */
  fileOf(address) {
    if (typeof address !== 'string') return undefined;
    const path = address.startsWith('file:') ? pathOf(address) : address;
    if (path === undefined) return undefined;
    if (Object.hasOwn(this.#files, path)) return path;
    if (!this.#real.has(path)) this.#real.set(path, realOf(path));
    const real = this.#real.get(path);
    return real !== undefined && Object.hasOwn(this.#files, real) ? real : undefined;
  }

  /** Whether the file may contain observed calls: it is planned, or compiled from a planned file. */
  mayHold(address, text) {
    if (this.fileOf(address) !== undefined) return true;
    return !/[\\/]node_modules[\\/]/u.test(address) && text.slice(-TAIL).includes('sourceMappingURL=');
  }

  /**
   * @param address URL or path of the file about to be compiled
   * @returns the text to compile instead
   */
  text(address, text) {
    const file = this.fileOf(address);
    try {
      // Code compiled from a planned file is observed as that file, even if it is planned itself.
      const compiled = this.#evaluated(address, text) ?? this.#compiled(address, text, file, address);
      if (compiled !== undefined || file === undefined) return compiled ?? text;
      return this.#written(address, file, text) ?? text;
    } catch (error) {
      if (file !== undefined) this.#skip(file, 'error', String(error?.message ?? error));
      return text;
    }
  }

  /** The text is the file's, except for types. */
  #written(address, file, text) {
    const original = this.#original(file);
    if (original === undefined) return undefined;
    if (!isSamePlaces(original, text)) return this.#skip(file, 'no-source-map');
    const { calls, refused } = placed(original, this.#files[file].calls);
    this.#refuse(file, refused);
    return this.#wrapped(text, [{ file, calls }], address);
  }

  /** The text was compiled from planned files, according to its source map. */
  #compiled(address, text, own, script) {
    const path = address.startsWith('file:') ? pathOf(address) : address;
    const mapped = path === undefined ? undefined : sourceMapOf(text, path);
    if (!mapped) return undefined;
    const parts = mapped.sources.flatMap((source) => {
      const file = this.#plannedFor(source.path) ?? (mapped.sources.length === 1 ? own : undefined);
      const original = file === undefined ? undefined : this.#original(file);
      if (original === undefined) return [];
      return [
        {
          file,
          planned: this.#files[file].calls.map((call) => ({ call, source: source.written, original })),
        },
      ];
    });
    if (parts.length === 0) return undefined;
    const found = placedInCompiled(
      text,
      mapped.map(),
      parts.flatMap(({ planned }) => planned),
    );
    for (const { file, planned } of parts)
      this.#refuse(
        file,
        found.refused.filter(({ call }) => planned.some((each) => each.call === call)),
      );
    const wanted = parts.map(({ file, planned }) => ({
      file,
      calls: found.calls.filter((each) => planned.some(({ call }) => call === each.planned)),
    }));
    return this.#wrapped(text, wanted, script) ?? text;
  }

  /** Modules as evaluated strings, each with a source map: webpack and Next.js in development. */
  #evaluated(address, text) {
    if (!EVALUATES.test(text)) return undefined;
    const names = Object.keys(this.#files).map((file) => basename(file));
    let isWrapped = false;
    const written = text.replace(EVALUATED, (whole, before, literal) => {
      if (!names.some((name) => literal.includes(name))) return whole;
      const evaluated = JSON.parse(literal);
      const inner = this.#compiled(address, evaluated, undefined);
      if (inner === undefined || inner === evaluated) return whole;
      isWrapped = true;
      return before + JSON.stringify(inner);
    });
    return isWrapped ? written : undefined;
  }

  /** By its path, or by the end of a path, as bundlers write it. */
  #plannedFor(path) {
    if (path.startsWith('/') || /^[a-z]:/iu.test(path)) return this.fileOf(path);
    const ends = Object.keys(this.#files).filter((file) => file.endsWith(`/${path}`));
    return ends.length === 1 ? ends[0] : undefined;
  }

  /** The text of the file as it was planned. `undefined` if it has changed since, which is reported. */
  #original(file) {
    const bytes = readFileSync(file);
    if (createHash('sha256').update(bytes).digest('hex') === this.#files[file].sha256)
      return bytes.toString('utf8');
    return this.#skip(file, 'changed');
  }

  #refuse(file, refused) {
    for (const reason of new Set(refused.map((each) => each.reason))) {
      const calls = refused.filter((each) => each.reason === reason);
      this.#skip(
        file,
        reason,
        undefined,
        calls.map(({ call }) => call.site),
      );
    }
  }

  #wrapped(text, parts, script) {
    const calls = parts.flatMap((part) => part.calls.map((call) => ({ ...call, file: part.file })));
    if (calls.length === 0) return undefined;
    const ids = calls.map(({ file, planned }) => `${file}:${this.#files[file].calls.indexOf(planned)}`);
    const { text: written, lines } = rewritten(text, calls, ids);
    if (script !== undefined) this.#wrote(script, lines);
    calls.forEach(({ file, planned, awaited = planned.awaited }, place) =>
      this.#known(ids[place], { ...planned, awaited }, file),
    );
    for (const { file, calls: own } of parts)
      if (own.length > 0) this.#report({ type: 'instrumented', file, calls: own.length });
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

// Node replaces stripped types by blanks, so everything else keeps its position.
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
