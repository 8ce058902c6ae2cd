// Finds planned calls in compiled code: tsx, ts-node, tsc, bundlers of servers. The source map assigns calls of the
// compiled code to calls of the file, and a parser finds the parts of each.
import { readFileSync } from 'node:fs';
import { createRequire, SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAP = /^\/\/[#@]\s*sourceMappingURL=(\S+)\s*$/u;
/** Bundlers name the module on a line after it. */
const LAST_LINES = 3;
const MAX_MAP = 64 * 1024 * 1024;
/** After these methods the value is no longer the result of the call; the same list as in src/sites/live. */
const LEAVES =
  /^(?:then|catch|finally|map|flatMap|filter|slice|reduce|forEach|sort|toSorted|reverse|toReversed|find|findIndex|join|at|pop|shift|concat|some|every|includes|push|flat|toString|split|keys|values|items|pipe)$/u;
const RANKS = /^(?:sort|toSorted|orderBy|sortBy)$/u;
const ENDS_RANKING = /^(?:then|catch|join|forEach|reduce)$/u;
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

let parser;

/** @returns the source map of a compiled text, or `undefined` if it has none or it cannot be read */
export function sourceMapOf(text, path) {
  const address = addressOf(text);
  if (address === undefined) return undefined;
  try {
    const json = address.startsWith('data:')
      ? dataOf(address)
      : readFileSync(resolve(dirname(path), decodeURIComponent(address)), 'utf8');
    const payload = JSON.parse(json);
    const base = address.startsWith('data:')
      ? dirname(path)
      : dirname(resolve(dirname(path), decodeURIComponent(address)));
    return {
      map: () => new SourceMap(payload),
      // Turbopack combines the maps of all modules in one map.
      sources: [payload, ...(payload.sections ?? []).map(({ map }) => map)].flatMap(
        ({ sources = [], sourceRoot } = {}) =>
          sources.map((source) => ({ written: source, path: placeOf(source, sourceRoot, base) })),
      ),
    };
  } catch {
    return undefined;
  }
}

function addressOf(text) {
  const lines = text.slice(-MAX_MAP).trimEnd().split('\n').slice(-LAST_LINES);
  return lines.map((line) => MAP.exec(line)?.[1]).findLast((address) => address !== undefined);
}

function dataOf(address) {
  const comma = address.indexOf(',');
  const text = address.slice(comma + 1);
  return address.slice(0, comma).endsWith('base64')
    ? Buffer.from(text, 'base64').toString('utf8')
    : decodeURIComponent(text);
}

function placeOf(source, root, base) {
  if (source.startsWith('file:')) return fileURLToPath(source);
  // `webpack://name/./app/rag.ts?4a5f`, `webpack://name/(rsc)/./app/rag.ts`, `turbopack:///[project]/app/rag.ts`
  if (/^[a-z][a-z-]*:/iu.test(source))
    return source
      .replace(/\?[\da-f]+$/u, '')
      .replace(/^[a-z-]+:\/{2,3}(?:.*?(?:\[project\]|\/\.)\/|(?:[^/]*\/)??)(?:\.\/)?/iu, '');
  return resolve(base, root ?? '', source);
}

/**
 * @param planned [{call, source, original}]: calls with the source's name in the map, and the text of their file
 * @returns the same as `placed` of rewrite.mjs
 */
export function placedInCompiled(text, map, planned) {
  const tree = parse(text);
  const lines = lineStarts(text);
  const origin = (offset) => {
    const line = lineAt(lines, offset);
    const column = offset - lines[line];
    const entry = map.findEntry(line, column);
    if (entry.originalLine === undefined) return undefined;
    const isExact = entry.generatedLine === line && entry.generatedColumn === column;
    return isExact
      ? { source: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn }
      : undefined;
  };
  const found = callsOf(tree, origin);
  const calls = [];
  const refused = [];
  for (const each of planned) {
    const node = found(each);
    const placed = node ? placedCall(text, node, each, origin) : { reason: 'not-found' };
    if (placed.reason) refused.push({ call: each.call, reason: placed.reason });
    else calls.push({ planned: each.call, ...placed });
  }
  return { calls, refused };
}

function parse(text) {
  parser ??= createRequire(import.meta.url)('../../../dist/acorn.cjs');
  const options = {
    ecmaVersion: 'latest',
    allowHashBang: true,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowSuperOutsideMethod: true,
    allowImportExportEverywhere: true,
  };
  try {
    return parser.parse(text, { ...options, sourceType: 'module' });
  } catch {
    return parser.parse(text, { ...options, sourceType: 'script' });
  }
}

function callsOf(tree, origin) {
  const byToken = new Map();
  const byStart = new Map();
  visit(tree, undefined, (node) => {
    if (!['CallExpression', 'NewExpression', 'TaggedTemplateExpression'].includes(node.type)) return;
    const callee = node.callee ?? node.tag;
    const token = tokenOf(callee);
    // An imported `search(…)` is compiled to `(0, ai.search)(…)`, and `ai` has its position.
    const named = callee.type === 'SequenceExpression' ? callee.expressions.at(-1).start : token?.start;
    const [place, start] = [token && (origin(token.start) ?? origin(named)), origin(node.start)];
    if (place) byToken.set(keyOf(place), node);
    if (start && token) byStart.set(`${keyOf(start)} ${token.name}`, node);
  });
  return ({ call, source, original }) => {
    const { start, end } = call.callee;
    const at = ([line, column]) => keyOf({ source, line, column });
    const name = original.split('\n')[start[0] - 1]?.slice(start[1], end[1]);
    return byToken.get(at(start)) ?? byStart.get(`${at(call.start)} ${name}`);
  };
}

const keyOf = ({ source, line, column }) => `${source} ${line}:${column}`;

function tokenOf(callee) {
  if (callee.type === 'MemberExpression') return callee.computed ? undefined : callee.property;
  if (callee.type === 'SequenceExpression') return tokenOf(callee.expressions.at(-1));
  return callee.type === 'Identifier' ? callee : undefined;
}

/** Visits a node and its descendants, and sets the parent of each. */
function visit(node, parent, take) {
  node.parent = parent;
  take(node);
  for (const key in node) {
    if (key === 'parent') continue;
    const value = node[key];
    if (Array.isArray(value)) {
      for (const each of value) if (typeof each?.type === 'string') visit(each, node, take);
    } else if (typeof value?.type === 'string') visit(value, node, take);
  }
}

function placedCall(text, node, { call, source, original }, origin) {
  const chain = [{ node, name: undefined }];
  if (call.returns === 'passages')
    for (let next = chainedTo(node); next; next = chainedTo(next.node)) chain.push(next);
  let whole = call.ranks ? rankingAround(node) : chain.at(-1).node;
  if (!whole) return { reason: 'not-found' };
  if (whole.parent?.type === 'ChainExpression') whole = whole.parent;
  else if (isWithinOptionalChain(whole)) return { reason: 'unknown-form' };
  const suspending = suspends(whole);
  if (suspending === 'yield') return { reason: 'unknown-form' };
  const at = (place) => place && argumentOf({ place, chain, whole, text, original, source }, origin);
  const [question, k] = [at(call.question), at(call.k)];
  return {
    whole: { start: whole.start, end: whole.end },
    question,
    k: call.k && { path: call.k.path, ...k },
    missing: call.k && !k && !call.ranks ? missingOf(call.k, node) : undefined,
    suspends: suspending === 'await',
    awaited: whole.parent?.type === 'AwaitExpression',
    units: unitsOf(whole, call),
  };
}

function chainedTo(node) {
  const next = memberCall(node);
  return next && !LEAVES.test(next.name) ? next : undefined;
}

/** As in src/sites/live: passages result from an enclosing `documents.map(…).sort(…).slice(0, 5)`. */
function rankingAround(scored) {
  const name = tokenOf(scored.callee)?.name;
  if (RANKS.test(name) || name === 'slice') {
    let last = scored;
    for (let next = methodAfter(last); next; next = methodAfter(last)) last = next.node;
    return last;
  }
  for (let up = scored.parent; up; up = up.parent) {
    if (!FUNCTIONS.has(up.type)) continue;
    if (up.parent?.type !== 'CallExpression' || !up.parent.arguments.includes(up)) return undefined;
    const chain = [];
    for (let next = methodAfter(up.parent); next; next = methodAfter(next.node)) chain.push(next);
    if (chain.some(({ name }) => RANKS.test(name))) return chain.at(-1).node;
  }
  return undefined;
}

function methodAfter(node) {
  const next = memberCall(node);
  return next && !ENDS_RANKING.test(next.name) ? next : undefined;
}

function memberCall(node) {
  const member = node.parent;
  if (member?.type !== 'MemberExpression' || member.object !== node || member.computed) return undefined;
  const next = member.parent;
  return next?.type === 'CallExpression' && next.callee === member
    ? { node: next, name: member.property.name }
    : undefined;
}

function isWithinOptionalChain(node) {
  for (let up = node.parent; up; up = up.parent) {
    if (up.type === 'ChainExpression') return true;
    if (up.type !== 'MemberExpression' && up.type !== 'CallExpression') return false;
    if (up.type === 'CallExpression' && !contains(up.callee, node)) return false;
  }
  return false;
}

const contains = (outer, inner) => outer.start <= inner.start && inner.end <= outer.end;

function suspends(node) {
  let found;
  const look = (each) => {
    if (found || FUNCTIONS.has(each.type)) return;
    if (each.type === 'AwaitExpression') found = 'await';
    if (each.type === 'YieldExpression') found = 'yield';
    for (const key in each) {
      if (key === 'parent') continue;
      const value = each[key];
      if (Array.isArray(value)) value.forEach((inner) => typeof inner?.type === 'string' && look(inner));
      else if (typeof value?.type === 'string') look(value);
    }
  };
  look(node);
  return found;
}

/** The expression of an argument: where the map leads to the same text, else by its path. */
function argumentOf({ place, chain, whole, text, original, source }, origin) {
  const wanted = place.at && keyOf({ source, line: place.at.start[0], column: place.at.start[1] });
  const written = place.at && cut(original, place.at);
  let node;
  if (wanted)
    visit(whole, whole.parent, (each) => {
      if (node || each === whole || each.type === 'Property') return;
      if (text.slice(each.start, each.end) !== written) return;
      const from = origin(each.start);
      if (from && keyOf(from) === wanted) node = each;
    });
  node ??= byPath(place, chain);
  if (!node) return undefined;
  const isShorthand = node.parent?.type === 'Property' && node.parent.shorthand;
  return { path: place.path, range: { start: node.start, end: node.end }, isShorthand };
}

function cut(text, { start, end }) {
  const lines = text.split('\n').slice(start[0] - 1, end[0]);
  lines[lines.length - 1] = lines.at(-1)?.slice(0, end[1]) ?? '';
  lines[0] = lines[0].slice(start[1]);
  return lines.join('\n');
}

function byPath({ path, chained }, chain) {
  const call = chain.find(({ name }) => name === chained)?.node;
  let node = call?.arguments?.[path[0]];
  for (const step of path.slice(1)) {
    if (node?.type === 'ObjectExpression')
      node = node.properties.find(
        ({ key, computed }) => !computed && (key?.name ?? key?.value) === step,
      )?.value;
    else node = node?.type === 'ArrayExpression' ? node.elements[step] : undefined;
  }
  return node?.type === 'SpreadElement' ? undefined : (node ?? undefined);
}

function missingOf({ path }, { arguments: given = [] }) {
  const [first, second, third] = path;
  if (typeof first !== 'number' || third !== undefined || given.some(({ type }) => type === 'SpreadElement'))
    return undefined;
  if (given.length === first && first > 0)
    return { at: given.at(-1).end, as: second === undefined ? 'positional' : 'options' };
  const options = second === undefined ? undefined : given[first];
  return options?.type === 'ObjectExpression' ? { at: options.start + 1, as: 'entry' } : undefined;
}

function unitsOf(whole, call) {
  const units = [];
  for (let up = whole.parent; up; up = up.parent) {
    if (!FUNCTIONS.has(up.type) || up.body.type !== 'BlockStatement') continue;
    const names = up.params.map((each) => (each.type === 'AssignmentPattern' ? each.left : each));
    const callee = calleeOf(up);
    if (!callee || names.some(({ type }) => type !== 'Identifier')) continue;
    const planned = call.enclosing?.find(({ name }) => name === callee.name);
    units.push({
      ...callee,
      line: planned?.line ?? call.start[0],
      parameters: names.map(({ name }) => name),
    });
  }
  return units;
}

function calleeOf(made) {
  const owner = made.parent;
  if (owner?.type === 'MethodDefinition')
    return owner.kind === 'method' && !owner.computed && owner.key.type === 'Identifier'
      ? { name: owner.key.name, callee: `this.${owner.key.name}` }
      : undefined;
  if (made.id) return { name: made.id.name, callee: made.id.name };
  return owner?.type === 'VariableDeclarator' && owner.id.type === 'Identifier'
    ? { name: owner.id.name, callee: owner.id.name }
    : undefined;
}

function lineStarts(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(starts, offset) {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
