/** Almost valid foreign input: examples with parts cut, doubled, swapped and replaced, and noise. */
import fc from 'fast-check';

/** Separators, brackets and quotes of the formats, and values at the limits of their ranges. */
const TOKENS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '\\',
    '\\u0000',
    '\\ud800',
    '{}',
    '[]',
    '""',
    'null',
    'true',
    'false',
  ],
  ...['0', '-1', '1e999', '-0', '1.5', '9007199254740993', '99999999999999999999', 'NaN', 'Infinity', '01'],
  ...['\n', '\r\n', '\r', '\t', ' ', '\u00A0', '\uFEFF', '\0', '\u2028', '\uD800', '\uDC00', '😀', 'é', '#'],
  ...[
    '"__proto__"',
    '"constructor"',
    '"toString"',
    '"length"',
    '__proto__',
    'yes',
    'no',
    'unsure',
    '```',
    '</think>',
  ],
  ...['Q0', 'q1', 'd1', 'p1', '"id"', '"text"', '"results"', '"perspectives"', '"score"', '1.', '- ', '|'],
];
const token = fc.constantFrom(...TOKENS);
const noise = fc.oneof(token, fc.string({ unit: 'binary', maxLength: 8 }), fc.json({ maxDepth: 2 }));

/** One change of a text, at a relative place. */
const edit = fc.record(
  {
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.oneof(fc.nat(4), fc.nat(60)),
    kind: fc.constantFrom('replace', 'insert', 'delete', 'double', 'move'),
    noise,
  },
  { noNullPrototype: true },
);
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;

function applyEdit(text: string, { at, length, kind, noise: added }: Edit): string {
  const start = Math.floor(at * text.length);
  const [before, part, after] = [
    text.slice(0, start),
    text.slice(start, start + length),
    text.slice(start + length),
  ];
  switch (kind) {
    case 'replace':
      return before + added + after;
    case 'insert':
      return before + added + part + after;
    case 'delete':
      return before + after;
    case 'double':
      return before + part + part + after;
    case 'move':
      return after + before + part;
  }
}

/** Replaces a value within a JSON value. */
const graft = fc.record(
  {
    part: fc.nat(59),
    steps: fc.array(fc.nat(5), { maxLength: 5 }),
    value: fc.jsonValue({ maxDepth: 2 }),
    drop: fc.boolean(),
  },
  { noNullPrototype: true },
);
type Graft = typeof graft extends fc.Arbitrary<infer G> ? G : never;

function grafted(value: unknown, { steps, value: other, drop }: Omit<Graft, 'part'>): unknown {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== 'object' || value === null) return other;
  const keys = Object.keys(value);
  const key = keys[step % Math.max(keys.length, 1)];
  if (key === undefined) return other;
  if (rest.length === 0 && drop)
    return Object.fromEntries(Object.entries(value).filter(([own]) => own !== key));
  const inner = grafted((value as Record<string, unknown>)[key], { steps: rest, value: other, drop });
  if (Array.isArray(value)) return value.map((own: unknown, place) => (String(place) === key ? inner : own));
  return { ...value, [key]: inner };
}

