/** The file formats of a gate's report. */
import type { GateReport } from '../../features/gate/core/report.ts';
import { toGitHub } from './github.ts';
import { toHtml } from './html.ts';
import { toJUnit } from './junit.ts';
import { toLatex } from './latex.ts';
import { toMarkdown } from './markdown.ts';
import { toSarif } from './sarif.ts';

export const REPORT_FORMATS = {
  json: (report: GateReport): string => `${JSON.stringify(report, null, 2)}\n`,
  junit: toJUnit,
  sarif: toSarif,
  github: toGitHub,
  html: toHtml,
  markdown: toMarkdown,
  latex: toLatex,
} as const;

export type ReportFormat = keyof typeof REPORT_FORMATS;
