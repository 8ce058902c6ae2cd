/** Work that takes long lets others have their turn in between: the editor, while a large file is read. */

export interface Turns {
  /** Whether the work has lasted long enough. */
  readonly isDue: () => boolean;
  readonly give: () => Promise<void>;
}

/** Work is done at a stretch for so long: what is begun then is ended, and may take as long again. */
const STRETCH_MS = 4;

/**
 * @param othersTurn waits until others have had theirs
 * @param now milliseconds from any beginning
 */
export function timedTurns(othersTurn: () => Promise<void>, now: () => number): Turns {
  let since = now();
  return {
    isDue: () => now() - since > STRETCH_MS,
    give: async () => {
      await othersTurn();
      since = now();
    },
  };
}
