import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { lastLevelCacheBytes, processorsOf } from '../../../src/probe/memory-bandwidth/memory-here.ts';
import { planMemory } from '../../../src/probe/memory-bandwidth/memory-plan.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

describe('the plan of a memory probe', () => {
  test('is four times the last-level cache, spread over the threads', () => {
    expect(planMemory({ parallelism: 2, lastLevelCacheBytes: 260 * MiB, availableBytes: 24 * GiB })).toEqual({
      threads: 2,
      bytesPerThread: 520 * MiB,
      isPastLastLevelCache: true,
    });
  });

  test('gives each thread at least 128 MiB, however small the cache', () => {
    const plan = planMemory({ parallelism: 8, lastLevelCacheBytes: 8 * MiB, availableBytes: 64 * GiB });
    expect(plan).toEqual({ threads: 8, bytesPerThread: 128 * MiB, isPastLastLevelCache: true });
  });

  test('takes an eighth of what is free at most, and reports when that is not past the cache', () => {
    const plan = planMemory({ parallelism: 4, lastLevelCacheBytes: 64 * MiB, availableBytes: 512 * MiB });
    expect(plan).toEqual({ threads: 4, bytesPerThread: 16 * MiB, isPastLastLevelCache: false });
  });

  test('assumes a large cache if the system reports none', () => {
    const options = {
      parallelism: 1,
      availableBytes: 64 * GiB,
      lastLevelCacheBytes: unknown('not reported'),
    };
    expect(planMemory(options).bytesPerThread).toBe(256 * MiB);
  });

  test('is always whole halves of pages within a WebAssembly memory', () => {
    const sizes = fc.integer({ min: 0, max: 2 ** 45 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), sizes, sizes, (parallelism, cache, free) => {
        const plan = planMemory({ parallelism, lastLevelCacheBytes: cache, availableBytes: free });
        expect(plan.bytesPerThread % (8 * MiB)).toBe(0);
        expect(plan.bytesPerThread).toBeGreaterThan(0);
        expect(plan.bytesPerThread).toBeLessThanOrEqual(2 * GiB);
        expect(plan.threads).toBeLessThanOrEqual(512);
      }),
    );
  });
});

describe('the last-level cache of a Linux machine', () => {
  const cacheTree = (caches: Readonly<Record<string, string>>) => {
    const folder = temporaryDirectory();
    for (const [path, text] of Object.entries(caches)) {
      const file = join(folder.path, 'sys/devices/system/cpu', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${text}\n`);
    }
    return folder;
  };
  const bytesOf = (root: string) =>
    lastLevelCacheBytes({ platform: 'linux', root, env: {}, signal: new AbortController().signal });
  const cache = (cpu: number, level: number, size: string, sharers: string, type = 'Unified') => ({
    [`cpu${cpu}/cache/index${level}/level`]: String(level),
    [`cpu${cpu}/cache/index${level}/size`]: size,
    [`cpu${cpu}/cache/index${level}/shared_cpu_list`]: sharers,
    [`cpu${cpu}/cache/index${level}/type`]: type,
  });

  test('is counted once for all processors that share it, and added up over those that do not', async () => {
    using tree = cacheTree({
      ...cache(0, 3, '32768K', '0-1'),
      ...cache(1, 3, '32768K', '0-1'),
      ...cache(2, 3, '32768K', '2-3'),
      ...cache(3, 3, '32768K', '2-3'),
      ...cache(0, 2, '1024K', '0'),
    });
    expect(await bytesOf(tree.path)).toBe(64 * MiB);
  });

  test('is the second level where there is no third', async () => {
    using tree = cacheTree({ ...cache(0, 2, '2M', '0-3'), ...cache(0, 1, '64K', '0', 'Instruction') });
    expect(await bytesOf(tree.path)).toBe(2 * MiB);
  });

  test('is unknown if the kernel reports none, or nonsense', async () => {
    using tree = cacheTree(cache(0, 3, 'lots', '0'));
    expect(await bytesOf(tree.path)).toEqual(unknown('the kernel reports no caches'));
    expect(await bytesOf('/nowhere')).toEqual(unknown('the kernel reports no caches'));
  });
});

describe('the list of allowed processors', () => {
  test.each([
    ['0-3', [0, 1, 2, 3]],
    ['2,5-6', [2, 5, 6]],
    ['7', [7]],
    ['', []],
    ['0-3,x', []],
  ])('%j is understood', (list, processors) => {
    expect(processorsOf(list)).toEqual(processors);
  });

  test('of absurd length is cut', () => {
    expect(processorsOf('0-99999')).toHaveLength(8_192);
  });
});
