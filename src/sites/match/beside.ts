/** What stands around a call, or a text. */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { Program } from '../resolve/program.ts';

/** At the top level, so many lines before and after the node are beside it. */
const LINES_BESIDE = 15;

/** The function around the node, or the lines around it at the top level. */
export function textBeside(program: Program, node: Node): string {
  const [start, end] = spanBeside(program, node);
  program.read.push({ start, end });
  return program.source.text.slice(start, end);
}

function spanBeside({ dialect, source: { text } }: Program, node: Node): readonly [number, number] {
  const scopes = dialect.scopes(node).filter(({ type }) => /function|method|lambda/u.test(type));
  // `all.map((one) => …)` is a part of what its function does.
  const scope = scopes.find(({ parent }) => !/^(?:argument_list|arguments)$/u.test(parent?.type ?? ''));
  const around = scope ?? scopes[0];
  if (around) return [around.startIndex, around.endIndex];
  let [start, end] = [node.startIndex, node.endIndex];
  for (let line = 0; line <= LINES_BESIDE; line++) {
    start = Math.max(0, text.lastIndexOf('\n', start - 1));
    end = text.includes('\n', end + 1) ? text.indexOf('\n', end + 1) : text.length;
  }
  return [start, end];
}
