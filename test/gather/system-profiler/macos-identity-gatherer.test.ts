// The identity of a Mac while one of its tools hangs.

import { describe, it } from 'vitest';
import { isFailure, isReading, type PublishedReading } from '../gatherer-run.ts';
import { macStudio, startMac } from '../mac-studio.ts';

describe('the identity of a Mac', () => {
  it.each([
    ['system_profiler', { friendlyName: 'Lena’s Mac Studio', model: 'Mac15,14' }],
    ['sw_vers', { friendlyName: 'Lena’s Mac Studio', model: 'Mac Studio' }],
    ['scutil', { friendlyName: 'studio.local', model: 'Mac Studio' }],
  ] as const)(
    'has its name and chip without waiting for a %s that hangs',
    async (hung, { friendlyName, model }) => {
      using tools = macStudio();
      tools.script(hung, 'exec sleep 60');
      await using run = startMac(tools, { timeouts: { kernelMs: 50, toolMs: 60_000 } }, ['identity']);
      await run.waitFor(
        (reported): reported is PublishedReading<'identity'> =>
          isReading('identity')(reported) &&
          reported.reading.value.friendlyName === friendlyName &&
          reported.reading.value.model === model &&
          reported.reading.value.chip === 'Apple M3 Ultra',
        'from start',
      );
    },
  );

  it('has the common name of its model once system_profiler answers again', async () => {
    using tools = macStudio();
    tools.script(
      'system_profiler',
      `[ -e "$HERE/awake.out" ] || exec sleep 60
case $1 in SPHardwareDataType) cat "$HERE/hardware.out";; *) exit 64;; esac`,
    );
    await using run = startMac(tools, {
      intervals: { identityMs: 20 },
      timeouts: { kernelMs: 50, toolMs: 400 },
    });
    await run.waitUntil(isFailure('gpus', /gave no answer in 400 ms/), 'from start');
    tools.prints('awake', '');
    await run.waitUntil(
      reported => isReading('identity')(reported) && reported.reading.value.model === 'Mac Studio',
    );
  });
});
