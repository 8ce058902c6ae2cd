// The one connection of this process to Parallax. It is made when there is something to tell, keeps no program from ending,
// and whatever happens to it the program does not notice.
import { appendFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

/** Characters of one line: Parallax ends the connection at four times as many. */
const LONGEST_LINE = 8 * 1024 * 1024;
/** Characters that wait to be sent; beyond them retrievals are counted and not sent. */
const MOST_WAITING = 64 * 1024 * 1024;
const MOST_ARGUMENTS = 100;

export class Connection {
  #plan;
  #socket;
  /** Messages that are not yet written, and those whose writing has not ended. */
  #waiting = [];
  #written = new Set();
  #isScheduled = false;
  #isOver = false;
  #take;
  #last;

  /**
   * @param take called with each message of Parallax
   * @param last gives what is to be told before the process ends
   */
  constructor(plan, take, last) {
    this.#plan = plan;
    this.#take = take;
    this.#last = last;
  }

  /** Parallax ended the connection, or was not there. */
  get isOver() {
    return this.#isOver;
  }

  /** Parallax takes less than the program retrieves. */
  get isFull() {
    return (this.#socket?.writableLength ?? 0) > MOST_WAITING;
  }

  tell(message) {
    if (this.#isOver) return;
    if (!this.#socket) {
      if (!isRunning(this.#plan.owner)) return void (this.#isOver = true);
      this.#open();
    }
    this.#waiting.push(message);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#write()).unref();
  }

  /** Keeps the program from ending while it answers. */
  hold(isHeld) {
    if (isHeld) this.#socket?.ref();
    else this.#socket?.unref();
  }

  #open() {
    this.#socket = connect({ host: '127.0.0.1', port: this.#plan.port });
    this.#socket.unref();
    this.#socket.setNoDelay(true);
    this.#socket.on('error', () => this.#end());
    this.#socket.on('close', () => this.#end());
    let rest = '';
    this.#socket.setEncoding('utf8').on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) this.#hear(line);
    });
    this.#waiting.unshift(this.#hello());
    process.once('exit', () => this.#spool());
  }

  #hello() {
    return {
      type: 'hello',
      protocol: 1,
      token: this.#plan.token,
      language: 'javascript',
      version: process.versions.node,
      pid: process.pid,
      ppid: process.ppid,
      command: [process.argv0, ...process.argv.slice(1, MOST_ARGUMENTS)].map((part) =>
        String(part).slice(0, 1000),
      ),
    };
  }

  #hear(line) {
    try {
      this.#take(JSON.parse(line));
    } catch {
      // A line of another protocol.
    }
  }

  #write() {
    this.#isScheduled = false;
    const messages = this.#waiting.splice(0);
    for (const message of messages) {
      const line = lineOf(message);
      this.#written.add(line);
      this.#socket.write(line, (error) => {
        if (!error) this.#written.delete(line);
      });
    }
  }

  #end() {
    this.#isOver = true;
    this.#waiting = [];
    this.#written.clear();
  }

  /** The process ends: what is still here is left in a file. */
  #spool() {
    if (this.#isOver) return;
    this.#waiting.push(...this.#last());
    const lines = [...this.#written, ...this.#waiting.map(lineOf)];
    if (lines.length === 0) return;
    const hello = lineOf(this.#hello());
    const file = `${process.pid}-${threadId}-${Date.now()}.jsonl`;
    try {
      appendFileSync(join(this.#plan.spool, file), hello + lines.join(''), { mode: 0o600 });
    } catch {
      // Parallax has ended, and its folder with it.
    }
  }
}

function lineOf(message) {
  try {
    const line = `${JSON.stringify(message)}\n`;
    if (line.length <= LONGEST_LINE || message.result === undefined) return line;
    return `${JSON.stringify({ ...message, result: { $cut: 'size' } })}\n`;
  } catch {
    return '';
  }
}

/** Once Parallax has ended, another program may listen at its port. */
function isRunning(owner) {
  if (owner === undefined) return true;
  try {
    process.kill(owner, 0);
    return true;
  } catch {
    return false;
  }
}
