/**
 * A natural language inference model as a judge: the passage is the premise, the perspective the hypothesis (BERDS
 * section 5).
 *
 * The probability is stored, and the verdict follows from it and the threshold when the answer is read. So a new
 * threshold changes all answers at once, and the model runs only once for each pair.
 */
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { NLI_VERSION } from '../../core/judging/nli.ts';
import { STANDARDS } from '../../core/judging/standard.ts';
import type { DecidedVerdict, Judgement } from '../../core/model.ts';
import { calibrationReportSchema, type CalibrationReport } from '../../shared/calibration.ts';
import { readText } from '../files/reading.ts';
import {
  judgeOf,
  type Judge,
  type JudgeIdentity,
  type JudgeOptions,
  type JudgePair,
  type JudgeReport,
} from './judge.ts';
import { JudgingRun, type Unit } from '../judgements/judging-run.ts';
import type { Entailment, NliModel } from '../models/nli-model.ts';

/** The probability from which the answer is "yes". Called again before answers are read. */
export type Threshold = () => Promise<number>;

export interface NliJudgeSettings {
  readonly name: string;
  readonly model: NliModel;
  readonly threshold: Threshold;
  /** Whether the threshold was chosen on labels. */
  readonly isCalibrated?: boolean | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

export function createNliJudge(settings: NliJudgeSettings): Judge {
  const { name, model, isCalibrated } = settings;
  const judging = new NliJudging(settings);
  const identity: JudgeIdentity = {
    name,
    label: `${model.label} (NLI)`,
    source: 'nli',
    expense: 'computing',
    heuristic: false,
    key: nliKey(model),
    reading: {
      refresh: () => judging.refresh(),
      read: (stored) => judging.read(stored),
      isFitted: isCalibrated,
    },
  };
  return judgeOf(identity, judging);
}

/** {@link Judge.key} of the judges with this model, whatever their threshold. */
export function nliKey({ identity }: NliModel): string {
  return JSON.stringify(['nli', NLI_VERSION, identity]);
}

/**
 * The threshold of a file that `parallax judge calibrate --json` wrote.
 *
 * @param key of the judge that uses it, {@link nliKey}
 */
export function calibratedThreshold(file: string, key: string): Threshold {
  return async () => {
    const { threshold, judgeKey } = await readCalibration(file);
    if (judgeKey === key) return threshold;
    throw new ParallaxError(
      'bad-config',
      l10n.t`${file} was calibrated for another model, or for other settings of it. Calibrate again: parallax judge calibrate.`,
    );
  };
}

async function readCalibration(file: string): Promise<Pick<CalibrationReport, 'threshold' | 'judgeKey'>> {
  const text = await readText(file).catch((error: unknown) => {
    throw new ParallaxError(
      'bad-config',
      l10n.t`The calibration ${file} cannot be read: ${messageOf(error)}.`,
      {
        cause: error,
      },
    );
  });
  try {
    return calibrationReportSchema.pick({ threshold: true, judgeKey: true }).parse(JSON.parse(text));
  } catch (error) {
    throw new ParallaxError(
      'bad-config',
      l10n.t`${file} is not what "parallax judge calibrate --json" writes.`,
      {
        cause: error,
      },
    );
  }
}

/** Read together: enough to batch by length, few enough that each is checked shortly before its turn. */
const PAIRS_AT_A_TIME = 32;

class NliJudging {
  readonly #settings: NliJudgeSettings;
  readonly #now: () => number;
  #threshold = Number.NaN;

  constructor(settings: NliJudgeSettings) {
    this.#settings = settings;
    this.#now = settings.now ?? Date.now;
  }

  async refresh(): Promise<void> {
    this.#threshold = await this.#settings.threshold();
  }

  async judge(pairs: readonly JudgePair[], options: JudgeOptions = {}): Promise<JudgeReport> {
    await this.refresh();
    const run = new JudgingRun(pairs.length, options);
    // One at a time, since a model uses all the processors that it may.
    return run.through(unitsOf(pairs.length), 1, (unit, signal) =>
      this.#settings.model.entail(
        unit.map((index) => ({
          premise: pairs[index]!.passage.text,
          hypothesis: pairs[index]!.perspective.text,
        })),
        (place, entailment) =>
          run.deliver(unit[place]!, {
            judgement: this.#judgement(entailment),
            unparsable: false,
          }),
        { signal },
      ),
    );
  }

  #judgement({ probability, span }: Entailment): Judgement {
    return {
      verdict: this.#verdict(probability),
      evidence: span.end > span.start ? [span] : [],
      source: 'nli',
      judge: this.#settings.name,
      confidence: probability,
      model: this.#settings.model.label,
      promptVersion: NLI_VERSION,
      standard: STANDARDS.berds.id,
      at: new Date(this.#now()).toISOString(),
    };
  }

  read(stored: Judgement): Judgement {
    const { confidence = 0, evidence } = stored;
    const verdict = this.#verdict(confidence);
    return {
      ...stored,
      verdict,
      // Evidence is the place of the support. The best part of a "no" supports nothing.
      evidence: verdict === 'yes' ? evidence : [],
      rationale: `Probability of entailment ${confidence.toFixed(3)}, "yes" from ${this.#threshold.toFixed(3)} on.`,
    };
  }

  #verdict(probability: number): DecidedVerdict {
    return probability >= this.#threshold ? 'yes' : 'no';
  }
}

function unitsOf(count: number): Unit[] {
  const places = Array.from({ length: count }, (_, index) => index);
  return Array.from({ length: Math.ceil(count / PAIRS_AT_A_TIME) }, (_, unit) =>
    places.slice(unit * PAIRS_AT_A_TIME, (unit + 1) * PAIRS_AT_A_TIME),
  );
}
