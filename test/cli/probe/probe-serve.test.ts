import { expect, test } from 'vitest';
import { RefusalLines } from '../../../src/cli/probe/probe-serve.ts';
import { counted } from '../../../src/core/figure/figure.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const refused = (count: number): string =>
  `Refused ${counted(count, 'connection')} without the code. Still waiting.`;

test('the first stranger is reported at once, a flood in one line a minute with the count', async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const refusals = new RefusalLines(clock, line => lines.push(line));
  refusals.counted(1);
  expect(lines).toEqual([refused(1)]);
  for (let second = 1; second <= 180; second += 1) {
    await clock.advance(1_000);
    refusals.counted(1 + second * 1_000);
  }
  expect(lines.slice(1)).toEqual([refused(60_000), refused(60_000), refused(60_000)]);
});

test('another code counts from none, and not faster', async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const refusals = new RefusalLines(clock, line => lines.push(line));
  refusals.counted(500);
  refusals.begin();
  refusals.counted(3);
  expect(lines).toEqual([refused(500)]);
  await clock.advance(60_000);
  refusals.counted(7);
  expect(lines).toEqual([refused(500), refused(7)]);
});
