import { expect, test } from 'vitest';
import { systemRows } from '../../../dashboard/src/node/system-rows.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import type { NodeSystem } from '../../../src/core/node/system.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { eventOf, groupedNodeId, groupedState, NOW_MS } from '../../support/grouped-nodes.ts';

const SYSTEM: NodeSystem = {
  cpuUse: 0.42,
  cpuTemperatureCelsius: unknown('no sensor'),
  cpuPowerWatts: 38,
  systemPowerWatts: unknown('no meter'),
  loadAverage1: 3.428,
  uptimeSeconds: 7_200,
  cpuClusters: [
    { name: 'P-cores', use: 0.6, clockMhz: 3_500 },
    { name: 'E-cores', use: unknown('idle'), clockMhz: unknown('idle') },
  ],
};

test('everything that a machine reports of load, temperature and power is on its page, or why it is not known', () => {
  const reported = eventOf(
    groupedNodeId(0),
    { kind: 'system.gathered', payload: { source: 'test', intervalMs: 500, value: SYSTEM } },
    { seq: 2 },
  );
  const state = groupedState([{ name: 'atlas' }], [reported]);
  expect(systemRows(nodeView(state, groupedNodeId(0), NOW_MS))).toEqual([
    { name: 'CPU', now: { text: '42\u202f%', reason: '' } },
    { name: 'CPU, P-cores', now: { text: '60\u202f% · 3.50\u00a0GHz', reason: '' } },
    { name: 'CPU, E-cores', now: { text: '–', reason: 'idle' } },
    { name: 'CPU temperature', now: { text: '–', reason: 'no sensor' } },
    { name: 'CPU power', now: { text: '38\u00a0W', reason: '' } },
    { name: 'Power of the machine', now: { text: '–', reason: 'no meter' } },
    { name: 'Load, 1 min', now: { text: '3.43', reason: '' } },
    { name: 'Uptime', now: { text: '2 h 0 min', reason: '' } },
  ]);
});
