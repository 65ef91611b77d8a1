// One limit for incomplete data (half a frame, half a body) over all receivers. When it is exceeded, the
// largest share gives up: that is the one that a hostile sender fills, and a small share is never affected.

export interface BudgetShare {
  /** Sets the size of this share, in bytes. May call `giveUp` of any share, including this one. */
  resize(bytes: number): void;
  /** Sets the size to 0 for good. */
  release(): void;
}

export class ByteBudget {
  readonly #bytesMax: number;
  readonly #shares = new Map<BudgetShare, { bytes: number; readonly evict: () => void }>();
  #bytes = 0;
  #evictions = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Sum of all shares, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of shares that had to give up so far. */
  get evicted(): number {
    return this.#evictions;
  }

  /** `giveUp` frees everything in the share, which has been released by then. */
  share(evict: () => void): BudgetShare {
    const share: BudgetShare = {
      resize: bytes => this.#resize(share, bytes, evict),
      release: () => {
        this.#take(share);
        share.resize = () => undefined;
      },
    };
    return share;
  }

  #resize(share: BudgetShare, bytes: number, evict: () => void): void {
    this.#take(share);
    if (bytes === 0) return;
    this.#shares.set(share, { bytes, evict });
    this.#bytes += bytes;
    while (this.#bytes > this.#bytesMax) {
      const [greatest, entry] = this.#greatest();
      if (greatest === undefined || entry === undefined) return;
      greatest.release();
      this.#evictions += 1;
      entry.evict();
    }
  }

  #take(share: BudgetShare): void {
    this.#bytes -= this.#shares.get(share)?.bytes ?? 0;
    this.#shares.delete(share);
  }

  #greatest(): readonly [BudgetShare, { readonly evict: () => void }] | readonly [undefined, undefined] {
    let greatest: readonly [BudgetShare, { readonly bytes: number; readonly evict: () => void }] | undefined;
    for (const one of this.#shares) if (one[1].bytes > (greatest?.[1].bytes ?? 0)) greatest = one;
    return greatest ?? [undefined, undefined];
  }
}
