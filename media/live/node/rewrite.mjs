// Wraps the planned calls of a text. Only inserts text, replaces nothing and adds no lines, so that positions in errors
// hardly change.

import { NO_EXCERPT } from './crash.mjs';

// A function whose text runs in another realm, such as a page or a worker, finds no observer there. The text begins with a
// name, because a bracket would continue the line above.
const UNOBSERVED =
  '{asks() {}, question: (value) => value, k: (value) => value, added: () => [], entry: () => ({})}';
const PLAIN = `{call: (id, run) => run(${UNOBSERVED}), suspended: (id, run) => run(${UNOBSERVED}), valueOf: ({value}) => value}`;
const LIVE = `globalThis.Object(globalThis.__parallaxLive ?? ${PLAIN})`;

/**
 * @param text of the file, as on disk or compiled
 * @param calls with offsets instead of positions: {whole, question?, k?, missing?, units, suspends}
 * @param ids one for each call
 * @returns the text, and its changed lines as `Crash.add` takes them
 */
export function rewritten(text, calls, ids) {
  const edits = [];
  const insert = (at, order, written) => edits.push({ at, order, written, number: edits.length });
  calls.forEach((call, place) => wrap({ text, call, id: ids[place], state: `$parallax${place}` }, insert));
  edits.sort((a, b) => a.at - b.at || a.order - b.order || a.number - b.number);
  const lines = linesOf(text, edits);
  let written = '';
  let from = 0;
  for (const edit of edits) {
    written += text.slice(from, edit.at) + edit.written;
    from = edit.at;
  }
  return { text: written + text.slice(from), lines };
}

/** Marks each changed line once, so that Node does not print it. */
function linesOf(text, edits) {
  const lines = new Map();
  let [line, start] = [1, 0];
  for (const edit of edits) {
    for (let end = text.indexOf('\n', start); end >= 0 && end < edit.at; end = text.indexOf('\n', start)) {
      line++;
      start = end + 1;
    }
    if (!lines.has(line)) {
      edit.written = NO_EXCERPT + edit.written;
      const end = text.indexOf('\n', start);
      lines.set(line, {
        text: text.slice(start, end < 0 ? undefined : end).replace(/\r$/u, ''),
        insertions: [],
      });
    }
    lines.get(line).insertions.push([edit.at - start, edit.written.length]);
  }
  return [...lines];
}

// At the same position, ends come before beginnings; inner ends before outer ends, outer beginnings before inner
// beginnings.
function around(range, before, after, insert) {
  const length = range.end - range.start;
  insert(range.start, 1e9 - length, before);
  insert(range.end, length - 1e9, after);
}

function wrap({ text, call, id, state }, insert) {
  const key = JSON.stringify(id);
  const units = `, () => [${call.units.map(unitOf).join(', ')}]`;
  const [before, after] = call.suspends
    ? [`${LIVE}.valueOf(await ${LIVE}.suspended(${key}, async (${state}) => ({ value: `, ` })${units}))`]
    : [`${LIVE}.call(${key}, (${state}) => `, `${units})`];
  // An object literal after an arrow would be a block.
  const isOpen = text[call.whole.start] === '{';
  around(call.whole, before + (isOpen ? '(' : ''), (isOpen ? ')' : '') + after, insert);
  argument(call.question, 'question', { text, state }, insert);
  argument(call.k, 'k', { text, state }, insert);
  if (call.k && !call.k.range && call.missing) missing(call, state, insert);
}

function argument(place, name, { text, state }, insert) {
  if (!place?.range) return;
  const { start, end } = place.range;
  const key = place.isShorthand ? `${text.slice(start, end)}: ` : '';
  around(
    place.range,
    `${key}(${state}.asks(${JSON.stringify(name)}) ? ${state}.given.${name} : ${state}.${name}(`,
    '))',
    insert,
  );
}

function missing({ missing: { at, as }, k }, state, insert) {
  const name = JSON.stringify(String(k.path.at(-1)));
  if (as === 'positional') insert(at, 2e9, `, ...${state}.added()`);
  else if (as === 'options') insert(at, 2e9, `, ...${state}.added(${name})`);
  else insert(at, -2e9, ` ...${state}.entry(${name}),`);
}

// A function is passed with the values of its parameters, as a way to call it again.
function unitOf({ callee, parameters, line, name }) {
  const about = JSON.stringify({ function: name, line, parameters });
  return `[${about}, () => [${parameters.join(', ')}], (...$given) => ${callee}(...$given)]`;
}

/** Converts positions (line from 1, column from 0) to offsets. */
export function offsets(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return ([line, column]) => (starts[line - 1] ?? text.length) + column;
}

/**
 * The planned calls of a file, with offsets into its text on disk.
 *
 * @returns the calls that can be wrapped, and for the others the reason why not
 */
export function placed(text, planned) {
  const at = offsets(text);
  const range = ({ start, end }) => ({ start: at(start), end: at(end) });
  const calls = [];
  const refused = [];
  for (const call of planned) {
    const whole = range(call);
    const reason = refusal(text, whole, call);
    if (reason) refused.push({ call, reason });
    else calls.push({ planned: call, ...withOffsets(call, range, at), whole });
  }
  return { calls, refused };
}

function withOffsets(call, range, at) {
  const argument = (place) =>
    place && { path: place.path, isShorthand: place.isShorthand, range: place.at && range(place.at) };
  return {
    question: argument(call.question),
    k: argument(call.k),
    missing: call.k?.missing && { at: at(call.k.missing.at), as: call.k.missing.as },
    suspends: call.suspends,
    units: (call.enclosing ?? []).filter(isCallable),
  };
}

function isCallable({ callee, parameters, name }) {
  return callee !== undefined && name !== undefined && parameters.every((each) => each !== '');
}

// After `a?.b()` a chain may end early, which a wrapped part of it cannot do.
function refusal(text, whole, call) {
  const source = text.slice(whole.start, whole.end);
  const goesOn = /^\s*[.[(]/u.test(text.slice(whole.end, whole.end + 200));
  if (goesOn && source.includes('?.')) return 'unknown-form';
  if (call.suspends && /\byield\b/u.test(source)) return 'unknown-form';
  return undefined;
}
