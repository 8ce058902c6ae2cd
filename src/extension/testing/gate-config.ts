/** Writing what the gate demands into `parallax.json`. */
import { withValue } from '../../core/formats/json-edit.ts';
import type { ParallaxConfig } from '../../shared/config.ts';
import { gateOf } from '../../shared/evaluation.ts';

/**
 * Names a baseline in the text of a `parallax.json`, whose gate then fails where a query loses what it covered, as the
 * Testing view does.
 */
export function withBaseline(
  json: string,
  config: Pick<ParallaxConfig, 'gate' | 'pipelines'>,
  file: string,
): string {
  const { pipelines, k } = gateOf(config);
  const gated = config.gate ? json : withValue(json, ['gate'], { pipelines, k });
  return withValue(gated, ['gate', 'baseline'], { file, lostPerspectives: 0 });
}
