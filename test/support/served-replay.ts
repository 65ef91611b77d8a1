// A recording served as `up --replay` does, once, on any free port.

import { systemClock } from '../../src/clock/system-clock.ts';
import { type ServedReplay, startReplay } from '../../src/daemon/start-replay.ts';

export const servedReplay = (path: string, signal: AbortSignal): Promise<ServedReplay> =>
  startReplay(
    {
      path,
      speed: 1,
      http: { host: '127.0.0.1', port: 0 },
      clock: systemClock,
      version: '0.0.0',
      dashboardDir: undefined,
      resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
      onNotice: () => undefined,
    },
    signal,
  );
