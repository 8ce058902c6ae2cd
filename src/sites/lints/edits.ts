/** Small edits of calls and objects for quick fixes. */
import type { Node } from '../syntax/node.ts';
import type { Composed } from '../match/compose.ts';
import type { CodeEdit, SiteProblem } from '../model.ts';
import type { Program } from '../resolve/program.ts';
import type { Argument, Call, Expression } from '../syntax/expression.ts';

export function replaced(program: Program, node: Node, text: string): CodeEdit {
  return { place: program.place(node), text };
}

export function insertedBefore(program: Program, node: Node, text: string): CodeEdit {
  const place = program.source.place(node.startIndex, node.startIndex);
  return { place, text };
}

/** Appends `name=value` or `name: value` to a call's arguments or an object, in the syntax of each. */
export function appended(
  program: Program,
  container: Extract<Expression, { kind: 'call' | 'record' }>,
  name: string,
  value: string,
): CodeEdit | undefined {
  const items = container.kind === 'call' ? container.arguments : container.entries;
  const last = items.at(-1)?.node;
  if (!last) return undefined;
  const place = program.source.place(last.endIndex, last.endIndex);
  const isPython = program.dialect.language === 'python';
  if (container.kind === 'call') return isPython ? { place, text: `, ${name}=${value}` } : undefined;
  return { place, text: isPython ? `, "${name}": ${value}` : `, ${name}: ${value}` };
}

/** Removes arguments, each with an adjacent comma. */
export function without(program: Program, call: Call, targets: readonly Argument[]): CodeEdit[] {
  return targets.map((argument) => {
    const at = call.arguments.indexOf(argument);
    const next = call.arguments[at + 1];
    const previous = call.arguments[at - 1];
    const place = program.source.place(
      next || !previous ? argument.node.startIndex : previous.node.endIndex,
      next ? next.node.startIndex : argument.node.endIndex,
    );
    return { place, text: '' };
  });
}

/** Inserts LangChain's search type as the first argument. */
export function typeFix(
  program: Program,
  { call }: Composed,
  name: string,
  value: string,
  title: string,
): SiteProblem['fix'] {
  const [first] = call.arguments;
  const inObject = first?.value.kind === 'record' ? first.value.entries[0] : undefined;
  const isPython = program.dialect.language === 'python';
  const before = isPython ? first : inObject;
  if (!before) return undefined;
  const text = isPython ? `${name}="${value}", ` : `${name}: '${value}', `;
  return { title, edits: [insertedBefore(program, before.node, text)] };
}
