// The only connection of this process to Parallax. It is opened with the first message, does not keep the program
// alive, and its failures do not affect the program.
import { appendFileSync, lstatSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

/** The longest line, in characters: Parallax closes the connection at four times as many. */
const LONGEST_LINE = 8 * 1024 * 1024;
/** The most characters that wait to be sent; beyond them retrievals are counted instead of sent. */
const MAX_WAITING = 64 * 1024 * 1024;
/** The most messages that wait to be made. */
const MAX_UNMADE = 100;
const MAX_ARGUMENTS = 100;

export class Connection {
  #plan;
  #socket;
  /** Messages that are not written yet, and those whose writing has not finished. */
  #waiting = [];
  #written = new Set();
  #isScheduled = false;
  #isOver = false;
  #take;
  #last;

  /**
   * @param take called with each message of Parallax
   * @param last returns the messages to send before the process exits
   */
  constructor(plan, take, last) {
    this.#plan = plan;
    this.#take = take;
    this.#last = last;
  }

  /** Whether Parallax closed the connection or was not running. */
  get isOver() {
    return this.#isOver;
  }

  /** Whether the program retrieves faster than Parallax reads. */
  get isFull() {
    return (this.#socket?.writableLength ?? 0) > MAX_WAITING;
  }

  /** @param make called before the message is sent, or when too many wait */
  tellLater(make) {
    this.tell(this.#waiting.length < MAX_UNMADE ? make : make());
  }

  /** @param message or a function that makes it */
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

  /** Keeps the program alive while it answers. */
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
      command: [process.argv0, ...process.argv.slice(1, MAX_ARGUMENTS)].map((part) =>
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

  /** Writes the unsent messages to a file when the process exits. */
  #spool() {
    if (this.#isOver) return;
    this.#waiting.push(...this.#last());
    const lines = [...this.#written, ...this.#waiting.map(lineOf)];
    if (lines.length === 0) return;
    const hello = lineOf(this.#hello());
    const file = `${process.pid}-${threadId}-${Date.now()}.jsonl`;
    try {
      if (!isOwn(this.#plan.spool)) return;
      appendFileSync(join(this.#plan.spool, file), hello + lines.join(''), { mode: 0o600 });
    } catch {
      // Parallax has exited and removed its folder.
    }
  }
}

/** After the run, others may make a folder of the same name in the shared one for temporary files. */
export function isOwn(folder) {
  return process.getuid === undefined || lstatSync(folder).uid === process.getuid();
}

function lineOf(told) {
  const message = typeof told === 'function' ? made(told) : told;
  for (const each of [message, { ...message, result: { $cut: 'size' } }])
    try {
      const line = `${JSON.stringify(each)}\n`;
      if (line.length <= LONGEST_LINE || message?.result === undefined) return line;
    } catch {
      // Too long for a string.
    }
  return '';
}

function made(make) {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** Once Parallax has exited, another program may listen on its port. */
function isRunning(owner) {
  if (owner === undefined) return true;
  try {
    process.kill(owner, 0);
    return true;
  } catch {
    return false;
  }
}