/** Replaces a leaf by a value of the same kind, or doubles an element or member, so that the shape stays valid. */
const sameKind = fc.record(
  {
    part: fc.nat(59),
    steps: fc.array(fc.nat(5), { minLength: 1, maxLength: 7 }),
    text: fc.oneof(token, fc.string({ unit: 'binary', maxLength: 6 })),
    number: fc.oneof(fc.integer({ min: -2, max: 12 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
  },
  { noNullPrototype: true },
);
type SameKind = typeof sameKind extends fc.Arbitrary<infer S> ? S : never;

function altered(value: unknown, { steps, text, number }: Omit<SameKind, 'part'>): unknown {
  const [step = 0, ...rest] = steps;
  if (typeof value === 'string') return text;
  if (typeof value === 'number') return number;
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    if (value.length === 0) return value;
    const place = step % value.length;
    const inner = altered(value[place], { steps: rest, text, number });
    return rest.length === 0 ? [...value, value[place] as unknown] : value.with(place, inner);
  }
  const keys = Object.keys(value);
  const key = keys[step % Math.max(keys.length, 1)];
  if (key === undefined) return value;
  return { ...value, [key]: altered((value as Record<string, unknown>)[key], { steps: rest, text, number }) };
}

/** Separates the parts of an example for parsers of several files, columns or answers. */
export const CUT = '\f';

/** Changes each value in one part of a text, if the part is JSON or JSON Lines. */
function eachJson(text: string, part: number, change: (value: unknown) => unknown): string {
  const changeOne = (json: string): string => {
    try {
      return JSON.stringify(change(JSON.parse(json)));
    } catch {
      return json;
    }
  };
  const parts = text.split(CUT);
  const place = part % parts.length;
  const own = parts[place]!;
  const whole = changeOne(own);
  return parts.with(place, whole === own ? own.split('\n').map(changeOne).join('\n') : whole).join(CUT);
}

/** @param examples that the parser accepts */
export function inputsLike(examples: readonly string[]): fc.Arbitrary<string> {
  const example = fc.constantFrom(...examples);
  const changed = <C>(change: fc.Arbitrary<C>, most: number, apply: (text: string, change: C) => string) =>
    fc
      .tuple(example, fc.array(change, { minLength: 1, maxLength: most }))
      .map(([text, changes]) => changes.reduce(apply, text));
  return fc.oneof(
    { arbitrary: fc.string({ unit: 'binary', maxLength: 60 }), weight: 1 },
    { arbitrary: fc.array(token, { maxLength: 30 }).map((parts) => parts.join('')), weight: 1 },
    { arbitrary: fc.json({ maxDepth: 4 }), weight: 1 },
    { arbitrary: changed(edit, 4, applyEdit), weight: 3 },
    {
      arbitrary: changed(graft, 2, (text, own) => eachJson(text, own.part, (value) => grafted(value, own))),
      weight: 3,
    },
    {
      arbitrary: changed(sameKind, 4, (text, own) =>
        eachJson(text, own.part, (value) => altered(value, own)),
      ),
      weight: 4,
    },
    // The rest of the file stays valid.
    {
      arbitrary: fc.tuple(example, changed(edit, 2, applyEdit)).map(([text, other]) => `${text}\n${other}`),
      weight: 2,
    },
  );
}

/** Little-endian numbers at the limits of their ranges, and characters that open and close. */
const EDGES = [
  ...[
    '\0',
    '\x7f',
    '\x80',
    '\xff',
    '\0\0\0\0',
    '\x01\0\0\0',
    '\xff\xff\xff\x7f',
    '\0\0\0\x80',
    '\xff\xff\xff\xff',
  ],
  ...[
    '\0\0\0\0\0\0\xf8\x7f',
    '\0\0\0\0\0\0\xf0\xff',
    '\xff\xfe',
    '\xef\xbb\xbf',
    '\r',
    '\n',
    '<',
    '>',
    '(',
    ')',
    '%',
  ],
];

/** One change of bytes, at a relative place. */
const damage = fc.record(
  {
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    from: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.oneof(fc.nat(4), fc.nat(60), fc.nat(1000)),
    bit: fc.nat(7),
    edge: fc.constantFrom(...EDGES),
    kind: fc.constantFrom(
      'flip',
      'flip',
      'set',
      'overwrite',
      'delete',
      'double',
      'copy',
      'truncate',
      'behead',
    ),
  },
  { noNullPrototype: true },
);
type Damage = typeof damage extends fc.Arbitrary<infer D> ? D : never;

function damaged(bytes: string, { at, from, length, bit, edge, kind }: Damage): string {
  const start = Math.floor(at * bytes.length);
  const [before, rest] = [bytes.slice(0, start), bytes.slice(start)];
  const part = rest.slice(0, length);
  const flipped = String.fromCharCode((rest.charCodeAt(0) ^ (1 << bit)) & 0xff);
  switch (kind) {
    case 'flip':
      return before + flipped + rest.slice(1);
    case 'set':
      return before + edge + rest.slice(edge.length);
    case 'overwrite':
      return before + edge.repeat(Math.ceil(length / edge.length)).slice(0, length) + rest.slice(length);
    case 'delete':
      return before + rest.slice(length);
    case 'double':
      return before + part + rest;
    case 'copy': {
      const source = Math.floor(from * bytes.length);
      return before + bytes.slice(source, source + length) + rest.slice(length);
    }
    case 'truncate':
      return before;
    case 'behead':
      return rest;
  }
}

/**
 * Bytes almost like those of a file: bits flipped, numbers set to their limits, parts lost, doubled or copied, the
 * beginning of one file with the end of another, and noise.
 *
 * @param examples that the parser accepts, one byte per character
 */
export function bytesLike(examples: readonly string[]): fc.Arbitrary<string> {
  const example = fc.constantFrom(...examples);
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const spliced = fc
    .tuple(example, example, share, share)
    .map(([head, tail, end, start]) => head.slice(0, head.length * end) + tail.slice(tail.length * start));
  const hurt = (whole: fc.Arbitrary<string>, most: number): fc.Arbitrary<string> =>
    fc
      .tuple(whole, fc.array(damage, { minLength: 1, maxLength: most }))
      .map(([bytes, damages]) => damages.reduce(damaged, bytes));
  return fc.oneof(
    { arbitrary: hurt(example, 1), weight: 4 },
    { arbitrary: hurt(example, 8), weight: 4 },
    { arbitrary: hurt(spliced, 2), weight: 2 },
    { arbitrary: inputsLike(examples), weight: 2 },
  );
}
