/**
 * A short program that serves a program's own retrieval to Parallax: *Measure My Retriever…* writes it beside the code.
 * It imports what can be imported, and leaves unknown parts to the user.
 */
import * as l10n from '@vscode/l10n';
import type { CallSite } from './model.ts';

/** The fields of a call site that determine how it is run. */
export type ServedSite = Pick<CallSite, 'library' | 'within' | 'statement' | 'range'>;

export interface ServedFile {
  /** The site's places are offsets into it. */
  readonly text: string;
  readonly isPython: boolean;
  /** The import path for a program beside it: `rag`, `app.rag`, `./rag.ts`. */
  readonly module: string;
  /** The place of the call, for the reader. */
  readonly place: string;
}

/** The expression that asks a framework's retriever for `query`, up to the passages in its result. */
const RUNS: Readonly<Record<string, (retriever: string) => string>> = {
  langchain: (retriever) => `${retriever}.invoke(query)`,
  'llama-index': (retriever) => `${retriever}.retrieve(query)`,
  haystack: (retriever) => `${retriever}.run(query=query)["documents"]`,
  'langchain-js': (retriever) =>
    `(await ${retriever}.invoke(query)).map(({ id, pageContent }) => ({ id, text: pageContent }))`,
  'llamaindex-ts': (retriever) =>
    `(await ${retriever}.retrieve({ query })).map(({ node, score }) => ({ id: node.id_, text: node.getText(), score }))`,
};

/** Calls that make a retriever to be queried later, instead of querying one. */
const MAKES_RETRIEVER = /\b(?:as_retriever|asRetriever|[A-Z]\w*Retriever)\b/u;

const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;
/** Characters that would end the comment with a file name, or reverse its text. */
const BREAKS_LINE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text of the program, to be completed by the user. */
export function servingProgram(site: ServedSite, file: ServedFile): string {
  const { name, lines, answer, asks } = callableOf(site, file);
  const [mark, ...imports] = file.isPython
    ? ['#', 'from parallax_retriever import serve', ...imported(file.module, name)]
    : [
        '//',
        "import { serve } from './parallax-retriever.ts';",
        `import { ${name} } from ${specifier(file.module)};`,
      ];
  const head = [
    l10n.t`Parallax asks this program what ${file.place.replace(BREAKS_LINE, '�')} retrieves.`,
    l10n.t('Complete it, so that it returns for a question what your program gets, best first:'),
    file.isPython
      ? l10n.t('documents of LangChain, LlamaIndex or Haystack, or tuples of id, text and score.')
      : l10n.t('objects with id, text and score. What it imports has to be exported there.'),
    ...(asks !== undefined && returnsText(asks, file)
      ? [l10n.t`"${asks}" returns text: return the passages themselves.`]
      : []),
  ].map((line) => `${mark} ${line}`);
  const serves = file.isPython
    ? `serve(lambda query, k: ${answer})`
    : `serve(async (query, k) => ${answer});`;
  return `${[...head, ...imports, '', ...lines, serves].join('\n')}\n`;
}

/** A file may have any name, but import statements allow only identifiers. */
function imported(module: string, name: string): readonly string[] {
  if (module.split('.').every((part) => IDENTIFIER.test(part))) return [`from ${module} import ${name}`];
  return [
    'from importlib import import_module',
    `${name} = import_module(${JSON.stringify(module)}).${name}`,
  ];
}

/** Some characters of file names have a special meaning in a module specifier. */
function specifier(module: string): string {
  if (/^[\w./@-]+$/u.test(module)) return `'${module}'`;
  return JSON.stringify(module.replace(/[^\p{L}\p{N}./@_ -]/gu, encodeURIComponent));
}

interface Callable {
  /** The imported name. */
  readonly name: string;
  /** The lines before the answer. */
  readonly lines: readonly string[];
  /** The expression that answers `query`. */
  readonly answer: string;
  /** The function around the call, if it is the function to ask. */
  readonly asks?: string | undefined;
}

/** Whether a function returns a single text: an answer or joined passages. */
function returnsText(asks: string, { text, isPython }: ServedFile): boolean {
  const begins = `\\b${asks.replaceAll('$', '\\$&')} ?\\([^)]{0,1000}\\)`;
  const returns = isPython ? ' ?-> ?(?:str|Optional\\[str\\])' : ' ?: ?(?:string|Promise<string>)';
  return new RegExp(`${begins}${returns}(?! ?[|\\[.\\w])`, 'u').test(text);
}

