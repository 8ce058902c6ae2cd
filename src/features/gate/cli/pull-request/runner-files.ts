/** The files through which a step of GitHub Actions passes on its results. */
import { queriesIn, type GateReport } from '../../core/report.ts';
import { toJobSummary } from '../../../../core/reports/github.ts';
import { toMarkdown } from '../../../../core/reports/markdown.ts';
import { appendText } from '../../../../engine/files/output-file.ts';
import type { Environment } from './forge.ts';

/** Writes only the files that the runner names. @throws ParallaxError `bad-file` */
export async function writeRunnerFiles(report: GateReport, environment: Environment): Promise<void> {
  const { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output } = environment;
  if (summary) await appendText(summary, toJobSummary(toMarkdown(report)));
  if (output) await appendText(output, outputsOf(report));
}

/** Lines of `name=value`. */
function outputsOf(report: GateReport): string {
  const queries = queriesIn(report).map(({ query }) => query);
  const lost = queries.flatMap(({ lost }) => lost.filter(({ newly }) => newly));
  const won = queries.flatMap((query) => query.won ?? []);
  return `outcome=${report.outcome}\nlost=${lost.length}\nwon=${won.length}\n`;
}
