/**
 * Runs all faults one after the other: kills, damage, misplaced files, hostile servers, hostile documents, expensive
 * inputs, malformed input to Parallax's ports, histories of an index, exit codes, and signals during a run. Each turn
 * draws new faults from the seed.
 */
import fc from 'fast-check';
import { between, seededRandom, type Random } from '../../../../bench/support/random.ts';
import { InputWatch } from '../../../../bench/support/input-watch.ts';
import { messageOf } from '../../../../src/core/errors.ts';
import { FUZZED_BYTES } from '../../../fuzz/engine-parsers.ts';
import { expensiveBytes, expensiveInputs } from '../../../fuzz/expensive.ts';
import { inputsOf } from '../../../fuzz/fuzzed-bytes.ts';
import { inputsLike } from '../../../fuzz/inputs.ts';
import { FUZZED_PARSERS, survives } from '../../../fuzz/parsers.ts';
import { assertAsFresh, history } from '../../corpus/histories.ts';
import { DamageHarness } from './damage.ts';
import { ExchangeHarness } from './exchange.ts';
import { assertEnds, assertExitCode, OwnPorts } from './doors.ts';
import { KillHarness, type Work } from './kills.ts';

export const STAGES = [
  'kills',
  'damage',
  'exchanges',
  'sockets',
  'histories',
  'exit codes',
  'signals',
  'hostile servers',
  'hostile documents',
  'costs',
] as const;
export type Stage = (typeof STAGES)[number];

/** The number of faults of each kind in one turn. For `documents`, `servers` and `costs`: inputs for each parser. */
export interface TurnSizes {
  /** Each entry is killed once; a work listed twice is killed twice. */
  readonly kills: readonly Work[];
  readonly damages: number;
  readonly exchanges: number;
  readonly servers: number;
  readonly documents: number;
  readonly costs: number;
  readonly sockets: number;
  readonly histories: number;
  readonly exits: number;
  readonly signals: number;
}

export interface Tally {
  readonly tried: number;
  readonly faults: readonly string[];
}

/** Accepts a text or refuses it with a message. @throws on any fault */
interface Parser {
  readonly name: string;
  /** The cost of one input, relative to the other parsers. */
  readonly cost: number;
  readonly inputs: fc.Arbitrary<string>;
  readonly expensive: fc.Arbitrary<string>;
  readonly take: (text: string) => unknown;
}

const PARSERS: readonly Parser[] = [
  ...FUZZED_PARSERS.map((parser) => ({
    name: parser.name,
    cost: 1,
    inputs: inputsLike(parser.examples),
    expensive: expensiveInputs(parser.examples),
    take: (text: string) => survives(parser, text),
  })),
  ...FUZZED_BYTES.map((parser) => ({
    name: parser.name,
    cost: parser.cost,
    inputs: inputsOf(parser),
    expensive: expensiveBytes(parser.examples),
    take: parser.survives,
  })),
];
/** Parsers of what a server on this machine answers. */
const ANSWERS = /^(?:answers? of|search by|how long a server|robots|OTLP)/u;

