/** The structure of a JSON text that may be broken or half typed: where its keys and values stand, and where it breaks. */

export type JsonPath = readonly (string | number)[];

/** A place where a key may be typed, or a value. Half-open offsets; what is typed at `end` still belongs to it. */
export interface JsonSlot {
  readonly kind: 'key' | 'value';
  readonly start: number;
  readonly end: number;
  /** Of the object that the key is in, or of the value. */
  readonly path: JsonPath;
}

/** A key with its quotes. */
export interface JsonKey {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  /** Of the object that it is in. */
  readonly path: JsonPath;
}

export interface JsonScan {
  readonly slots: readonly JsonSlot[];
  readonly keys: readonly JsonKey[];
  /** Offset at which the text is no JSON any more; its length where it ends too early. */
  readonly breaksAt?: number | undefined;
}

/** Reads as far as the text is JSON. Objects and lists that are open where it breaks are taken to reach to its end. */
export function scanJson(text: string): JsonScan {
  return new Scanner(text).scan();
}

/** The slot at an offset, where something may be typed; undefined outside of objects and lists. */
export function slotAt({ slots }: JsonScan, offset: number): JsonSlot | undefined {
  return slots
    .filter(({ start, end }) => start <= offset && offset <= end)
    .reduce<JsonSlot | undefined>(
      (inner, slot) => (!inner || slot.start >= inner.start ? slot : inner),
      undefined,
    );
}

const SPACE = /[\t\n\r ]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;

class Scanner {
  readonly #text: string;
  readonly #slots: JsonSlot[] = [];
  readonly #keys: JsonKey[] = [];
  #at = 0;
  #isBroken = false;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): JsonScan {
    this.#value([]);
    if (!this.#isBroken) {
      this.#skip(SPACE);
      if (this.#at < this.#text.length) this.#isBroken = true;
    }
    const { slots, keys } = { slots: this.#slots, keys: this.#keys };
    return { slots, keys, ...(this.#isBroken ? { breaksAt: this.#at } : {}) };
  }

  #value(path: JsonPath): void {
    this.#slot('value', path, () => {
      this.#skip(SPACE);
      const sign = this.#text[this.#at];
      if (sign === '{') this.#members('}', path, () => this.#member(path));
      else if (sign === '[') this.#members(']', path, (place) => this.#value([...path, place]));
      else this.#expect(sign === '"' ? STRING : SCALAR);
    });
  }

  /** Reads the members between the brackets, separated by commas. */
  #members(closing: '}' | ']', path: JsonPath, read: (place: number) => void): void {
    this.#at++;
    if (this.#isAhead(closing)) {
      // Somebody may begin to type between the two.
      this.#slot(closing === '}' ? 'key' : 'value', closing === '}' ? path : [...path, 0], () =>
        this.#skip(SPACE),
      );
      this.#at++;
      return;
    }
    for (let place = 0; !this.#isBroken; place++) {
      read(place);
      if (this.#isBroken) return;
      this.#skip(SPACE);
      const sign = this.#text[this.#at];
      if (sign === closing || sign === ',') this.#at++;
      else this.#isBroken = true;
      if (sign === closing) return;
    }
  }

  #member(path: JsonPath): void {
    let key: string | undefined;
    this.#slot('key', path, () => {
      this.#skip(SPACE);
      const start = this.#at;
      if (!this.#expect(STRING)) return;
      key = JSON.parse(this.#text.slice(start, this.#at)) as string;
      this.#keys.push({ key, start, end: this.#at, path });
    });
    if (key === undefined) return;
    this.#skip(SPACE);
    if (this.#text[this.#at] !== ':') {
      this.#isBroken = true;
      return;
    }
    this.#at++;
    this.#value([...path, key]);
  }

  #slot(kind: JsonSlot['kind'], path: JsonPath, read: () => void): void {
    const start = this.#at;
    read();
    this.#slots.push({ kind, start, end: this.#isBroken ? this.#text.length : this.#at, path });
  }

  #isAhead(sign: string): boolean {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    return this.#text[SPACE.lastIndex] === sign;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const matches = pattern.test(this.#text);
    if (matches) this.#at = pattern.lastIndex;
    return matches;
  }

  #expect(pattern: RegExp): boolean {
    if (this.#skip(pattern)) return true;
    this.#isBroken = true;
    return false;
  }
}