function callableOf(site: ServedSite, { text, isPython }: ServedFile): Callable {
  const statement = text.slice(site.statement.start, site.range.end);
  const run = MAKES_RETRIEVER.test(statement) ? RUNS[site.library] : undefined;
  const [name, member] = site.within.split('.').filter((part) => IDENTIFIER.test(part));
  if (name === undefined) {
    const held = assignedName(statement) ?? 'retrieve';
    return { name: held, lines: [], answer: run?.(held) ?? called(held, isPython) };
  }
  const isClass = member !== undefined && text.includes(`class ${name}`);
  const serviceVariable = variable('service', isPython ? `${name}()` : `new ${name}()`, isPython);
  const callee = isClass ? `service.${member}` : name;
  const service = isClass ? [serviceVariable] : [];
  if (!run) return { name, lines: service, answer: called(callee, isPython), asks: member ?? name };
  const whole = text.slice(site.statement.start, site.statement.end);
  const made = isClass ? undefined : madeWithin(whole, name, text, isPython);
  if (made) return { ...made, answer: run('retriever') };
  const retriever = variable('retriever', isPython ? `${callee}()` : `await ${callee}()`, isPython);
  return { name, lines: [...service, retriever], answer: run('retriever') };
}

/**
 * The retriever that a function makes for itself and does not return: the function may return a chain, which would ask
 * a model. The expression is copied if all it uses can be imported. `undefined` if the function returns the retriever,
 * or the expression uses its parameters or variables.
 */
function madeWithin(
  statement: string,
  name: string,
  text: string,
  isPython: boolean,
): Pick<Callable, 'name' | 'lines'> | undefined {
  const held = assignedName(statement);
  if (held === undefined) return undefined;
  const body = bodyOf(name, text, isPython);
  if (new RegExp(`\\breturn ${escaped(held)} *(?:;|$)`, 'mu').test(body)) return undefined;
  const expression = statement.slice(statement.indexOf('=') + 1).trim();
  const used = /^(?:await )?([\p{L}_$][\p{L}\p{N}_$]*)/u.exec(expression)?.[1];
  if (used === undefined || /[\n]/u.test(expression)) return undefined;
  const isOfModule = isPython
    ? new RegExp(`^(?:def |class |(?:from [\\w.]+ )?import [^\n]*\\b)?${escaped(used)}\\b`, 'mu')
    : new RegExp(`^export (?:async )?(?:function|const|class) ${escaped(used)}\\b`, 'mu');
  if (!isOfModule.test(text) || namesIn(expression.slice(used.length)).some((each) => !CONSTANTS.has(each)))
    return undefined;
  return { name: used, lines: [variable('retriever', expression, isPython)] };
}

/** The names that an expression reads: no properties, keys, names of arguments or words of texts. */
function namesIn(expression: string): string[] {
  return Array.from(expression.matchAll(/[\p{L}\p{N}_$]+/gu)).flatMap(({ 0: name, index }) => {
    const after = expression.slice(index + name.length).trimStart();
    const isName = /^[\p{L}_$]/u.test(name) && !/^[=:\w"']/u.test(after);
    return isName && !/[."']$/u.test(expression.slice(0, index)) ? [name] : [];
  });
}

/** What an expression may use besides the imported name. */
const CONSTANTS: ReadonlySet<string> = new Set([
  'True',
  'False',
  'None',
  'true',
  'false',
  'null',
  'undefined',
]);

/** The text of a function, up to the next line that is not indented further. */
function bodyOf(name: string, text: string, isPython: boolean): string {
  const head = isPython
    ? `^( *)(?:async )?def ${escaped(name)}\\b`
    : `^( *)(?:export )?(?:async )?(?:function |const )${escaped(name)}\\b`;
  const begin = new RegExp(head, 'mu').exec(text);
  if (!begin) return '';
  const rest = text.slice(begin.index + begin[0].length);
  const end = new RegExp(`\\n {0,${begin[1]!.length}}[^\\s})]`, 'u').exec(rest);
  return rest.slice(0, end?.index);
}

function escaped(name: string): string {
  return name.replaceAll('$', '\\$&');
}

function called(callee: string, isPython: boolean): string {
  return isPython ? `${callee}(query)` : `await ${callee}(query)`;
}

function variable(name: string, value: string, isPython: boolean): string {
  return isPython ? `${name} = ${value}` : `const ${name} = ${value};`;
}

/** `retriever` in `retriever = store.as_retriever(`. */
function assignedName(statement: string): string | undefined {
  return /^(?:export )?(?:(?:const|let|var) )?([\p{L}_$][\p{L}\p{N}_$]*)(?: ?:[^=\n]{1,80})? ?=(?!=)/u.exec(
    statement,
  )?.[1];
}
