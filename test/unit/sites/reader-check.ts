/** Runs the detector over programs of the grammar and collects what it states wrongly. */
import { detectIn } from './workspace-support.ts';
import { grammarProgram, type GrammarLanguage } from './reader-grammar.ts';

interface WrongStatement {
  readonly seed: number;
  readonly stated: number;
  readonly ran: readonly number[];
  /** Number of the call in the text, from 0. */
  readonly call: number;
  readonly text: string;
}

export interface ReaderCheck {
  readonly programs: number;
  /** Calls that ran, and how many of them have a stated k. */
  readonly calls: number;
  readonly stated: number;
  readonly missed: number;
  readonly wrong: readonly WrongStatement[];
}

export async function checkReader(
  language: GrammarLanguage,
  from: number,
  programs: number,
): Promise<ReaderCheck> {
  const wrong: WrongStatement[] = [];
  let [calls, stated, missed] = [0, 0, 0];
  for (let seed = from; seed < from + programs; seed++) {
    const { text, runs } = grammarProgram(seed, language);
    // A program that is alone in its workspace: who calls its functions is known.
    const file = language === 'python' ? 'program.py' : 'program.ts';
    const detection = await detectIn({ [file]: text }, file);
    if (detection.sites.length !== runs.length) missed++;
    else
      runs.forEach((ran, call) => {
        const k = detection.sites[call]?.k;
        if (ran.length > 0) calls++;
        if (!k || k.value === undefined || ran.length === 0) return;
        stated++;
        const { value } = k;
        if (ran.some((each) => each !== value)) wrong.push({ seed, stated: value, ran, call, text });
      });
  }
  return { programs, calls, stated, missed, wrong };
}
