import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual-clock.ts';
import { DeviceWatch } from '../../../src/gather/nvidia/device-watch.ts';

describe('the wait for the next inventory', () => {
  it('lasts its interval while the devices stay', async () => {
    const { clock, watch, wokenAtMs } = waiting(30_000);
    watch.see(['a', 'b']);
    watch.see(['a', 'b']);
    await clock.advance(29_999);
    expect(wokenAtMs()).toBeUndefined();
    await clock.advance(1);
    expect(wokenAtMs()).toBe(30_000);
  });

  it.each([
    ['vanishes', ['a']],
    ['appears', ['a', 'b', 'c']],
    ['changes places', ['b', 'a']],
  ])('ends at once when a device %s', async (_, devices) => {
    const { clock, watch, wokenAtMs } = waiting(30_000);
    watch.see(['a', 'b']);
    await clock.advance(12_000);
    watch.see(devices);
    await clock.advance(0);
    expect(wokenAtMs()).toBe(12_000);
  });

  it('lasts at least a sixth of it when devices come and go', async () => {
    const { clock, watch, wokenAtMs } = waiting(30_000);
    watch.see(['a', 'b']);
    watch.see(['a']);
    watch.see(['a', 'b']);
    await clock.advance(4_999);
    expect(wokenAtMs()).toBeUndefined();
    await clock.advance(1);
    expect(wokenAtMs()).toBe(5_000);
  });

  it('ends when it is no longer wanted, and leaves no sleeper', async () => {
    const { clock, stop, wokenAtMs } = waiting(30_000);
    await clock.advance(6_000);
    stop.abort();
    await clock.advance(0);
    expect(wokenAtMs()).toBe(6_000);
    expect(clock.sleeperCount).toBe(0);
  });
});

const waiting = (
  durationMs: number,
): {
  clock: VirtualClock;
  watch: DeviceWatch;
  stop: AbortController;
  wokenAtMs: () => number | undefined;
} => {
  const clock = new VirtualClock();
  const watch = new DeviceWatch();
  const stop = new AbortController();
  let wokenAtMs: number | undefined;
  void watch.wait(clock, durationMs, stop.signal).then(() => {
    wokenAtMs = clock.nowMs();
  });
  return { clock, watch, stop, wokenAtMs: () => wokenAtMs };
};
