/** Finds JSON objects in models' answers, which often have text and code fences around them. */

/** The most opening braces to try, which keeps bad answers cheap. */
const MAX_ATTEMPTS = 64;

/**
 * Every JSON object in the text, outermost first. Objects inside a found one are not searched. Skips the reasoning of
 * models (`<think>…</think>`).
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

/** The position after the brace that closes the one at `start`. Ignores braces within strings. */
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
