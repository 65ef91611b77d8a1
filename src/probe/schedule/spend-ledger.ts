// What bandwidth probes have spent of each interface's time and bytes, as source and as sink. An account fills at the
// allowed rate, holds at most one hour's worth, and may go below zero: the next probe then waits until it is not. The
// stretched interval keeps to the budget on average; this keeps to it when probes fail, repeat or are larger than
// before.

import type { ProbeSettings } from './probe-settings.ts';

interface PortSpending {
  atMs: number;
  /** Time on the interface, ms. */
  timeMs: number;
  bytes: number;
}

export interface Spending {
  readonly busyMs: number;
  readonly bytesUsed: number;
}

export class SpendLedger {
  readonly #spending = new Map<string, PortSpending>();
  readonly #nowMs: () => number;
  readonly #settings: () => ProbeSettings;

  constructor(nowMs: () => number, settings: () => ProbeSettings) {
    this.#nowMs = nowMs;
    this.#settings = settings;
  }

  /** How long until a probe on all of these may start; 0: now. */
  waitMs(ports: readonly string[]): number {
    const { bandwidthShare, bytesPerHourMax } = this.#settings();
    let waitMs = 0;
    for (const port of ports) {
      const spending = this.#spendingOf(port);
      waitMs = Math.max(
        waitMs,
        -spending.timeMs / bandwidthShare,
        -spending.bytes / (bytesPerHourMax / HOUR_MS),
      );
    }
    return waitMs;
  }

  /** `atMs`: when it was spent, if not now; in chronological order per port. */
  charge(ports: readonly string[], { busyMs, bytesUsed }: Spending, atMs: number = this.#nowMs()): void {
    const { bandwidthShare, bytesPerHourMax } = this.#settings();
    for (const port of ports) {
      const spending = this.#spendingOf(port, atMs);
      // A debt is limited to two hours: measuring on request all day must not block automatic probes for a week.
      spending.timeMs = Math.max(spending.timeMs - busyMs, -DEBT_MS_MAX * bandwidthShare);
      spending.bytes = Math.max(spending.bytes - bytesUsed, (-DEBT_MS_MAX / HOUR_MS) * bytesPerHourMax);
    }
  }

  #spendingOf(port: string, nowMs: number = this.#nowMs()): PortSpending {
    const { bandwidthShare, bytesPerHourMax } = this.#settings();
    const full = { timeMs: HOUR_MS * bandwidthShare, bytes: bytesPerHourMax };
    const spending = this.#spending.get(port) ?? { atMs: nowMs, ...full };
    const passedMs = Math.max(0, nowMs - spending.atMs);
    spending.atMs += passedMs;
    spending.timeMs = Math.min(full.timeMs, spending.timeMs + passedMs * bandwidthShare);
    spending.bytes = Math.min(full.bytes, spending.bytes + (passedMs / HOUR_MS) * bytesPerHourMax);
    this.#spending.set(port, spending);
    const oldest = this.#spending.keys().next().value;
    if (this.#spending.size > LEDGER_PORTS_MAX && oldest !== undefined) this.#spending.delete(oldest);
    return spending;
  }
}

/** Interfaces come and go with containers. */
const LEDGER_PORTS_MAX = 1_024;
/** Older spending no longer matters: the deepest debt is paid, and the account is full. */
export const LEDGER_REACH_MS: number = 3 * 3_600_000;
const HOUR_MS = 3_600_000;
const DEBT_MS_MAX: number = 2 * HOUR_MS;
