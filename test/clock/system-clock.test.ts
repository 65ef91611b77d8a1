import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock/system-clock.ts';

test.each([2 ** 31, 1e15, Number.POSITIVE_INFINITY])(
  'a sleep of %d ms, longer than a timer of Node can be, does not end at once',
  async durationMs => {
    const stop = new AbortController();
    const warnings: string[] = [];
    const listen = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', listen);
    const long = systemClock.sleep(durationMs, stop.signal).then(
      () => 'over',
      () => 'aborted',
    );
    const first = await Promise.race([long, systemClock.sleep(20, stop.signal).then(() => 'short')]);
    stop.abort();
    expect({ first, long: await long, warnings }).toEqual({ first: 'short', long: 'aborted', warnings: [] });
    process.off('warning', listen);
  },
);
