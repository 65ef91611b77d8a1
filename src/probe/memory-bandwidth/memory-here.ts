// The whole memory probe, for a child process: inspects the machine, plans, measures.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { maximumOf } from '../../core/extremes.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { type Env, runTool } from '../../process/child.ts';
import { parallelismHere } from '../parallelism.ts';
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

// The total size of this machine's last-level caches, so the probe's buffers exceed them.
interface CacheOptions {
  readonly platform: string;
  /** "/" on a real machine. */
  readonly root: string;
  readonly env: Env;
  readonly signal: AbortSignal;
}

/** Bytes. */
export const lastLevelCacheBytes = async (options: CacheOptions): Promise<Reported<number>> => {
  switch (options.platform) {
    case 'linux':
      return linuxCacheBytes(join(options.root, 'sys/devices/system/cpu'));
    case 'darwin':
      return macosCacheBytes(options);
    default:
      return unknown(`caches are not read on ${options.platform}`);
  }
};

/** Caches are reported per processor; a shared one is counted once, by the list of its processors. */
const linuxCacheBytes = async (folder: string): Promise<Reported<number>> => {
  const byLevel = new Map<number, Map<string, number>>();
  for (const name of await namesIn(folder, /^cpu\d+$/)) {
    for (const index of await namesIn(join(folder, name, 'cache'), /^index\d+$/)) {
      const cache = join(folder, name, 'cache', index);
      const [level, size, sharers, type] = await Promise.all(
        ['level', 'size', 'shared_cpu_list', 'type'].map(file => textOf(join(cache, file))),
      );
      const bytes = bytesOf(size ?? '');
      if (type === 'Instruction' || bytes === undefined) continue;
      const caches = byLevel.get(Number(level)) ?? new Map<string, number>();
      caches.set(sharers === undefined || sharers === '' ? name : sharers, bytes);
      byLevel.set(Number(level), caches);
    }
  }
  const last = maximumOf([0, ...[...byLevel.keys()].filter(Number.isSafeInteger)]);
  const sizes = [...(byLevel.get(last)?.values() ?? [])];
  if (sizes.length === 0) return unknown('the kernel reports no caches');
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
};

/** Apple reports each cluster's L2 cache but not the system-level cache after it, of up to 96 MB. */
const macosCacheBytes = async ({ env, signal }: CacheOptions): Promise<Reported<number>> => {
  const result = await runTool('/usr/sbin/sysctl', ['-n', 'hw.l3cachesize', 'hw.l2cachesize'], {
    env,
    signal,
    timeoutMs: TOOL_MS_MAX,
  });
  if (result.kind !== 'exited') return unknown(result.reason);
  const reported = result.stdout.split('\n').map(Number).filter(Number.isSafeInteger);
  return maximumOf([APPLE_SYSTEM_CACHE_BYTES, ...reported]);
};

const namesIn = async (folder: string, pattern: RegExp): Promise<readonly string[]> => {
  try {
    return (await readdir(folder)).filter(name => pattern.test(name)).slice(0, ENTRIES_MAX);
  } catch {
    return [];
  }
};

const textOf = async (path: string): Promise<string | undefined> => {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return undefined;
  }
};

/** "32768K" */
const bytesOf = (text: string): number | undefined => {
  const [, digits, unit] = /^(\d{1,9})([KMG])$/.exec(text) ?? [];
  const factor = FACTORS.get(unit ?? '');
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
};

const FACTORS: ReadonlyMap<string, number> = new Map([
  ['K', 1024],
  ['M', 1024 ** 2],
  ['G', 1024 ** 3],
]);
const APPLE_SYSTEM_CACHE_BYTES: number = 96 * 1024 ** 2;
const ENTRIES_MAX = 8_192;
const TOOL_MS_MAX = 2_000;
