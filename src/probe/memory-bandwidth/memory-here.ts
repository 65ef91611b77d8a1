// The whole memory probe, for a child process: inspects the machine, plans, measures.

import { readFile } from 'node:fs/promises';
import type { Env } from '../../process/child.ts';
import { parallelismHere } from '../parallelism.ts';
import { lastLevelCacheBytes } from './last-level-cache.ts';
import { type MemoryBandwidth, memoryBandwidthOf } from './memory-bandwidth.ts';
import { planMemory } from './memory-plan.ts';
import type { MemoryRequest } from './memory-request.ts';
import { measureMemoryHere } from './memory-threads.ts';

interface MachineHere {
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
  const parallelism = parallelismHere();
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
    // A quota may allow fewer threads than processors: then the system places them better than we could.
    processors: processors.length === limited.threads ? processors : [],
    rounds,
    durationMs,
  });
  return memoryBandwidthOf(limited, cacheBytes, measured);
};

/** Empty if the system does not report it. */
const allowedProcessors = async (path = '/proc/self/status'): Promise<readonly number[]> => {
  try {
    const [, list] = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(await readFile(path, 'utf8')) ?? [];
    return list === undefined ? [] : processorsOf(list);
  } catch {
    return [];
  }
};

/** "0-3,8" */
export const processorsOf = (list: string): readonly number[] => {
  const processors: number[] = [];
  for (const part of list.split(',')) {
    const [, first, last] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? [];
    if (first === undefined) return [];
    for (let number = Number(first); number <= Number(last ?? first); number += 1) {
      if (processors.length >= PROCESSORS_MAX) return processors;
      processors.push(number);
    }
  }
  return processors;
};

const PROCESSORS_MAX = 8_192;
