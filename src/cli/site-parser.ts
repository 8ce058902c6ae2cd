/** The thread that detects calls on the command line, with the parser that lies beside the program. */
import path from 'node:path';
import { shippedFile } from './shipped-file.ts';
import { SiteThread } from '../site-thread/site-thread.ts';

/** Started with the first program. */
export function openSiteThread(log: (message: string) => void): SiteThread {
  return new SiteThread({
    program: shippedFile('call-sites.cjs', '../site-thread/thread.ts'),
    wasmFolder: path.dirname(
      shippedFile('tree-sitter.wasm', '../../node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter.wasm'),
    ),
    texts: undefined,
    log,
  });
}
