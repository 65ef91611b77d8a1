// What bandwidth probes have spent of each interface's time and bytes, as source and as sink. An account fills at the
// allowed rate, holds at most one hour's worth, and may go below zero: the next probe then waits until it is not. The
// stretched interval keeps to the budget on average; this keeps to it when probes fail, repeat or are larger than
// before.

import type { ProbeSettings } from './probe-settings.ts';

interface Account {
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
  readonly #accounts = new Map<string, Account>();
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
      const account = this.#account(port);
      waitMs = Math.max(
        waitMs,
        -account.timeMs / bandwidthShare,
        -account.bytes / (bytesPerHourMax / HOUR_MS),
      );
    }
    return waitMs;
  }

  /** `atMs`: when it was spent, if not now; in chronological order per port. */
  charge(ports: readonly string[], { busyMs, bytesUsed }: Spending, atMs: number = this.#nowMs()): void {
    const { bandwidthShare, bytesPerHourMax } = this.#settings();
    for (const port of ports) {
      const account = this.#account(port, atMs);
      // A debt is limited to two hours: measuring on request all day must not block automatic probes for a week.
      account.timeMs = Math.max(account.timeMs - busyMs, -DEBT_MS_MAX * bandwidthShare);
      account.bytes = Math.max(account.bytes - bytesUsed, (-DEBT_MS_MAX / HOUR_MS) * bytesPerHourMax);
    }
  }

  #account(port: string, nowMs: number = this.#nowMs()): Account {
    const { bandwidthShare, bytesPerHourMax } = this.#settings();
    const full = { timeMs: HOUR_MS * bandwidthShare, bytes: bytesPerHourMax };
    const account = this.#accounts.get(port) ?? { atMs: nowMs, ...full };
    const passedMs = Math.max(0, nowMs - account.atMs);
    account.atMs += passedMs;
    account.timeMs = Math.min(full.timeMs, account.timeMs + passedMs * bandwidthShare);
    account.bytes = Math.min(full.bytes, account.bytes + (passedMs / HOUR_MS) * bytesPerHourMax);
    this.#accounts.set(port, account);
    const oldest = this.#accounts.keys().next().value;
    if (this.#accounts.size > LEDGER_PORTS_MAX && oldest !== undefined) this.#accounts.delete(oldest);
    return account;
  }
}

/** Interfaces come and go with containers. */
const LEDGER_PORTS_MAX = 1_024;
/** Older spending no longer matters: the deepest debt is paid, and the account is full. */
export const LEDGER_REACH_MS: number = 3 * 3_600_000;
const HOUR_MS = 3_600_000;
const DEBT_MS_MAX: number = 2 * HOUR_MS;
