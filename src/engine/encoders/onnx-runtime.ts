/**
 * Runs ONNX models: by `onnxruntime-node` if it has a build for the platform, else by `onnxruntime-web`, the same
 * runtime in WebAssembly. Packages for one platform contain the former, the package without native parts the latter.
 */
import { availableParallelism } from 'node:os';
import * as l10n from '@vscode/l10n';
import type * as onnxruntime from 'onnxruntime-node';
import { ParallaxError, messageOf } from '../../core/errors.ts';

/** Leaves one processor to the editor. */
const THREADS = Math.max(1, availableParallelism() - 1);

/** Logs not even errors: they are thrown, and the log would only repeat them. */
const FATAL = 4;

export interface OnnxRuntime {
  readonly library: Pick<typeof onnxruntime, 'InferenceSession' | 'Tensor'>;
  readonly sessionOptions: onnxruntime.InferenceSession.SessionOptions;
  /** A note for the user. `undefined` for the best runtime. */
  readonly notice: string | undefined;
}

/** @throws ParallaxError `native-missing` if neither loads, with the reason of the native one */
export async function loadOnnxRuntime(): Promise<OnnxRuntime> {
  try {
    const library = await import('onnxruntime-node');
    return {
      library,
      sessionOptions: { intraOpNumThreads: THREADS, logSeverityLevel: FATAL },
      notice: undefined,
    };
  } catch (error) {
    return await loadWebAssembly(error);
  }
}

async function loadWebAssembly(nativeError: unknown): Promise<OnnxRuntime> {
  try {
    const library = await import('onnxruntime-web');
    // Read once, when the first session is created.
    library.env.wasm.numThreads = THREADS;
    return { library, sessionOptions: { logSeverityLevel: FATAL }, notice: slow() };
  } catch (error) {
    throw new ParallaxError(
      'native-missing',
      l10n.t`Encoders and cross-encoders on this machine need onnxruntime-node, which does not load here (${messageOf(nativeError).split('\n')[0]!}). With npm, install Parallax by npm install --ignore-scripts: its own download fails where NuGet is blocked, and is not needed. Search by words and embedding endpoints work without it.`,
      { cause: error },
    );
  }
}

const slow = (): string =>
  l10n.t(
    'Models on this machine run in WebAssembly (onnxruntime-web), several times slower than natively: onnxruntime-node is missing. With npm, npm install --ignore-scripts installs it.',
  );
