// Who may use how many cores of the machine.

/**
 * Gives out cores in the order in which they were asked for: who waits is not overtaken, so that something large
 * comes to its turn.
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
   * @returns {Promise<Result>}
   */
  async use(count, work) {
    await new Promise((start) => {
      this.#waiting.push({ count, start });
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
