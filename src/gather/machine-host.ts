// What the operating system reports without a file or a tool. A port, so that tests, and readings of another machine, can act as a Mac.

import fs from 'node:fs/promises';
import {
  arch,
  cpus,
  hostname,
  loadavg,
  type NetworkInterfaceInfo,
  networkInterfaces,
  totalmem,
  uptime,
} from 'node:os';
import { type Reported, type Unknown, unknown } from '../core/unknown.ts';

export interface MachineHost {
  hostName(): string;
  /** Of the running Node: "x64" when translated by Rosetta. */
  architecture(): string;
  memoryTotalBytes(): number;
  loadAverage1(): number;
  uptimeSeconds(): number;
  /** Since boot, summed over all processors, ms. */
  processorTimes(): ProcessorTimes;
  readonly networkInterfaces: ListAddresses;
  /** Whether the kernel's log can be followed as it is written, or why not. */
  readonly kernelLog: 'followed' | Unknown;
  /** Of the file system of a folder, which may never answer. */
  readonly volumeSpace: ReadSpace;
}

export type ListAddresses = () => Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** `fs.statfs` with bigints, whose `frsize` is the unit of the block counts if the runtime has it. */
export type ReadSpace = (path: string) => Promise<SpaceAnswer>;

export interface SpaceAnswer {
  readonly isFolder: boolean;
  readonly totalBytes: bigint;
  readonly availableBytes: bigint;
}

interface ProcessorTimes {
  readonly busyMs: number;
  readonly totalMs: number;
}

export const nodeHost: MachineHost = {
  networkInterfaces,
  kernelLog: 'followed',
  volumeSpace: path => statfsSpace(path),
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

export const statfsSpace: ReadSpace = async path => {
  // One after the other: each holds a thread of the pool while it waits.
  const space = await fs.statfs(path, { bigint: true });
  const status = await fs.stat(path);
  const unit =
    'frsize' in space && typeof space.frsize === 'bigint' && space.frsize > 0n ? space.frsize : space.bsize;
  return {
    isFolder: status.isDirectory(),
    totalBytes: space.blocks * unit,
    availableBytes: space.bavail * unit,
  };
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
