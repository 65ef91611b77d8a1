import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { pause, unlessAborted, untilAborted } from '../../src/clock/clock.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

describe('waiting that a signal ends', () => {
  test('until the abort resolves then, and at once where it has happened', async () => {
    const stop = new AbortController();
    let hasResolved = false;
    const waiting = untilAborted(stop.signal).then(() => {
      hasResolved = true;
    });
    await new Promise(resolve => setImmediate(resolve));
    expect(hasResolved).toBe(false);
    stop.abort(new Error('a reason that nobody throws'));
    await waiting;
    await untilAborted(stop.signal);
  });

  test('for work gives what the work gives, its error too, or undefined once the signal aborts', async () => {
    const stop = new AbortController();
    expect(await unlessAborted(Promise.resolve(7), stop.signal)).toBe(7);
    await expect(unlessAborted(Promise.reject(new Error('failed')), stop.signal)).rejects.toThrow('failed');
    const never = unlessAborted(new Promise<number>(() => undefined), stop.signal);
    stop.abort();
    expect(await never).toBeUndefined();
    expect(await unlessAborted(Promise.resolve(7), stop.signal)).toBe(7);
    expect(await unlessAborted(new Promise(() => undefined), stop.signal)).toBeUndefined();
  });

  test('leaves no listener behind on a signal that lives on', async () => {
    const { signal } = new AbortController();
    for (let count = 0; count < 20; count += 1) await unlessAborted(Promise.resolve(), signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('for a time ends with the time or the abort, and throws what else went wrong', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const slept = pause(clock, 100, stop.signal);
    await clock.advance(100);
    await slept;
    const cut = pause(clock, 100, stop.signal);
    stop.abort();
    await cut;
    expect(clock.nowMs()).toBe(100);
    const broken = { sleep: () => Promise.reject(new Error('no timer')) };
    await expect(pause(broken, 1, new AbortController().signal)).rejects.toThrow('no timer');
  });
});
