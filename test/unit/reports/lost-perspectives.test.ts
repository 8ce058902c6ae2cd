/** A limit on lost perspectives appears in every format of the report. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GateReport } from '../../../src/features/gate/core/report.ts';
import { toComment } from '../../../src/core/reports/comment.ts';
import { REPORT_FORMATS, type ReportFormat } from '../../../src/core/reports/report.ts';
import { HOSTILE } from './support.ts';

const REASON = 'Lost: 1 of the 5 perspectives that the baseline covered; allowed: 0.';
const [first] = HOSTILE.checks;
const REPORT: GateReport = {
  ...HOSTILE,
  checks: [
    {
      ...first!,
      kind: 'perspectives',
      min: undefined,
      lost: { count: 1, most: 0 },
      value: 0.8,
      reason: REASON,
    },
  ],
};

const TITLES: Readonly<Record<ReportFormat, RegExp>> = {
  json: /"lost": \{\s*"count": 1,\s*"most": 0\s*\}/,
  junit: / name="lost perspectives ≤ 0"/,
  sarif: /"ruleId": "parallax\/perspectives"/,
  github: /lost perspectives ≤ 0/,
  html: /lost perspectives ≤ 0/,
  markdown: /\| lost perspectives ≤ 0 \| 1 \|/,
  latex: /lost perspectives \$\\le\$ 0 & 1 &/,
};

for (const [format, title] of Object.entries(TITLES))
  test(`${format} names the limit, the number of losses and their reasons`, () => {
    const text = REPORT_FORMATS[format as ReportFormat](REPORT);
    assert.match(text, title);
    // LaTeX tables contain no reasons.
    assert.equal(text.includes(REASON), format !== 'latex');
  });

test('the comment of a pull request does, too, without an interval of another figure', () => {
  assert.match(toComment(REPORT, { id: 'parallax.json' }), /\| lost perspectives ≤ 0 \| 1 \|/);
});
