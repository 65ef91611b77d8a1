// What has arrived of a remote shell and is not taken yet. Each byte is copied and searched a constant number of times, also if a machine
// sends without end: a search goes on where the last one ended, and the memory doubles.

export interface TakenReply {
  readonly bytes: Buffer;
  /** Of the line with the mark, after it. */
  readonly rest: string;
}

export class ReplyBuffer {
  #memory: Buffer = Buffer.alloc(BYTES_MIN);
  #from = 0;
  #to = 0;
  /** No mark begins before. */
  #searched = 0;

  add(chunk: Buffer): void {
    if (this.#to + chunk.length > this.#memory.length) {
      const length = this.#to - this.#from;
      const memory = Buffer.alloc(Math.max(BYTES_MIN, 2 * (length + chunk.length)));
      this.#memory.copy(memory, 0, this.#from, this.#to);
      this.#searched = Math.max(0, this.#searched - this.#from);
      this.#memory = memory;
      this.#from = 0;
      this.#to = length;
    }
    chunk.copy(this.#memory, this.#to);
    this.#to += chunk.length;
  }

  /** Up to the next line that begins with the mark and a space; undefined until that line is complete. */
  take(mark: string): TakenReply | undefined {
    const sign = `\n${mark} `;
    const unread = this.#memory.subarray(0, this.#to);
    const at = unread.indexOf(sign, this.#searched);
    if (at === -1) {
      this.#searched = Math.max(this.#from, this.#to - sign.length);
      return undefined;
    }
    this.#searched = at;
    const end = unread.indexOf('\n', at + 1);
    if (end === -1) return undefined;
    const bytes = Buffer.from(unread.subarray(this.#from, at));
    const rest = unread.toString('utf8', at + sign.length, end).trim();
    this.#from = end + 1;
    this.#searched = this.#from;
    return { bytes, rest };
  }

  start(bytesMax: number): Buffer {
    return this.#memory.subarray(this.#from, Math.min(this.#to, this.#from + bytesMax));
  }
}

const BYTES_MIN = 64 * 1024;
