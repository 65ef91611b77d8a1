// Which samples have been seen: one bit each, so that a duplicate record is distinguished from one of an unknown
// sample, long after its row is gone. Ids of several threads may be far apart, so bits are stored in pages.

export class SeenIds {
  readonly #pages = new Map<number, Uint32Array>();
  readonly #pagesMax: number;

  constructor(pagesMax: number = PAGES_MAX) {
    this.#pagesMax = pagesMax;
  }

  /** false when it was there already. Above the limit nothing more is stored, and everything counts as new. */
  add(id: number): boolean {
    const page = this.#pageToWrite(Math.floor(id / PAGE_IDS));
    if (page === undefined) return true;
    const bit = id % PAGE_IDS;
    const word = page[bit >>> 5] ?? 0;
    const mask = 1 << (bit & 31);
    if ((word & mask) !== 0) return false;
    page[bit >>> 5] = word | mask;
    return true;
  }

  has(id: number): boolean {
    const word = this.#pages.get(Math.floor(id / PAGE_IDS))?.[(id % PAGE_IDS) >>> 5] ?? 0;
    return (word & (1 << (id & 31))) !== 0;
  }

  #pageToWrite(number: number): Uint32Array | undefined {
    const known = this.#pages.get(number);
    if (known !== undefined || this.#pages.size >= this.#pagesMax) return known;
    const page = new Uint32Array(PAGE_IDS / 32);
    this.#pages.set(number, page);
    return page;
  }
}

const PAGE_IDS = 65_536;
/** 8 KiB a page: 128 MiB for a thousand million samples in a row. */
const PAGES_MAX = 16_384;
