/**
 * The kernels for vectors, in AssemblyScript. They own no memory: every argument is an address in the imported memory,
 * laid out by the callers of `KernelMemory`. Rows are padded with zeros to a multiple of four floats, so that no kernel
 * needs a scalar tail.
 */

/** Floats in one 128-bit lane group. */
const LANES: usize = 4;
const GROUP_BYTES: usize = LANES * sizeof<f32>();
/** Four independent sums hide the latency of the additions. */
const UNROLLED_BYTES: usize = 4 * GROUP_BYTES;

/**
 * Inner products of one query with consecutive rows.
 *
 * @param query address of `stride` floats
 * @param rows address of `count × stride` floats
 * @param stride floats per row, a multiple of 4
 * @param scores address of `count` floats to write
 */
export function dotRows(query: usize, rows: usize, count: u32, stride: u32, scores: usize): void {
  const rowBytes: usize = <usize>stride * sizeof<f32>();
  for (let row: u32 = 0; row < count; row++) {
    store<f32>(scores, dot(query, rows, rowBytes));
    rows += rowBytes;
    scores += sizeof<f32>();
  }
}

/**
 * Squared lengths of consecutive rows.
 *
 * @param squaredLengths address of `count` floats to write; the others as for {@link dotRows}
 */
export function squaredLengths(rows: usize, count: u32, stride: u32, squaredLengths: usize): void {
  const rowBytes: usize = <usize>stride * sizeof<f32>();
  for (let row: u32 = 0; row < count; row++) {
    store<f32>(squaredLengths, dot(rows, rows, rowBytes));
    rows += rowBytes;
    squaredLengths += sizeof<f32>();
  }
}

/**
 * Adds the 32-bit words of rows to sums that detect a changed or moved word. Each of the four lanes has the sum of
 * its words, and the sum of all these sums so far (Fletcher's checksum, modulo 2^64).
 *
 * @param words address of `count` words, a multiple of 4
 * @param sums address of the sums so far, eight of 64 bits
 */
export function sumWords(words: usize, count: u32, sums: usize): void {
  let low = v128.load(sums);
  let high = v128.load(sums, 16);
  let lowSums = v128.load(sums, 32);
  let highSums = v128.load(sums, 48);
  for (const end = words + <usize>count * sizeof<u32>(); words < end; words += GROUP_BYTES) {
    const group = v128.load(words);
    low = i64x2.add(low, i64x2.extend_low_i32x4_u(group));
    high = i64x2.add(high, i64x2.extend_high_i32x4_u(group));
    lowSums = i64x2.add(lowSums, low);
    highSums = i64x2.add(highSums, high);
  }
  v128.store(sums, low);
  v128.store(sums, high, 16);
  v128.store(sums, lowSums, 32);
  v128.store(sums, highSums, 48);
}

/**
 * Scores of a `ScoringPlan` for consecutive rows c, each of which is read once:
 *
 *     (c·u + β) / √(‖c‖² + ε + γ (c·p̂) + δ (c·p̂)²), and 0 for a row without length
 *
 * @param direction address of u, `stride` floats
 * @param axis address of p̂, `stride` floats
 * @param squares address of ‖c‖² of each row, `count` floats
 * @param offset β
 * @param linear γ
 * @param quadratic δ
 * @param constant ε
 * @param floor the least share of ‖c‖² + ε that the square may fall to
 */
