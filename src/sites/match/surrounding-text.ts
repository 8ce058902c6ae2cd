/** The surroundings of a call, or of a text. */
import type { Node } from '../syntax/node.ts';
import type { Program } from '../resolve/program.ts';

/** Number of lines before and after a top-level node that count as its surroundings. */
const LINES_BESIDE = 15;

/** The function around the node, or the lines around a top-level node. */
export function textBeside(program: Program, node: Node): string {
  return program.once(node, 'beside', () => findTextBeside(program, node));
}

function findTextBeside(program: Program, node: Node): string {
  const { dialect } = program;
  const scopes = dialect.scopes(node).filter(({ type }) => /function|method|lambda/u.test(type));
  // A callback as in `all.map((one) => …)` belongs to the enclosing function.
  const scope = scopes.find(({ parent }) => !/^(?:argument_list|arguments)$/u.test(parent?.type ?? ''));
  const around = scope ?? scopes[0];
  if (around) return around.text;
  const { text } = program.source;
  let [start, end] = [node.startIndex, node.endIndex];
  for (let line = 0; line <= LINES_BESIDE; line++) {
    start = Math.max(0, text.lastIndexOf('\n', start - 1));
    end = text.includes('\n', end + 1) ? text.indexOf('\n', end + 1) : text.length;
  }
  return text.slice(start, end);
}
