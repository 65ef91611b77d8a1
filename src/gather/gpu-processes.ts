// The processes on a device as a reading holds them: the heaviest, by program.

import type { GpuProcess } from '../core/node/gpu.ts';
import { knownOr } from '../core/unknown.ts';

const GPU_PROCESSES_MAX = 32;
export const PROCESS_NAME_LENGTH_MAX = 64;

/** The most memory first. */
export const heaviestProcesses = (all: Iterable<GpuProcess>): readonly GpuProcess[] =>
  [...all]
    .sort((a, b) => knownOr(b.memoryBytes, 0) - knownOr(a.memoryBytes, 0) || a.pid - b.pid)
    .slice(0, GPU_PROCESSES_MAX);
