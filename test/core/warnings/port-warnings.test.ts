// A cable that flaps or makes errors is a warning with its count; a replugged one, and what is normal, is none.

import { expect, test } from 'vitest';
import { nodeView } from '../../../src/core/node/node-view.ts';
import {
  PORT_COUNTER_NAMES,
  type PortCounterName,
  type PortHealth,
} from '../../../src/core/node/port-health.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { portWarnings } from '../../../src/core/warnings/port-warnings.ts';
import { shownWarning } from '../../../src/core/warnings/warning.ts';
import { eventOf, groupedNodeId, groupedState, NOW_MS } from '../../support/grouped-nodes.ts';

const NODE = groupedNodeId(0);
const HOUR_MS = 3_600_000;

const port = (
  kind: PortHealth['kind'],
  name: string,
  growth: Readonly<Partial<Record<PortCounterName, number>>>,
  observedMs = HOUR_MS,
): PortHealth => ({
  name,
  kind,
  ...(kind === 'pcie' ? { interfaceName: 'enp1s0' } : {}),
  counters: PORT_COUNTER_NAMES.flatMap(counter => {
    const lastHour = growth[counter];
    return lastHour === undefined ? [] : [{ counter, total: lastHour + 100, lastHour, observedMs }];
  }),
});

const warningsOf = (ports: readonly PortHealth[], slots: readonly PortHealth[] = []) => {
  const state = groupedState(
    [{ name: 'anvil' }],
    [
      eventOf(
        NODE,
        {
          kind: 'portHealth.gathered',
          payload: { source: 'sysfs', intervalMs: 10_000, value: { ports: [...ports], slots: [...slots] } },
        },
        { seq: 1 },
      ),
      eventOf(
        NODE,
        {
          kind: 'rdmaDevices.gathered',
          payload: {
            source: 'sysfs',
            intervalMs: 10_000,
            value: {
              isEnabled: true,
              devices: [
                {
                  name: 'mlx5_0',
                  nodeGuid: unknown('x'),
                  systemImageGuid: unknown('x'),
                  firmware: unknown('x'),
                  ports: [
                    {
                      number: 1,
                      state: 'active',
                      physicalState: 'LinkUp',
                      linkLayer: 'ethernet',
                      rateBitsPerSecond: 1e11,
                      activeMtuBytes: 4_096,
                      interfaceName: 'enp1s0',
                      subnetPrefix: unknown('x'),
                    },
                  ],
                },
              ],
            },
          },
        },
        { seq: 3 },
      ),
    ],
  );
  return portWarnings([nodeView(state, NODE, NOW_MS)]).map(shownWarning);
};

test('a port that came back several times is one warning, also if its RDMA port counts the same', () => {
  const found = warningsOf([
    port('interface', 'enp1s0', { carrierChanges: 14 }),
    port('rdma', 'mlx5_0', { linkDowned: 7 }),
  ]);
  expect(found).toMatchObject([
    {
      id: `port flaps ${NODE} enp1s0`,
      level: 'caution',
      title: 'anvil: enp1s0 flapped 7 times in the last hour',
      command: 'ip -s -s link show dev enp1s0',
    },
  ]);
});

test('a shorter time is named', () => {
  const [found] = warningsOf([port('interface', 'enp1s0', { carrierChanges: 4 }, 720_000)]);
  expect(found?.title).toMatch(/^anvil: enp1s0 flapped 2 times in the last 12.min$/);
});

test('a cable that was replugged once, and errors that are normal, are none', () => {
  expect(
    warningsOf(
      [
        port('interface', 'enp1s0', { carrierChanges: 3 }),
        port('rdma', 'mlx5_0', { linkDowned: 1, symbolErrors: 119, linkRecoveries: 4, integrityErrors: 0 }),
      ],
      [port('pcie', '0000:01:00.0', { pcieCorrected: 99, pcieNonfatal: 0, pcieFatal: 0 })],
    ),
  ).toEqual([]);
});

test('errors of a cable and of a slot are counted, and fatal ones are dangers', () => {
  const found = warningsOf(
    [port('rdma', 'mlx5_0', { symbolErrors: 480, linkRecoveries: 6 })],
    [port('pcie', '0000:01:00.0', { pcieCorrected: 2_400 }), port('pcie', '0000:02:00.0', { pcieFatal: 1 })],
  );
  expect(found.map(({ level, title }) => [level, title.replaceAll(/\s/g, ' ')])).toEqual([
    ['caution', 'anvil: mlx5_0: 6 link recoveries, 480 symbol errors in the last hour'],
    ['caution', 'anvil: enp1s0 (0000:01:00.0): 2 400 corrected PCIe errors in the last hour'],
    ['danger', 'anvil: enp1s0 (0000:02:00.0): 1 fatal PCIe error in the last hour'],
  ]);
});
