/**
 * The vector kernels, in AssemblyScript. They own no memory: every argument is an address that
 * src/engine/kernels/kernels.ts has laid out in the imported memory, and rows are padded with zeros to
 * a multiple of four floats, so that no kernel needs a scalar tail.
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
  const sum = f32x4.add(f32x4.add(sum0, sum1), f32x4.add(sum2, sum3));
  return (
    f32x4.extract_lane(sum, 0) +
    f32x4.extract_lane(sum, 1) +
    (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3))
  );
}
