// When a journal has grown enough since it was last compacted to be compacted again. Time alone does not
// limit its size: peers can send many times the limit in ten minutes.

export class Growth {
  readonly #stepBytes: number;
  #addedBytes = 0;

  constructor(sizeBytesMax: number) {
    this.#stepBytes = Math.min(STEP_BYTES_MAX, Math.max(STEP_BYTES_MIN, sizeBytesMax / STEPS_OF_SIZE));
  }

  /** @returns true when it is time; then it counts from zero again. */
  add(records: readonly { readonly body: Uint8Array }[]): boolean {
    for (const { body } of records) this.#addedBytes += body.length + ROW_BYTES;
    if (this.#addedBytes < this.#stepBytes) return false;
    this.#addedBytes = 0;
    return true;
  }
}

/** Compacting this much takes tens of ms. */
const STEP_BYTES_MAX = 4_000_000;
const STEP_BYTES_MIN = 64_000;
const STEPS_OF_SIZE = 8;
/** Approximate size of a row and its index entries. */
const ROW_BYTES = 300;
