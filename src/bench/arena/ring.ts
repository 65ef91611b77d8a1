// A ring of records in shared memory between one load thread, which writes, and one parse thread, which reads. Shared
// rather than transferred, because what a thread wrote before it died can then still be read.
// A record is 40 bytes and a payload, all in units of 8 bytes: units u32 · type u32 · stamp f64 · slot u32 · sampleId
// u32 · late f64, by how much its thread's own work may have delayed the stamp · lateMax f64, the same plus the
// thread's last sleep, which is an upper limit for any delay by the system. Positions are counts of units that wrap
// at 2³². A record never wraps: the rest of the ring is skipped with a pad record.

export interface RingMemory {
  readonly data: SharedArrayBuffer;
  /** Int32: written position, read position. */
  readonly positions: SharedArrayBuffer;
}

/** `bytes` is a power of two, at least 4 KiB. */
export const createRingMemory = (bytes: number): RingMemory => {
  if (bytes < 4_096 || (bytes & (bytes - 1)) !== 0) {
    throw new RangeError(`a ring has a power of two of bytes, not ${bytes}`);
  }
  return { data: new SharedArrayBuffer(bytes), positions: new SharedArrayBuffer(POSITIONS_BYTES) };
};

/** One for each load thread. */
export const createRings = (
  count: number,
  bytes: number,
): readonly { readonly thread: number; readonly memory: RingMemory }[] =>
  Array.from({ length: count }, (_, thread) => ({ thread, memory: createRingMemory(bytes) }));

export class RingWriter {
  readonly bytes: Buffer;
  readonly f64: Float64Array;
  /** Of the stamps of records from now on, ns. */
  lateNs = 0;
  lateNsMax = 0;
  readonly #u32: Uint32Array;
  readonly #positions: Int32Array;
  readonly #capacity: number;
  #written = 0;
  #knownRead = 0;
  #recordUnit = 0;
  /** What was written when its reader was last needed. */
  #neededAt = 0;

  constructor({ data, positions }: RingMemory) {
    this.bytes = Buffer.from(data);
    this.f64 = new Float64Array(data);
    this.#u32 = new Uint32Array(data);
    this.#positions = new Int32Array(positions);
    this.#capacity = data.byteLength / UNIT_BYTES;
    this.#written = Atomics.load(this.#positions, WRITTEN) >>> 0;
    this.#knownRead = Atomics.load(this.#positions, READ) >>> 0;
    this.#neededAt = this.#knownRead;
  }

