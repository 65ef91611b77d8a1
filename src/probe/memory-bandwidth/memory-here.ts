// The whole memory probe, for a child process: looks at the machine, plans, measures.

import os from 'node:os';
import type { Env } from '../../process/child.ts';
import { allowedProcessors } from './allowed-processors.ts';
import { lastLevelCacheBytes } from './last-level-cache.ts';
import type { MemoryBandwidth } from './memory-bandwidth.ts';
import { memoryBandwidthOf } from './memory-bandwidth.ts';
import { planMemory } from './memory-plan.ts';
import type { MemoryRequest } from './memory-request.ts';
import { measureMemoryHere } from './memory-threads.ts';

export interface MachineHere {
  readonly platform: string;
  readonly env: Env;
  /** process.availableMemory() */
  readonly availableBytes: number;
}

/** @throws when a thread fails. */
export const memoryBandwidthHere = async (
  { rounds, durationMs, bytesMax }: MemoryRequest,
  { platform, env, availableBytes }: MachineHere,
): Promise<MemoryBandwidth> => {
  const signal = new AbortController().signal;
  const parallelism = os.availableParallelism();
  const cacheBytes = await lastLevelCacheBytes({ platform, root: '/', env, signal });
  const processors = platform === 'linux' ? await allowedProcessors() : [];
  const plan = planMemory({ parallelism, lastLevelCacheBytes: cacheBytes, availableBytes });
  const limited =
    bytesMax === undefined
      ? plan
      : planMemory({ parallelism, lastLevelCacheBytes: cacheBytes, availableBytes: 8 * bytesMax });
  const measured = await measureMemoryHere({
    plan: limited,
    lastLevelCacheBytes: cacheBytes,
    // A quota may allow fewer threads than processors: then the system places them better than we would.
    processors: processors.length === limited.threads ? processors : [],
    rounds,
    durationMs,
  });
  return memoryBandwidthOf(limited, cacheBytes, measured);
};
