// Distributes the cores of the machine.

/**
 * Assigns cores by rank, and within a rank in order of request. Smaller requests do not overtake larger ones, so large
 * ones cannot starve.
 */
export class Cores {
  #free;
  #waiting = [];

  constructor(count) {
    this.#free = count;
  }

  /**
   * Runs `work` once that many cores are free.
   *
   * @template Result
   * @param {number} count at most all of them
   * @param {() => Promise<Result>} work
   * @param {number} rank lower ranks go first
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