  /** Bytes that are free for sure; the reader may have freed more since. */
  freeBytes(): number {
    this.#knownRead = Atomics.load(this.#positions, READ) >>> 0;
    return (this.#capacity - ((this.#written - this.#knownRead) >>> 0)) * UNIT_BYTES;
  }

  /**
   * Whether the reader is needed before its next look: half of the ring is full. True once for each quarter that was
   * written.
   */
  takeNeedsReader(): boolean {
    if (((this.#written - this.#neededAt) >>> 0) * 4 < this.#capacity) return false;
    if (this.freeBytes() * 2 > this.#capacity * UNIT_BYTES) return false;
    this.#neededAt = this.#written;
    return true;
  }

  /**
   * Makes room for a record.
   * @param reserveBytes what must stay free after it, for records that matter more
   * @returns where in `bytes` the payload begins, or NO_ROOM. The reader sees nothing before `commit`.
   */
  begin(payloadBytesMax: number, reserveBytes: number): number {
    const units = HEADER_UNITS + Math.ceil(payloadBytesMax / UNIT_BYTES);
    let unit = this.#written & (this.#capacity - 1);
    const skipped = unit + units > this.#capacity ? this.#capacity - unit : 0;
    const needed = units + skipped + reserveBytes / UNIT_BYTES;
    if (this.#capacity - ((this.#written - this.#knownRead) >>> 0) < needed) {
      this.#knownRead = Atomics.load(this.#positions, READ) >>> 0;
      if (this.#capacity - ((this.#written - this.#knownRead) >>> 0) < needed) return NO_ROOM;
    }
    if (skipped > 0) {
      this.#u32[unit * 2] = skipped;
      this.#u32[unit * 2 + 1] = PAD;
      this.#written = (this.#written + skipped) >>> 0;
      unit = 0;
    }
    this.#recordUnit = unit;
    return (unit + HEADER_UNITS) * UNIT_BYTES;
  }

  /** Ends the record begun last and publishes it to the reader. */
  commit(type: number, stampNs: number, slot: number, sampleId: number, payloadBytes: number): void {
    const units = HEADER_UNITS + ((payloadBytes + UNIT_BYTES - 1) >>> 3);
    const unit = this.#recordUnit;
    const at = unit * 2;
    this.#u32[at] = units;
    // The exact length of the payload: `units` is rounded up to 8 bytes.
    this.#u32[at + 1] = type | (payloadBytes << TYPE_BITS);
    this.f64[unit + 1] = stampNs;
    this.#u32[at + 4] = slot;
    this.#u32[at + 5] = sampleId;
    this.f64[unit + 3] = this.lateNs;
    this.f64[unit + 4] = this.lateNsMax;
    this.#written = (this.#written + units) >>> 0;
    Atomics.store(this.#positions, WRITTEN, this.#written | 0);
  }
}

/** Fields of the record that `next` moved to. */
export class RingReader {
  readonly bytes: Buffer;
  readonly f64: Float64Array;
  type: number = 0;
  stampNs = 0;
  lateNs = 0;
  lateNsMax = 0;
  slot = 0;
  sampleId = 0;
  payloadStart = 0;
  payloadEnd = 0;
  readonly #u32: Uint32Array;
  readonly #positions: Int32Array;
  readonly #mask: number;
  #read = 0;
  #knownWritten = 0;

  constructor({ data, positions }: RingMemory) {
    this.bytes = Buffer.from(data);
    this.f64 = new Float64Array(data);
    this.#u32 = new Uint32Array(data);
    this.#positions = new Int32Array(positions);
    this.#mask = data.byteLength / UNIT_BYTES - 1;
    this.#read = Atomics.load(this.#positions, READ) >>> 0;
    this.#knownWritten = this.#read;
  }

  /** The payload is valid until `release`. @returns false when the writer has published no more. */
  next(): boolean {
    for (;;) {
      if (this.#read === this.#knownWritten) {
        this.#knownWritten = Atomics.load(this.#positions, WRITTEN) >>> 0;
        if (this.#read === this.#knownWritten) return false;
      }
      const unit = this.#read & this.#mask;
      const at = unit * 2;
      const units = this.#u32[at] ?? 0;
      const typeAndLength = this.#u32[at + 1] ?? 0;
      this.#read = (this.#read + units) >>> 0;
      if (typeAndLength === PAD) continue;
      this.type = typeAndLength & TYPE_MASK;
      this.stampNs = this.f64[unit + 1] ?? 0;
      this.slot = this.#u32[at + 4] ?? 0;
      this.sampleId = this.#u32[at + 5] ?? 0;
      this.lateNs = this.f64[unit + 3] ?? 0;
      this.lateNsMax = this.f64[unit + 4] ?? 0;
      this.payloadStart = (unit + HEADER_UNITS) * UNIT_BYTES;
      this.payloadEnd = this.payloadStart + (typeAndLength >>> TYPE_BITS);
      return true;
    }
  }

  /** Frees the room of everything read so far for the writer. */
  release(): void {
    Atomics.store(this.#positions, READ, this.#read | 0);
  }
}

export const NO_ROOM = -1;
const UNIT_BYTES = 8;
const HEADER_UNITS = 5;
const TYPE_BITS = 4;
const TYPE_MASK = 0xf;
const PAD = 0;
const WRITTEN = 0;
/** A cache line apart, so that the two threads do not take it from each other at every record. */
const READ = 32;
const POSITIONS_BYTES = 256;
