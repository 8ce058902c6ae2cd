/** The WebAssembly files of the parser, read from node_modules. */
import { readFile } from 'node:fs/promises';
import type { WasmFiles } from '../../../src/sites/detector.ts';

const folder = new URL('../../../node_modules/@vscode/tree-sitter-wasm/wasm/', import.meta.url);

export const wasm: WasmFiles = {
  runtime: () => readFile(new URL('tree-sitter.wasm', folder)),
  grammar: (grammar) => readFile(new URL(`tree-sitter-${grammar}.wasm`, folder)),
};
