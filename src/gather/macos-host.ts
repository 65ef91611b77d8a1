// What Node itself knows of a Mac without starting a tool. An interface, so that tests on other systems can be a Mac.

import { arch, cpus, hostname, loadavg, totalmem, uptime } from 'node:os';

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

export interface ProcessorTimes {
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
