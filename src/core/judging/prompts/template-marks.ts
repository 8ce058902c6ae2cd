/**
 * Marks with which the chat templates of model families separate roles, turns, tools and reasoning. Some servers
 * interpret them even inside a message, so that a passage could end its own message and begin another. The families and
 * sources of the names are in test/unit/judging/template-families.ts. Marks between `<|` and `|>`, the most common
 * form, are recognised without names.
 */

const NAMES_IN_ANGLES = [
  ...['s', 'bos', 'eos', 'sop', 'eop', 'bos_token', 'eos_token', 'system', 'user', 'assistant', 'tool'],
  ...['start_of_turn', 'end_of_turn', 'start_of_image', 'end_of_image', 'think', 'thinking'],
  ...['tool_call', 'tool_calls', 'tool_response', 'toolcall', 'arg_key', 'arg_value'],
  ...['role', 'reserved_\\d+', 'special_\\d+', 'extra_id_\\d+', 'seed:\\w+', 'minimax:\\w+'],
].join('|');
const NAMES_IN_BRACKETS = [
  ...['inst', 'system_prompt', 'available_tools', 'tool_calls', 'tool_results', 'tool_content', 'call_id'],
  ...['args', 'think', 'img', 'img_end', 'gmask', 'bos', 'eos', 'eot'],
].join('|');

/** The characters after or before which a mark is broken by a space. */
const TEMPLATE_MARK = new RegExp(
  [
    '[<[](?=[|｜])',
    '(?<=[|｜])[>\\]]',
    `<(?=/?(?:${NAMES_IN_ANGLES})>)`,
    `\\[(?=/?(?:${NAMES_IN_BRACKETS})\\])`,
    '<(?=</?sys>>)',
    '\\](?=~!?b[\\][])',
    '\\[(?=e~\\[)',
  ].join('|'),
  'gi',
);

/** The text with every mark broken by a space, so that no tokenizer recognises it. */
export function breakTemplateMarks(text: string): string {
  return text.replace(TEMPLATE_MARK, (mark, at: number) => {
    const closes = mark === '>' || mark === ']';
    const before = closes && /[|｜]/.test(text[at - 1] ?? '') ? ' ' : '';
    const after = !closes || text[at + 1] === '~' ? ' ' : '';
    return before + mark + after;
  });
}