export function projectRows(
  direction: usize,
  axis: usize,
  rows: usize,
  squares: usize,
  count: u32,
  stride: u32,
  scores: usize,
  offset: f64,
  linear: f64,
  quadratic: f64,
  constant: f64,
  floor: f64,
): void {
  const rowBytes: usize = <usize>stride * sizeof<f32>();
  const pairedBytes: usize = rowBytes & ~(2 * GROUP_BYTES - 1);
  for (let row: u32 = 0; row < count; row++) {
    let u0 = f32x4.splat(0);
    let u1 = f32x4.splat(0);
    let p0 = f32x4.splat(0);
    let p1 = f32x4.splat(0);
    for (let at: usize = 0; at < pairedBytes; at += 2 * GROUP_BYTES) {
      const c0 = v128.load(rows + at);
      const c1 = v128.load(rows + at, 16);
      u0 = f32x4.add(u0, f32x4.mul(c0, v128.load(direction + at)));
      p0 = f32x4.add(p0, f32x4.mul(c0, v128.load(axis + at)));
      u1 = f32x4.add(u1, f32x4.mul(c1, v128.load(direction + at, 16)));
      p1 = f32x4.add(p1, f32x4.mul(c1, v128.load(axis + at, 16)));
    }
    if (pairedBytes < rowBytes) {
      const c = v128.load(rows + pairedBytes);
      u0 = f32x4.add(u0, f32x4.mul(c, v128.load(direction + pairedBytes)));
      p0 = f32x4.add(p0, f32x4.mul(c, v128.load(axis + pairedBytes)));
    }
    const alongDirection: f64 = sumOfLanes(f32x4.add(u0, u1));
    const alongAxis: f64 = sumOfLanes(f32x4.add(p0, p1));
    const parts: f64 = load<f32>(squares) + constant;
    const squared = max<f64>(parts + (linear + quadratic * alongAxis) * alongAxis, floor * parts);
    store<f32>(scores, squared == 0 ? 0 : <f32>((alongDirection + offset) / sqrt<f64>(squared)));
    rows += rowBytes;
    squares += sizeof<f32>();
    scores += sizeof<f32>();
  }
}

/**
 * Rows in 8 bits, each scaled so that its largest value becomes ±127.
 *
 * @param rows address of `count × stride` floats
 * @param bytesPerRow of a quantised row: `stride` rounded up to a multiple of 16, the rest unchanged
 * @param quantized address of `count × bytesPerRow` bytes to write
 * @param scales address of `count` floats to write: a quantised value times its row's scale is about the value
 * @param errors address of `count` floats to write: the length of what rounding removed from the row
 */
export function quantizeRows(
  rows: usize,
  count: u32,
  stride: u32,
  bytesPerRow: u32,
  quantized: usize,
  scales: usize,
  errors: usize,
): void {
  const rowBytes: usize = <usize>stride * sizeof<f32>();
  for (let row: u32 = 0; row < count; row++) {
    const largest = largestOf(rows, rowBytes);
    const factor = f32x4.splat(largest == 0 ? 0 : 127 / largest);
    const scale = f32x4.splat(largest / 127);
    let squares = f32x4.splat(0);
    for (let at: usize = 0; at < rowBytes; at += GROUP_BYTES) {
      const values = v128.load(rows + at);
      const scaled = f32x4.nearest(f32x4.mul(values, factor));
      const lost = f32x4.sub(values, f32x4.mul(scaled, scale));
      squares = f32x4.add(squares, f32x4.mul(lost, lost));
      const whole = i32x4.trunc_sat_f32x4_s(scaled);
      const halves = i16x8.narrow_i32x4_s(whole, whole);
      v128.store32_lane(quantized + (at >> 2), i8x16.narrow_i16x8_s(halves, halves), 0);
    }
    store<f32>(scales, largest / 127);
    store<f32>(errors, <f32>sqrt<f64>(sumOfLanes(squares)));
    rows += rowBytes;
    quantized += bytesPerRow;
    scales += sizeof<f32>();
    errors += sizeof<f32>();
  }
}

/**
 * Approximate inner products of one query with consecutive rows, all in 8 bits.
 *
 * @param query address of `bytesPerRow` numbers of 16 bits, each from -127 to 127
 * @param queryScale the scale of the query
 * @param quantized address of `count × bytesPerRow` bytes
 * @param bytesPerRow a multiple of 16
 * @param scales address of `count` floats
 * @param scores address of `count` floats to write
 */
