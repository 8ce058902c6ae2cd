/** A source of uniform numbers in [0, 1). */
export type Random = () => number;

/**
 * A deterministic generator for resampling (not for secrets). A 32-bit counter advances by the golden ratio, and a
 * multiply–xorshift hash mixes its bits (the SplitMix construction of Steele, Lea and Flood 2014, in 32 bits). Period
 * 2^32.
 */
export function seededRandom(seed: number): Random {
  let counter = seed | 0;
  return () => {
    counter = (counter + 0x9e3779b9) | 0;
    let bits = Math.imul(counter ^ (counter >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
  };
}
