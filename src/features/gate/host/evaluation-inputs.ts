/** Whether evaluations depend on a file. Pure. */
import path from 'node:path';
import { CONFIG_FILE, LABELS_FILE, type ParallaxConfig } from '../../../shared/config.ts';

/** Version control and packages change often, but are not part of a corpus. */
const ELSEWHERE = /(?:^|\/)(?:\.git|node_modules)(?:\/|$)/u;
const OWN = /^\.parallax\//u;
const BASELINE = /^\.parallax\/baselines\/[^/]+\.json$/u;

/**
 * @param file path relative to the workspace, with slashes
 * @param evalSets paths relative to the workspace
 */
export function isEvaluationInput(
  file: string,
  { corpora, gate }: Pick<ParallaxConfig, 'corpora' | 'gate'>,
  evalSets: ReadonlySet<string>,
): boolean {
  if ([CONFIG_FILE, LABELS_FILE, gate?.baseline?.file].includes(file)) return true;
  if (evalSets.has(file) || BASELINE.test(file)) return true;
  if (ELSEWHERE.test(file) || OWN.test(file)) return false;
  return Object.values(corpora).some(({ roots }) => roots.some((root) => isWithin(file, root)));
}

function isWithin(file: string, root: string): boolean {
  // Corpora outside of the workspace are not watched.
  const relative = path.posix.relative(path.posix.normalize(root), file);
  return !path.posix.isAbsolute(root) && relative !== '..' && !relative.startsWith('../');
}
