/** Judges as the command line names them. */
import { describeIssue } from '../../core/schema-issue.ts';
import type { ParallaxConfig } from '../../shared/config.ts';
import { judgeSchema, type JudgeConfig } from '../../shared/judge-config.ts';
import { JUDGES_WITHOUT_EDITOR, judgeTypeOf } from '../../shared/judge-types.ts';
import { UsageError } from '../presentation/terminal.ts';

/** Judges that need no entry in `parallax.json`, and no editor, and can be asked. */
const BUILT_IN = Object.entries(JUDGES_WITHOUT_EDITOR).flatMap(([name, config]) =>
  judgeTypeOf(config).answeredBy === 'people' ? [] : name,
);

export interface NamedJudges {
  /** In the order given. */
  readonly names: readonly string[];
  readonly reference: string | undefined;
  /** Those of `parallax.json`, and those given as JSON under a name made from their contents. */
  readonly configs: Record<string, JudgeConfig>;
}

/**
 * Judges given as JSON, or by their names in `parallax.json` or among the built-in ones.
 *
 * @throws UsageError for an unknown name, a judge given twice, broken JSON and wrong fields
 */
export function readJudges(
  judges: readonly string[],
  reference: string | undefined,
  config: ParallaxConfig,
): NamedJudges {
  const configs = { ...config.judges };
  const names = judges.map((text) => readJudge(text, '--judge', configs));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new UsageError(`--judge names "${twice}" twice.`);
  return {
    names,
    reference: reference === undefined ? undefined : readJudge(reference, '--reference', configs),
    configs,
  };
}

/**
 * One judge, given as JSON or by its name.
 *
 * @param option for messages, e.g. `--judge`
 * @param configs of all judges by name; one given as JSON is added
 * @returns its name
 * @throws UsageError for an unknown name, broken JSON and wrong fields
 */
export function readJudge(text: string, option: string, configs: Record<string, JudgeConfig>): string {
  return text.trimStart().startsWith('{') ? addJudge(configs, text, option) : knownName(text, configs);
}

function knownName(name: string, configs: Readonly<Record<string, JudgeConfig>>): string {
  if (BUILT_IN.includes(name) || Object.hasOwn(configs, name)) return name;
  const known = [...new Set([...BUILT_IN, ...Object.keys(configs)])].join(', ');
  throw new UsageError(`There is no judge "${name}"; known are ${known}, or write it as JSON.`);
}

/** @returns the name under which the judge now stands among the others */
function addJudge(configs: Record<string, JudgeConfig>, text: string, option: string): string {
  const judge = parseJudge(text, option);
  const base = 'model' in judge ? `${judge.type} ${judge.model}` : judge.type;
  let name = base;
  for (let number = 2; Object.hasOwn(configs, name); number++) name = `${base} ${number}`;
  configs[name] = judge;
  return name;
}

function parseJudge(text: string, option: string): JudgeConfig {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${option} is not valid JSON: ${(error as Error).message}.`, { cause: error });
  }
  const parsed = judgeSchema.safeParse(value);
  if (!parsed.success) throw new UsageError(`${option}: ${describeIssue(parsed.error, value)}`);
  return parsed.data;
}
