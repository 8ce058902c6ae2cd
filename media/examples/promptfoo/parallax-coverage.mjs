/**
 * A promptfoo assertion on what parallax-provider.mjs answers: every measure becomes a named score, and one of
 * them (config: metric, min) decides.
 */

/**
 * @param {string | object} output of the provider; promptfoo may have parsed it already
 * @param {{ config?: { metric?: string, min?: number } }} context
 */
export default function coverage(output, context) {
  const { metrics, lost } = typeof output === 'string' ? JSON.parse(output) : output;
  const { metric = 'StRecall@5', min = 0.5 } = context.config ?? {};
  const score = metrics[metric];
  if (score === undefined)
    throw new Error(`There is no measure "${metric}"; there are ${Object.keys(metrics).join(', ')}.`);
  const missing = lost.map(({ text, reason }) => `lost: ${text} ${reason}`);
  return {
    pass: score >= min,
    score,
    reason: [`${metric} is ${score.toFixed(2)}, at least ${min} is demanded`, ...missing].join('\n'),
    namedScores: metrics,
  };
}
