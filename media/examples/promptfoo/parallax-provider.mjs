/**
 * A promptfoo provider: the passages that a pipeline of parallax.json retrieves for a question of its eval sets, with
 * every measure of the question and the perspectives that the top k lost.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Exit codes of `parallax gate`: a missed check is no error here, promptfoo has its own. */
const PASSED_OR_MISSED = [0, 1];

/** One run answers all questions. By configuration and pipeline. */
const reports = new Map();

export default class ParallaxProvider {
  /** @param {{ id?: string, config?: { config?: string, pipeline?: string } }} options of promptfooconfig.yaml */
  constructor(options = {}) {
    this.config = options.config ?? {};
    this.label = options.label ?? this.config.pipeline;
  }

  id() {
    return `parallax:${this.config.pipeline ?? 'first pipeline of the gate'}`;
  }

  /** @param {string} prompt the question */
  async callApi(prompt) {
    try {
      const { config = 'parallax.json', pipeline } = this.config;
      const found = queriesOf(await gateReport(config, pipeline)).find(
        ({ text }) => text.trim() === prompt.trim(),
      );
      if (!found) return { error: `No eval set of ${this.id()} has the question "${prompt}".` };
      const { id, metrics, lost, passages } = found;
      return { output: JSON.stringify({ id, passages, metrics, lost }) };
    } catch (error) {
      return { error: String(error) };
    }
  }
}

function queriesOf({ datasets }) {
  return datasets.flatMap(({ pipelines }) => pipelines[0]?.queries ?? []);
}

function gateReport(config, pipeline) {
  const key = JSON.stringify([config, pipeline]);
  if (!reports.has(key)) reports.set(key, runGate(config, pipeline));
  return reports.get(key);
}

async function runGate(config, pipeline) {
  const [command, ...first] = (process.env.PARALLAX ?? 'parallax').split(' ');
  const only = pipeline === undefined ? [] : ['--pipeline', pipeline];
  const argv = [...first, 'gate', '--config', config, ...only, '--passages', '--format', 'json'];
  const { stdout } = await promisify(execFile)(command, argv, { maxBuffer: 1024 ** 3 }).catch((error) => {
    if (PASSED_OR_MISSED.includes(error.code)) return error;
    throw new Error(`parallax gate could not evaluate: ${error.stderr || error.message}`);
  });
  return JSON.parse(stdout);
}
