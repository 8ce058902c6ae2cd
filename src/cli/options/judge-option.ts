/** Parses judges on the command line. */
import { describeIssue } from '../../core/schema-issue.ts';
import type { ParallaxConfig } from '../../shared/config.ts';
import { judgeSchema, type JudgeConfig, judgeTypeOf } from '../../shared/judge-config.ts';
import { JUDGES_WITHOUT_EDITOR } from '../../shared/named-judges.ts';
import { UsageError } from '../presentation/terminal.ts';

/** Judges that can be asked without an entry in `parallax.json` and without the editor. */
const BUILT_IN = Object.entries(JUDGES_WITHOUT_EDITOR).flatMap(([name, config]) =>
  judgeTypeOf(config).answeredBy === 'people' ? [] : name,
);

export interface NamedJudges {
  /** In the given order. */
  readonly names: readonly string[];
  readonly reference: string | undefined;
  /** The judges of `parallax.json`, and those given as JSON under generated names. */
  readonly configs: Record<string, JudgeConfig>;
}

/**
 * Parses judges given as JSON, or as names in `parallax.json` or of built-in ones.
 *
 * @throws UsageError for an unknown name, a judge given twice, invalid JSON and invalid fields
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
 * Parses one judge, given as JSON or as a name.
 *
 * @param option for messages, e.g. `--judge`
 * @param configs of all judges by name; a judge given as JSON is added
 * @returns its name
 * @throws UsageError for an unknown name, invalid JSON and invalid fields
 */
export function readJudge(text: string, option: string, configs: Record<string, JudgeConfig>): string {
  return text.trimStart().startsWith('{') ? addJudge(configs, text, option) : knownName(text, configs);
}

function knownName(name: string, configs: Readonly<Record<string, JudgeConfig>>): string {
  if (BUILT_IN.includes(name) || Object.hasOwn(configs, name)) return name;
  const known = [...new Set([...BUILT_IN, ...Object.keys(configs)])].join(', ');
  throw new UsageError(`There is no judge "${name}". Available: ${known}. JSON is accepted, too.`);
}

/** @returns the generated name of the judge */
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
