// By how much a read's stamp may be behind the arrival of its bytes, as far as the thread itself was the cause. A loop that
// slept until its bytes came was not busy meanwhile; what it was busy with since, and whatever it did between two looks
// at its sockets, may have kept them waiting. What waking up takes is not seen here: marks tell that.

export class ReadLateness {
  readonly #idleNs: () => number;
  /** First read of the open turn, and how late that may be. */
  #firstNs = 0;
  #firstLateNs = 0;
  #sleptNs = 0;
  /** When the last turn with reads had ended, and how long the loop had slept until then. */
  #closedNs: number;
  #closedIdleNs: number;
  /** Bytes that came with a later look were not there at this time. */
  #polledNs: number;
  #isOpen = false;

  /** @param idleNs how long the loop has slept since it began: it grows only where the loop really waited. */
  constructor(nowNs: number, idleNs: () => number) {
    this.#idleNs = idleNs;
    this.#closedNs = nowNs;
    this.#polledNs = nowNs;
    this.#closedIdleNs = idleNs();
  }

  get isTurnOpen(): boolean {
    return this.#isOpen;
  }

  /** How long the loop had slept when the open turn began, since it was last known to be awake: no bytes waited longer. */
  get sleptNs(): number {
    return this.#sleptNs;
  }

  /** When the open turn had its first read. */
  get turnFirstNs(): number {
    return this.#firstNs;
  }

  /** Of a read now, ns. Opens a turn, if none is open. */
  read(stampNs: number): number {
    if (this.#isOpen) return stampNs - this.#firstNs + this.#firstLateNs;
    const sleptNs = this.#idleNs() - this.#closedIdleNs;
    const busyNs = sleptNs > 0 ? stampNs - this.#closedNs - sleptNs : Number.POSITIVE_INFINITY;
    this.#isOpen = true;
    this.#sleptNs = Math.max(0, Math.ceil(sleptNs));
    this.#firstLateNs = Math.max(0, Math.round(Math.min(busyNs, stampNs - this.#polledNs)));
    this.#firstNs = stampNs;
    return this.#firstLateNs;
  }

  /** All that came with the last look has been read. */
  closeTurn(nowNs: number): void {
    this.#isOpen = false;
    this.#closedNs = nowNs;
    this.#closedIdleNs = this.#idleNs();
    this.#polledNs = Math.max(this.#polledNs, this.#firstNs);
  }

  /** Of a timer, which comes behind a look at the sockets: it brought nothing if the loop has slept since the last turn. */
  awake(nowNs: number): void {
    const idleNs = this.#idleNs();
    if (this.#isOpen || idleNs === this.#closedIdleNs) return;
    this.#closedNs = nowNs;
    this.#closedIdleNs = idleNs;
    this.polledSince(nowNs);
  }

  /** The loop has looked at its sockets since this time. */
  polledSince(ns: number): void {
    this.#polledNs = Math.max(this.#polledNs, ns);
  }
}