export class LongRun {
  readonly #random: Random;
  readonly #sizes: TurnSizes;
  readonly #watch = new InputWatch();
  readonly #tallies = new Map<Stage, { tried: number; faults: string[] }>(
    STAGES.map((stage) => [stage, { tried: 0, faults: [] }]),
  );
  readonly #kills: KillHarness;
  readonly #damage: DamageHarness;
  readonly #exchanges: ExchangeHarness;
  readonly #ports: OwnPorts;

  private constructor(
    random: Random,
    sizes: TurnSizes,
    [kills, damage, exchanges, ports]: readonly [KillHarness, DamageHarness, ExchangeHarness, OwnPorts],
  ) {
    this.#random = random;
    this.#sizes = sizes;
    this.#kills = kills;
    this.#damage = damage;
    this.#exchanges = exchanges;
    this.#ports = ports;
  }

  static async start(seed: number, sizes: TurnSizes): Promise<LongRun> {
    const harnesses = [
      await KillHarness.start(seed),
      await DamageHarness.start(seed),
      await ExchangeHarness.start(seed),
      await OwnPorts.open(),
    ] as const;
    return new LongRun(seededRandom(seed), sizes, harnesses);
  }

  get tallies(): ReadonlyMap<Stage, Tally> {
    return this.#tallies;
  }

  /** Runs all stages once. @param isOver asked between two stages */
  async turn(isOver: () => boolean = () => false): Promise<void> {
    for (const stage of STAGES) {
      if (isOver()) return;
      await this.#do(stage);
    }
  }

  async close(): Promise<void> {
    await this.#kills.close();
    await this.#damage.close();
    this.#exchanges.close();
    await this.#ports.close();
    for (const { close } of FUZZED_BYTES) await close?.();
  }

  async #do(stage: Stage): Promise<void> {
    const { kills, damages, exchanges, servers, documents, costs, sockets, histories, exits, signals } =
      this.#sizes;
    switch (stage) {
      case 'kills':
        for (const work of kills) await this.#times(stage, 1, work, () => this.#kills.kill(work));
        return;
      case 'damage':
        return this.#times(stage, damages, 'damage', () => this.#hurt());
      case 'exchanges':
        return this.#times(stage, exchanges, 'exchange', () => this.#exchanges.exchange());
      case 'hostile servers':
        return this.#feed(stage, servers, (parser) =>
          ANSWERS.test(parser.name) ? parser.inputs : undefined,
        );
      case 'hostile documents':
        return this.#feed(stage, documents, (parser) =>
          ANSWERS.test(parser.name) ? undefined : parser.inputs,
        );
      case 'costs':
        return this.#feed(stage, costs, ({ expensive }) => expensive);
      case 'sockets':
        return this.#times(stage, sockets, 'socket', () => this.#ports.suffer(this.#random));
      case 'histories':
        return this.#times(stage, histories, 'history', () => this.#grow());
      case 'exit codes':
        return this.#times(stage, exits, 'exit code', () => assertExitCode(this.#random));
      case 'signals':
        return this.#times(stage, signals, 'signal', () => assertEnds(this.#random));
    }
  }

  async #times(stage: Stage, times: number, what: string, work: () => Promise<unknown>): Promise<void> {
    const tally = this.#tallies.get(stage)!;
    for (let n = 0; n < times; n++) {
      tally.tried++;
      try {
        await work();
      } catch (error) {
        tally.faults.push(`${what}: ${messageOf(error)}`);
      }
    }
  }

  async #grow(): Promise<void> {
    const seed = between(this.#random, 0, 2 ** 31 - 1);
    await fc.assert(fc.asyncProperty(history, fc.boolean(), assertAsFresh), { seed, numRuns: 1 });
  }

  /** Flips one bit, or truncates a file. */
  async #hurt(): Promise<void> {
    const { files } = this.#damage;
    const { name, bytes } = files[between(this.#random, 0, files.length - 1)]!;
    const place = between(this.#random, 0, bytes - 1);
    const damage =
      this.#random() < 0.8 ? { flip: place, mask: 1 << between(this.#random, 0, 7) } : { length: place };
    try {
      await this.#damage.suffer(name, damage);
    } catch (error) {
      throw new Error(`${name}, ${JSON.stringify(damage)}: ${messageOf(error)}`, { cause: error });
    }
  }

  async #feed(
    stage: Stage,
    count: number,
    inputsFor: (parser: Parser) => fc.Arbitrary<string> | undefined,
  ): Promise<void> {
    const tally = this.#tallies.get(stage)!;
    for (const parser of PARSERS) {
      const inputs = inputsFor(parser);
      if (!inputs) continue;
      const seed = between(this.#random, 0, 2 ** 31 - 1);
      const numRuns = Math.max(1, Math.round(count / parser.cost));
      const result = await fc.check(
        fc.asyncProperty(inputs, (text) => this.#watched(parser, text)),
        { seed, numRuns },
      );
      tally.tried += result.numRuns;
      if (result.failed)
        tally.faults.push(
          `${parser.name}, seed ${seed}: ${JSON.stringify(result.counterexample?.[0]).slice(0, 2_000)}: ${messageOf(result.errorInstance)}`,
        );
    }
  }

  async #watched({ take }: Parser, text: string): Promise<void> {
    this.#watch.begin(text);
    try {
      await take(text);
    } finally {
      // Otherwise the watch would end the process for an input that was refused long ago.
      this.#watch.end();
    }
  }
}
