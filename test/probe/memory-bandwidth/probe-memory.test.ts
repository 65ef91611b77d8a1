import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { probeMemory } from '../../../src/probe/memory-bandwidth/probe-memory.ts';
import type { Env } from '../../../src/process/child.ts';

const SMALL = { rounds: 2, durationMs: 5, bytesMax: 16 * 1024 ** 2 };

const measure = (signal = new AbortController().signal, env: Env = process.env) =>
  probeMemory({ env, nodePath: process.execPath, signal, request: SMALL });

describe('the memory probe', () => {
  test('gives believable figures of this machine, with every round and the method', async () => {
    const outcome = await measure();
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    const { bandwidth } = outcome;
    // Slower than any machine that runs Node, and faster than any memory: what a broken clock or loop would give.
    for (const rate of [...bandwidth.readRounds, ...bandwidth.copyRounds, ...bandwidth.gemvRounds]) {
      expect(rate).toBeGreaterThan(1e7);
      expect(rate).toBeLessThan(1e14);
    }
    expect(bandwidth.readRounds).toHaveLength(2);
    expect(bandwidth.readBytesPerSecond).toBe(Math.max(...bandwidth.readRounds));
    expect(bandwidth.copyBytesPerSecond).toBe(Math.max(...bandwidth.copyRounds));
    expect(bandwidth.gemvBytesPerSecond).toBe(Math.max(...bandwidth.gemvRounds));
    expect(bandwidth.threads * bandwidth.bytesPerThread).toBeLessThanOrEqual(
      SMALL.bytesMax + bandwidth.threads * 8 * 1024 ** 2,
    );
    expect(bandwidth.method).toMatch(/^\d+ threads? with \d+ MiB each in (huge|ordinary) pages/);
  });

  test('goes without the C library where it cannot be called, and reports it', async () => {
    const outcome = await measure(undefined, { ...process.env, PLIMSOLL_FFI: 'off' });
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    const { hasHugePages, method } = outcome.bandwidth;
    expect(hasHugePages).toBe(false);
    expect(method).toContain('ordinary pages (PLIMSOLL_FFI=off)');
    expect(method).toContain('read: sum by 128-bit WebAssembly vectors');
  });

  test('that is cancelled leaves no process behind', async context => {
    if (process.platform !== 'linux') context.skip('children are counted in /proc');
    const before = childCount();
    const cancelled = new AbortController();
    const outcome = measure(cancelled.signal);
    cancelled.abort(new Error('no longer wanted'));
    await expect(outcome).rejects.toThrow('no longer wanted');
    expect(childCount()).toBe(before);
  });
});

const childCount = (): number => readdirSync('/proc/self/task').flatMap(task => childrenOf(task)).length;

const childrenOf = (task: string): readonly string[] => {
  try {
    return readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean);
  } catch {
    return []; // a thread that ended meanwhile
  }
};
