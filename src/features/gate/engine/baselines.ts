/** The baselines of a workspace: the file that a gate compares with, within the folder that may be read and written. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import type { Baseline } from '../core/baseline.ts';
import type { GateSpec } from '../core/spec.ts';
import { DEFAULT_BASELINE, withDefaultBaseline } from '../../../shared/evaluation.ts';
import type { EngineConfig } from '../../../shared/requests/configuration.ts';
import type { Params } from '../../../shared/rpc.ts';
import { boundaryOf, isInside, requireInside } from '../../../engine/files/boundary.ts';
import { readBaseline, writeBaseline, type BaselinePlace } from './baseline-file.ts';

export class Baselines {
  readonly #config: EngineConfig;
  readonly #log: (message: string) => void;

  constructor(config: EngineConfig, log: (message: string) => void) {
    this.#config = config;
    this.#log = log;
  }

  /** The file for accepted figures: the one that the gate names, or the default one. */
  placeOf(spec: GateSpec): BaselinePlace {
    return this.#at(withDefaultBaseline(spec).baseline!.file);
  }

  /** @returns undefined if no baseline is wanted, or if none is named and the default one is missing */
  comparedWith(spec: GateSpec, demand: Params<'evaluate'>['baseline']): BaselinePlace | undefined {
    if (demand === 'none') return undefined;
    if (spec.baseline) return this.#at(spec.baseline.file);
    const place = this.#at(DEFAULT_BASELINE);
    return demand === 'required' || existsSync(place.file) ? place : undefined;
  }

  /**
   * @param always also in a trusted workspace
   * @throws ParallaxError `untrusted` if it leads out of the workspace
   */
  async requireInside({ file, from }: BaselinePlace, always = false): Promise<void> {
    await requireInside(boundaryOf(this.#config), file);
    if (!always || (await isInside(this.#config.base, file))) return;
    throw new ParallaxError(
      'untrusted',
      l10n.t`The baseline ${path.relative(from, file)} lies outside this folder. A person can accept it, an agent cannot.`,
    );
  }

  /**
   * @param remedy what writes a baseline, for messages
   * @throws ParallaxError `not-found`, `bad-file`, `untrusted`
   */
  async read(place: BaselinePlace, remedy = ownRemedy()): Promise<Baseline> {
    await this.requireInside(place);
    return readBaseline(place, remedy);
  }

  /**
   * @returns whether the file changed
   * @throws ParallaxError `bad-argument` if an eval set has no judgements, `bad-file` if it cannot be written,
   *   `untrusted`
   */
  async write(place: BaselinePlace, content: Baseline): Promise<boolean> {
    await this.requireInside(place);
    requireJudged(content);
    return writeBaseline(place, content);
  }

  /** When the current baseline was evaluated. `undefined` if there is none that can be read. */
  async moment(spec: GateSpec): Promise<string | undefined> {
    const place = this.placeOf(spec);
    if (!(await isInside(boundaryOf(this.#config), place.file))) return undefined;
    try {
      return (await readBaseline(place, ownRemedy())).at;
    } catch (error) {
      if (!ParallaxError.is(error)) throw error;
      if (error.id !== 'not-found') this.#log(error.message);
      return undefined;
    }
  }

  #at(file: string): BaselinePlace {
    const { base } = this.#config;
    return { file: path.resolve(base, file), from: base };
  }
}

/** A baseline that covers nothing has nothing to lose, so anything retrieved later would pass. */
function requireJudged({ datasets }: Baseline): void {
  const unjudged = datasets.find(({ judgements: { pairs, judged } }) => pairs > 0 && judged === 0);
  if (!unjudged) return;
  throw new ParallaxError(
    'bad-argument',
    l10n.t`Not accepted as a baseline: nothing retrieved has been judged for "${unjudged.name}". Label passages, or have a model judge them (parallax gate --accept --judge), then accept.`,
  );
}

const ownRemedy = (): string => l10n.t('"Parallax: Accept as Baseline", or parallax gate --accept');
