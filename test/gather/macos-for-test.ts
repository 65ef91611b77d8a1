// A Mac for tests: figures of a host that is not this one, and times scaled down.

import type { MacosGatherersOptions } from '../../src/gather/macos-gatherers.ts';
import type { MacosHost } from '../../src/gather/macos-host.ts';
import type { StandInTools } from './stand-in-tools.ts';

export const macHost: MacosHost = {
  hostName: () => 'studio.local',
  architecture: () => 'arm64',
  memoryTotalBytes: () => 549_755_813_888,
  loadAverage1: () => 2.5,
  uptimeSeconds: () => 3_600,
  processorTimes: () => ({ busyMs: 0, totalMs: 0 }),
};

export const macOptions = (
  tools: StandInTools,
  over: Partial<MacosGatherersOptions> = {},
): MacosGatherersOptions => ({
  env: tools.env,
  settings: () => ({ name: undefined, ignoredInterfaces: [] }),
  plimsollVersion: '0.0.0-test',
  host: macHost,
  ...over,
});
