/** JSON objects in the answers of models, which like to put words and code fences around them. */

/** Beyond this many opening braces an answer is not worth searching further; keeps bad answers cheap. */
const MAX_ATTEMPTS = 64;

/**
 * Every JSON object that stands in the text, outermost first; an object inside one that was found is not
 * searched for again. The thinking aloud of reasoning models (`<think>…</think>`) is passed over.
 */
export function* jsonObjects(text: string): Generator<object> {
  const answer = withoutThinking(text);
  let attempts = 0;
  for (let start = answer.indexOf('{'); start >= 0 && attempts < MAX_ATTEMPTS; attempts++) {
    const end = balancedEnd(answer, start);
    const value = end === undefined ? undefined : parseObject(answer.slice(start, end));
    if (value) yield value;
    start = answer.indexOf('{', value && end !== undefined ? end : start + 1);
  }
}

export function withoutThinking(text: string): string {
  return text.replace(/^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/i, '');
}

/** The position after the brace that closes the one at `start`; braces within strings do not count. */
function balancedEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const c = text[i];
    if (inString) {
      if (c === '\\') i++;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === '{') depth++;
    else if (c === '}' && --depth === 0) return i + 1;
  }
  return undefined;
}

function parseObject(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined; // Not JSON: the caller looks for another object.
  }
}
