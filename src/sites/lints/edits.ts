/** Small edits of calls and objects, for quick fixes. */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { CodeEdit } from '../model.ts';
import type { Program } from '../resolve/program.ts';
import type { Argument, Call, Expression } from '../syntax/expression.ts';

export function replaced(program: Program, node: Node, text: string): CodeEdit {
  return { place: program.place(node), text };
}

/** Writes `name=value` or `name: value` at the end of a call's arguments or an object, as each is written. */
export function appended(
  program: Program,
  container: Extract<Expression, { kind: 'call' | 'record' }>,
  name: string,
  value: string,
): CodeEdit | undefined {
  const items = container.kind === 'call' ? container.arguments : container.entries;
  const last = items.at(-1)?.node;
  if (!last) return undefined;
  const { start, end } = program.place(last);
  const place = { ...program.place(last), start: start + (end - start) };
  const isPython = program.dialect.language === 'python';
  if (container.kind === 'call') return isPython ? { place, text: `, ${name}=${value}` } : undefined;
  return { place, text: isPython ? `, "${name}": ${value}` : `, ${name}: ${value}` };
}

/** Takes arguments out, with one of the commas beside each. */
export function without(program: Program, call: Call, taken: readonly Argument[]): CodeEdit[] {
  return taken.map((argument) => {
    const at = call.arguments.indexOf(argument);
    const next = call.arguments[at + 1];
    const previous = call.arguments[at - 1];
    const start = next || !previous ? argument.node.startIndex : previous.node.endIndex;
    const end = next ? next.node.startIndex : argument.node.endIndex;
    return { place: program.source.place(start, end), text: '' };
  });
}
