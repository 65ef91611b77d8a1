// One bound for what is not whole yet, over all who are receiving: half a frame, half a body. Where it is passed, whoever holds
// most gives up, because it is the one that a hostile sender fills; who holds little never does.

export interface BudgetShare {
  /** What is held now, in place of what was held before. May call `giveUp` of any share, this one too. */
  hold(bytes: number): void;
  /** Holds nothing any more, and never again. */
  release(): void;
}

export class ByteBudget {
  readonly #bytesMax: number;
  readonly #held = new Map<BudgetShare, { bytes: number; readonly giveUp: () => void }>();
  #bytes = 0;
  #givenUp = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Of all shares. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Shares that had to give up so far. */
  get givenUp(): number {
    return this.#givenUp;
  }

  /** `giveUp`: lets go of everything that the share holds; it has been released. */
  share(giveUp: () => void): BudgetShare {
    const share: BudgetShare = {
      hold: bytes => this.#hold(share, bytes, giveUp),
      release: () => {
        this.#take(share);
        share.hold = () => undefined;
      },
    };
    return share;
  }

  #hold(share: BudgetShare, bytes: number, giveUp: () => void): void {
    this.#take(share);
    if (bytes === 0) return;
    this.#held.set(share, { bytes, giveUp });
    this.#bytes += bytes;
    while (this.#bytes > this.#bytesMax) {
      const [greatest, held] = this.#greatest();
      if (greatest === undefined || held === undefined) return;
      greatest.release();
      this.#givenUp += 1;
      held.giveUp();
    }
  }

  #take(share: BudgetShare): void {
    this.#bytes -= this.#held.get(share)?.bytes ?? 0;
    this.#held.delete(share);
  }

  #greatest(): readonly [BudgetShare, { readonly giveUp: () => void }] | readonly [undefined, undefined] {
    let greatest: readonly [BudgetShare, { readonly bytes: number; readonly giveUp: () => void }] | undefined;
    for (const one of this.#held) if (one[1].bytes > (greatest?.[1].bytes ?? 0)) greatest = one;
    return greatest ?? [undefined, undefined];
  }
}
