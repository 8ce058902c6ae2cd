/**
 * Recognises the reports of Parallax. They contain questions and the passages that answer them, so they would
 * be found first.
 */
import * as l10n from '@vscode/l10n';
import { FileSkipped, type ReadContext } from './reader.ts';
import { isObject } from './records.ts';

/** The beginning of a text report of `parallax gate`; see core/reports. */
const BEGINNING =
  /^(?:# Parallax gate\n|% Needs \\usepackage\{booktabs\}\.\n|<!DOCTYPE html>[^]{0,1000}<title>Parallax gate: |<\?xml [^>]{0,100}>\n<testsuites>\n {2}<testsuite [^>]{0,1000}>\n {4}<properties>\n {6}<property name="judgements" )/u;
const LOOKED_AT = 2_000;

/** @throws FileSkipped `report` for a text report, unless the user named the file */
export function requireNoReport(bytes: Buffer, context: Pick<ReadContext, 'isNamed'>): void {
  if (!context.isNamed && BEGINNING.test(bytes.toString('latin1', 0, LOOKED_AT))) throw reportSkipped();
}

/**
 * @param value parsed JSON
 * @throws FileSkipped `report` for a report, an evaluation or a baseline, unless the user named the file
 */
export function requireNoJsonReport(value: unknown, { isNamed }: Pick<ReadContext, 'isNamed'>): void {
  if (!isNamed && isObject(value) && SHAPES.some((isReport) => isReport(value))) throw reportSkipped();
}

type Fields = Readonly<Record<string, unknown>>;

const SHAPES: readonly ((value: Fields) => boolean)[] = [
  // parallax gate
  ({ checks, datasets, outcome }) => isList(checks) && isList(datasets) && typeof outcome === 'string',
  // parallax eval
  ({ pipelines, comparisons, macro }) => isList(pipelines) && isList(comparisons) && macro !== undefined,
  // A baseline.
  ({ version, k, datasets }) =>
    version === 1 &&
    typeof k === 'number' &&
    isList(datasets) &&
    datasets.some((dataset) => isObject(dataset) && 'evalSet' in dataset && 'pipelines' in dataset),
];

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const reportSkipped = (): FileSkipped =>
  new FileSkipped(
    'report',
    l10n.t(
      'It is a report of Parallax, with questions and their answers. To index it anyway, name the file in "roots".',
    ),
  );
