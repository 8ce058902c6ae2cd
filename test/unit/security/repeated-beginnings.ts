/**
 * Finds regular expressions that can start again within their own match. After `from x import (`, all text up to a
 * parenthesis is scanned, and each further `from x import (` in it starts another scan, so the time is quadratic.
 * scslre checks for ambiguous repetition, but not for this.
 */
import { CharSet, isDisjointWith, JS, NFA, type NoParent, type Concatenation, type Element } from 'refa';

type Alternative = JS.Parser['ast']['pattern']['alternatives'][number];
type Part = Alternative['elements'][number];

/** `\\w`. */
const WORD = CharSet.empty(0xffff).union([
  { min: 0x30, max: 0x39 },
  { min: 0x41, max: 0x5a },
  { min: 0x5f, max: 0x5f },
  { min: 0x61, max: 0x7a },
]);
const LINE_ENDS = CharSet.empty(0xffff).union([
  { min: 0x0a, max: 0x0a },
  { min: 0x0d, max: 0x0d },
  { min: 0x2028, max: 0x2029 },
]);

type OwnElement = NoParent<Element>;
type OwnConcatenation = NoParent<Concatenation>;

/**
 * Whether a loop of the expression can contain, twice, all that precedes the loop, and the whole can still fail after
 * it.
 */
export function beginsAgain(literal: string): boolean {
  const end = literal.lastIndexOf('/');
  const [source, flags] = [literal.slice(1, end), literal.slice(end + 1)];
  if (flags.includes('y')) return false;
  const parser = JS.Parser.fromLiteral({ source, flags });
  const max = parser.maxCharacter;
  const widened = (characters: CharSet): CharSet =>
    characters.ranges.reduce((all, range) => all.union([range]), CharSet.empty(max));
  const one = (characters: CharSet): OwnElement => ({ type: 'CharacterClass', characters });
  const anything: OwnElement = {
    type: 'Quantifier',
    min: 0,
    max: Infinity,
    lazy: false,
    alternatives: [{ type: 'Concatenation', elements: [one(CharSet.all(max))] }],
  };
  const languageOf = (alternatives: readonly OwnConcatenation[]): NFA =>
    NFA.fromRegex(
      { type: 'Expression', alternatives: [...alternatives] },
      { maxCharacter: max },
      { assertions: 'ignore' },
    );
  const alternativesOf = (part: Part): OwnConcatenation[] =>
    parser.parseElement(part, { assertions: 'parse', backreferences: 'disable' }).expression.alternatives;

  /** What must match for the expression to start again. `undefined` if it can start at one place only. */
  const beginning = (parts: readonly Part[]): OwnElement[] | undefined => {
    const elements: OwnElement[] = [];
    for (const part of parts) {
      const alternatives = part.type === 'Assertion' ? [] : alternativesOf(part);
      const further = alternatives.filter((own) => !isBegin(own));
      if (part.type !== 'Assertion')
        elements.push({ type: 'Alternation', alternatives: further.length > 0 ? further : alternatives });
      else if (part.kind === 'start' && !flags.includes('m')) return undefined;
      else if (part.kind === 'start') elements.push(one(widened(LINE_ENDS)));
      else if (part.kind === 'word' && elements.length === 0) elements.push(one(widened(WORD).negate()));
    }
    return elements;
  };
  /** Whether nothing needs to follow. */
  const mayEnd = (parts: readonly Part[]): boolean =>
    parts.every((part) => part.type !== 'Assertion' && isNullable(languageOf(alternativesOf(part))));

  const among = (before: readonly Part[], parts: readonly Part[]): boolean =>
    parts.some((part, place) => {
      const first = [...before, ...parts.slice(0, place)];
      const rest = parts.slice(place + 1);
      if (part.type === 'Quantifier' && part.max === Infinity) {
        const again = beginning(first);
        const isLineEnd = part.raw.startsWith('.') && rest.length === 1 && rest[0]!.type === 'Assertion';
        if (!again || again.length === 0 || mayEnd(rest) || isLineEnd) return false;
        const twice = [anything, ...again, anything, ...again, anything];
        return !isDisjointWith(
          languageOf(alternativesOf(part)),
          languageOf([{ type: 'Concatenation', elements: twice }]),
        );
      }
      const inner =
        part.type === 'Group' || part.type === 'CapturingGroup'
          ? part.alternatives
          : part.type === 'Quantifier' && 'alternatives' in part.element && part.element.type !== 'Assertion'
            ? part.element.alternatives
            : [];
      return inner.some(({ elements }) => among(first, [...elements, ...rest]));
    });
  return parser.ast.pattern.alternatives.some(({ elements }) => among([], elements));
}

/** Whether the alternative is `^`. */
const isBegin = ({ elements: [first] }: OwnConcatenation): boolean =>
  first?.type === 'Assertion' && first.kind === 'behind' && first.negate;

const isNullable = ({ initial, finals }: NFA): boolean => finals.has(initial);
