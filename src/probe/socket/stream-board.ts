// Memory that a stream's thread shares with the main thread: whether to run, and how far it has come.

const BOARD_BYTES = 32;

export class StreamBoard {
  readonly memory: SharedArrayBuffer;
  readonly #state: Int32Array;
  readonly #counts: BigInt64Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(BOARD_BYTES)) {
    this.memory = memory;
    this.#state = new Int32Array(memory, 0, 1);
    this.#counts = new BigInt64Array(memory, 8, 3);
  }

  start(): void {
    Atomics.compareExchange(this.#state, 0, WAITING, RUNNING);
    Atomics.notify(this.#state, 0);
  }

  stop(): void {
    Atomics.store(this.#state, 0, STOPPED);
    Atomics.notify(this.#state, 0);
  }

  /** Blocks the thread until it is started or stopped. */
  waitForStart(): void {
    while (Atomics.load(this.#state, 0) === WAITING) Atomics.wait(this.#state, 0, WAITING);
  }

  get isStopped(): boolean {
    return Atomics.load(this.#state, 0) === STOPPED;
  }

  get bytes(): number {
    return Number(Atomics.load(this.#counts, BYTES));
  }

  set bytes(count: number) {
    Atomics.store(this.#counts, BYTES, BigInt(count));
  }

  get firstByteNs(): bigint | undefined {
    const stamp = Atomics.load(this.#counts, FIRST_BYTE_NS);
    return stamp === 0n ? undefined : stamp;
  }

  set firstByteNs(stamp: bigint) {
    Atomics.store(this.#counts, FIRST_BYTE_NS, stamp);
  }

  get lastByteNs(): bigint | undefined {
    const stamp = Atomics.load(this.#counts, LAST_BYTE_NS);
    return stamp === 0n ? undefined : stamp;
  }

  set lastByteNs(stamp: bigint) {
    Atomics.store(this.#counts, LAST_BYTE_NS, stamp);
  }
}

const WAITING = 0;
const RUNNING = 1;
const STOPPED = 2;
const BYTES = 0;
const FIRST_BYTE_NS = 1;
const LAST_BYTE_NS = 2;