export function dotQuantizedRows(
  query: usize,
  queryScale: f32,
  quantized: usize,
  count: u32,
  bytesPerRow: u32,
  scales: usize,
  scores: usize,
): void {
  for (let row: u32 = 0; row < count; row++) {
    let low = i32x4.splat(0);
    let high = i32x4.splat(0);
    let values = query;
    const end = quantized + bytesPerRow;
    while (quantized < end) {
      const bytes = v128.load(quantized);
      low = i32x4.add(low, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(bytes), v128.load(values)));
      high = i32x4.add(high, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(bytes), v128.load(values, 16)));
      quantized += 16;
      values += 32;
    }
    const sum = i32x4.add(low, high);
    const product =
      i32x4.extract_lane(sum, 0) +
      i32x4.extract_lane(sum, 1) +
      i32x4.extract_lane(sum, 2) +
      i32x4.extract_lane(sum, 3);
    store<f32>(scores, <f32>product * queryScale * load<f32>(scales));
    scales += sizeof<f32>();
    scores += sizeof<f32>();
  }
}

function largestOf(row: usize, bytes: usize): f32 {
  let largest = f32x4.splat(0);
  for (let at: usize = 0; at < bytes; at += GROUP_BYTES)
    largest = f32x4.max(largest, f32x4.abs(v128.load(row + at)));
  return max<f32>(
    max<f32>(f32x4.extract_lane(largest, 0), f32x4.extract_lane(largest, 1)),
    max<f32>(f32x4.extract_lane(largest, 2), f32x4.extract_lane(largest, 3)),
  );
}

/**
 * Inner product of two rows in double precision, as the core computes it: the same four sums, added in the same
 * order, so that the results are the same to the last bit.
 */
export function innerProduct(a: usize, b: usize, stride: u32): f64 {
  const end: usize = a + <usize>stride * sizeof<f32>();
  let sum01 = f64x2.splat(0);
  let sum23 = f64x2.splat(0);
  while (a < end) {
    sum01 = f64x2.add(sum01, f64x2.mul(twoDoubles(a), twoDoubles(b)));
    sum23 = f64x2.add(sum23, f64x2.mul(twoDoubles(a + 8), twoDoubles(b + 8)));
    a += GROUP_BYTES;
    b += GROUP_BYTES;
  }
  return (
    f64x2.extract_lane(sum01, 0) +
    f64x2.extract_lane(sum01, 1) +
    (f64x2.extract_lane(sum23, 0) + f64x2.extract_lane(sum23, 1))
  );
}

/** The two floats at an address. */
// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function twoDoubles(address: usize): v128 {
  return f64x2.promote_low_f32x4(v128.load64_zero(address));
}

// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function dot(a: usize, b: usize, bytes: usize): f32 {
  const end: usize = a + bytes;
  const unrolledEnd: usize = a + (bytes & ~(UNROLLED_BYTES - 1));
  let sum0 = f32x4.splat(0);
  let sum1 = f32x4.splat(0);
  let sum2 = f32x4.splat(0);
  let sum3 = f32x4.splat(0);
  while (a < unrolledEnd) {
    sum0 = f32x4.add(sum0, f32x4.mul(v128.load(a), v128.load(b)));
    sum1 = f32x4.add(sum1, f32x4.mul(v128.load(a, 16), v128.load(b, 16)));
    sum2 = f32x4.add(sum2, f32x4.mul(v128.load(a, 32), v128.load(b, 32)));
    sum3 = f32x4.add(sum3, f32x4.mul(v128.load(a, 48), v128.load(b, 48)));
    a += UNROLLED_BYTES;
    b += UNROLLED_BYTES;
  }
  while (a < end) {
    sum0 = f32x4.add(sum0, f32x4.mul(v128.load(a), v128.load(b)));
    a += GROUP_BYTES;
    b += GROUP_BYTES;
  }
  return sumOfLanes(f32x4.add(f32x4.add(sum0, sum1), f32x4.add(sum2, sum3)));
}

// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function sumOfLanes(sum: v128): f32 {
  return (
    f32x4.extract_lane(sum, 0) +
    f32x4.extract_lane(sum, 1) +
    (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3))
  );
}
