import type { EmbedderConfig } from '../../shared/config.ts';
import type { Embedder } from './embedder.ts';
import { HashingEmbedder } from './hashing-embedder.ts';
import { MeaningEmbedder } from './meaning-embedder.ts';
import { OnnxEmbedder } from './onnx-embedder.ts';
import { OpenAiEmbedder, type Endpoint } from './openai-embedder.ts';

export interface EmbedderContext extends Endpoint {
  /** The base of relative paths: the folder of `parallax.json`. */
  readonly baseDir: string;
}

/**
 * The embedder of a configuration. Models, packages and connections are loaded at the first use.
 *
 * @param name as in `parallax.json`, for labels
 * @throws ParallaxError `model-missing` if a file of a local model is missing
 */
export function createEmbedder(
  name: string,
  config: EmbedderConfig,
  { baseDir, ...endpoint }: EmbedderContext,
): Embedder {
  switch (config.type) {
    case 'hashing':
      return new HashingEmbedder(config.dimensions);
    case 'meaning':
      return new MeaningEmbedder();
    case 'onnx':
      return new OnnxEmbedder(name, config, baseDir);
    case 'openai':
      return new OpenAiEmbedder(name, config, endpoint);
  }
}
