// Who may use how many cores of the machine.

/**
 * Gives out cores by rank, and of one rank in the order in which they were asked for. Who waits is not overtaken by what is
 * smaller, so that something large comes to its turn.
 */
export class Cores {
  #free;
  #waiting = [];

  constructor(count) {
    this.#free = count;
  }

  /**
   * Runs `work` as soon as that many cores are free.
   *
   * @template Result
   * @param {number} count at most all of them
   * @param {() => Promise<Result>} work
   * @param {number} rank the lower goes first
   * @returns {Promise<Result>}
   */
  async use(count, work, rank = 0) {
    await new Promise((start) => {
      const after = this.#waiting.findIndex((other) => other.rank > rank);
      this.#waiting.splice(after === -1 ? this.#waiting.length : after, 0, { count, rank, start });
      this.#startNext();
    });
    try {
      return await work();
    } finally {
      this.#free += count;
      this.#startNext();
    }
  }

  #startNext() {
    while (this.#waiting.length > 0 && this.#waiting[0].count <= this.#free) {
      const { count, start } = this.#waiting.shift();
      this.#free -= count;
      start();
    }
  }
}
