// What Node itself reports about a Mac without starting a tool. An interface, so tests on other systems can act as a Mac.

import { arch, cpus, hostname, loadavg, totalmem, uptime } from 'node:os';
import { type Reported, unknown } from '../core/unknown.ts';

export interface MacosHost {
  hostName(): string;
  /** Of the running Node: "x64" when translated by Rosetta. */
  architecture(): string;
  memoryTotalBytes(): number;
  loadAverage1(): number;
  uptimeSeconds(): number;
  /** Since boot, summed over all processors, ms. */
  processorTimes(): ProcessorTimes;
}

interface ProcessorTimes {
  readonly busyMs: number;
  readonly totalMs: number;
}

export const nodeHost: MacosHost = {
  hostName: hostname,
  architecture: arch,
  memoryTotalBytes: totalmem,
  loadAverage1: () => loadavg()[0] ?? 0,
  uptimeSeconds: () => Math.floor(uptime()),
  processorTimes: () => {
    let busyMs = 0;
    let idleMs = 0;
    for (const { times } of cpus()) {
      busyMs += times.user + times.nice + times.sys + times.irq;
      idleMs += times.idle;
    }
    return { busyMs, totalMs: busyMs + idleMs };
  },
};

/** Busy share of all processors between two reads of the system's counters. */
export class ProcessorMeter {
  readonly #times: () => ProcessorTimes;
  #before: ProcessorTimes;

  constructor(times: () => ProcessorTimes) {
    this.#times = times;
    this.#before = times();
  }

  /** 0..1 since the last call; unknown when no time has passed or the counters stepped back. */
  use(): Reported<number> {
    const now = this.#times();
    const totalMs = now.totalMs - this.#before.totalMs;
    const busyMs = now.busyMs - this.#before.busyMs;
    this.#before = now;
    if (totalMs <= 0 || busyMs < 0) return unknown('not measured yet');
    return Math.min(1, busyMs / totalMs);
  }
}
