import type { InnerProduct } from '../../core/rerank/similarity.ts';
import { FLOAT_BYTES, KernelMemory, PAGE_BYTES, paddedDimensions, SHARD_BYTES } from './kernel-memory.ts';

let candidateMemory: KernelMemory | undefined;

/**
 * Inner products within one candidate list, in double precision. All lists share one memory, so the products of a
 * list are available until the next call.
 *
 * @param vectors [n, d]
 * @param dimensions d
 * @throws ParallaxError `store-unusable` if the machine has no memory left for a copy of the vectors
 */
export function candidateProducts(vectors: Float32Array, dimensions: number): InnerProduct {
  const memory = (candidateMemory ??= new KernelMemory(PAGE_BYTES, SHARD_BYTES));
  const stride = paddedDimensions(dimensions);
  const rowBytes = stride * FLOAT_BYTES;
  const end = PAGE_BYTES + (vectors.length / (dimensions || 1)) * rowBytes;
  memory.reserve(end);
  if (stride !== dimensions) memory.view(PAGE_BYTES, (end - PAGE_BYTES) / FLOAT_BYTES).fill(0);
  memory.writeRows(PAGE_BYTES, vectors, dimensions, stride);
  const { innerProduct } = memory.kernels;
  return (a, b) => innerProduct(PAGE_BYTES + a * rowBytes, PAGE_BYTES + b * rowBytes, stride);
}

let measuredMemory: KernelMemory | undefined;

/**
 * Squared lengths of vectors, in single precision.
 *
 * @param vectors [n, d]
 * @param dimensions d
 * @returns [n], to be used before the next call, which overwrites it
 * @throws ParallaxError `store-unusable` if the machine has no memory left for a portion of the vectors
 */
export function squaredLengths(vectors: Float32Array, dimensions: number): Float32Array {
  const memory = (measuredMemory ??= new KernelMemory(PAGE_BYTES, SHARD_BYTES));
  const stride = paddedDimensions(dimensions);
  const count = vectors.length / dimensions;
  const lengths = PAGE_BYTES + count * stride * FLOAT_BYTES;
  memory.reserve(lengths + count * FLOAT_BYTES);
  if (stride !== dimensions) memory.view(PAGE_BYTES, count * stride).fill(0);
  memory.writeRows(PAGE_BYTES, vectors, dimensions, stride);
  memory.kernels.squaredLengths(PAGE_BYTES, count, stride, lengths);
  return memory.view(lengths, count);
}
