// What an acceptance makes of the counters of cables and slots: their faults of the last hour and what they grew by while they were
// watched fail, and what is not counted, or not for long enough, cannot be judged.

import { expect, test } from 'vitest';
import { acceptanceSources, acceptCluster } from '../../../src/core/acceptance/accept-cluster.ts';
import { ClusterWatch } from '../../../src/core/acceptance/cluster-watch.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import type { PortCounterName, PortHealth } from '../../../src/core/node/port-health.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { eventOf, groupedNodeId, groupedState, NOW_MS } from '../../support/grouped-nodes.ts';

const HOUR_MS = 3_600_000;
const SOAK_MS = 60_000;

type Count = PortHealth['counters'][number];

const count = (counter: PortCounterName, lastHour: Count['lastHour'], more: Partial<Count> = {}): Count => ({
  counter,
  total: typeof lastHour === 'number' ? 2 + lastHour : lastHour,
  lastHour,
  observedMs: HOUR_MS,
  ...more,
});

const eth0 = (...counters: readonly Count[]): PortHealth => ({ kind: 'interface', name: 'eth0', counters });
const mlx5 = (...counters: readonly Count[]): PortHealth => ({ kind: 'rdma', name: 'mlx5_0', counters });
const slot = (...counters: readonly Count[]): PortHealth => ({
  kind: 'pcie',
  name: '0000:06:00.0',
  interfaceName: 'eth0',
  counters,
});

const healthOf = (ports: readonly PortHealth[], slots: readonly PortHealth[] = []): Fact => ({
  kind: 'portHealth.gathered',
  payload: {
    source: 'sysfs',
    intervalMs: 10_000,
    value: { ports: [...ports], slots: slots.length === 0 ? unknown('no AER') : [...slots] },
  },
});

/** "port-faults anvil eth0, carrier changes fail", of what did not pass, after looks at each of these. */
const found = (
  looks: readonly (Fact | undefined)[],
  { watchedMs = SOAK_MS, checks = ['port-faults', 'port-flaps', 'cable-errors'] } = {},
): readonly string[] => {
  const watch = new ClusterWatch();
  const at = (fact: Fact | undefined, nowMs: number) =>
    acceptanceSources({
      state: groupedState(
        [{ name: 'anvil' }],
        fact === undefined ? [] : [eventOf(groupedNodeId(0), fact, { seq: 1 })],
      ),
      nowMs,
      links: [],
      requested: undefined,
      watched: { ...watch.watched, watchedMs },
      watchedMsMin: SOAK_MS,
      ageMsMax: HOUR_MS,
      plan: {},
    });
  for (const [index, fact] of looks.entries()) watch.look(at(fact, NOW_MS + index));
  return acceptCluster(at(looks.at(-1), NOW_MS), {})
    .flatMap(stage => stage.checks)
    .filter(one => checks.includes(one.check) && one.result !== 'pass')
    .map(({ check, subject, result, reason }) =>
      `${check}, ${subject}: ${result}, ${reason}`.replaceAll(/\s/g, ' '),
    );
};

const CABLE = 'cable, transceiver or the port at the other end';

test('what a port or slot lost in the last hour fails, each counter with its own limit', () => {
  const health = healthOf(
    [eth0(count('carrierChanges', 14)), mlx5(count('linkDowned', 1), count('symbolErrors', 480))],
    [slot(count('pcieCorrected', 99), count('pcieFatal', 1))],
  );
  expect(found([health])).toEqual([
    `port-faults, anvil eth0, carrier changes: fail, 14 carrier changes in the last hour: ${CABLE}`,
    `port-faults, anvil mlx5_0, symbol errors: fail, 480 symbol errors in the last hour: ${CABLE}`,
    'port-faults, anvil eth0 (0000:06:00.0), fatal PCIe errors: fail, 1 fatal PCIe error in the last hour: the seat of the card, the riser or its cables',
  ]);
});

test('what is not counted, was reset or is counted for too short a time cannot be judged, with its reason', () => {
  const health = healthOf([
    eth0(count('carrierChanges', 0, { observedMs: 30_000 })),
    mlx5(
      count('linkDowned', unknown('not reported by its driver')),
      count('symbolErrors', unknown('its counters were reset'), { total: 3 }),
      count('integrityErrors', unknown('the counter stopped at its maximum of 15'), { total: 15 }),
    ),
  ]);
  expect(found([health, health])).toEqual([
    'port-faults, anvil eth0, carrier changes: undecided, counted for 30 s only, of 1 min',
    'port-faults, anvil mlx5_0, link failures: undecided, not reported by its driver',
    'port-faults, anvil mlx5_0, symbol errors: undecided, its counters were reset',
    'port-faults, anvil mlx5_0, link integrity errors: undecided, the counter stopped at its maximum of 15',
    'port-faults, anvil: PCIe slots: undecided, no AER',
    'port-flaps, anvil mlx5_0, link failures: undecided, not reported by its driver',
    'cable-errors, anvil mlx5_0, link integrity errors: undecided, the counter stopped at its maximum of 15',
    'cable-errors, anvil: PCIe slots: undecided, no AER',
  ]);
});

test('a node that counts nothing of its cables is listed with the reason', () => {
  const absent: Fact = {
    kind: 'reading.absent',
    payload: {
      reading: 'portHealth',
      vendor: 'none',
      source: 'macos',
      intervalMs: 30_000,
      reason: 'macOS does not count it',
    },
  };
  expect(found([absent], { checks: ['port-faults'] })).toEqual([
    'port-faults, anvil: cables and slots: undecided, macOS does not count it',
  ]);
  expect(found([undefined], { checks: ['port-faults'] })).toEqual([
    'port-faults, anvil: cables and slots: undecided, its daemon has not reported it',
  ]);
});

test('what grows while it is watched fails beyond what a sound cable has in that time', () => {
  const at = (flaps: number, symbols: number, downs = 0) =>
    healthOf(
      [
        eth0(count('carrierChanges', 0, { total: 2 + 2 * flaps })),
        mlx5(count('linkDowned', 0, { total: downs }), count('symbolErrors', 0, { total: symbols })),
      ],
      [slot(count('pcieNonfatal', 0, { total: 7 }))],
    );
  expect(found([at(3, 100), at(3, 219)])).toEqual([]);
  expect(found([at(3, 100), at(5, 220, 1)])).toEqual([
    `port-flaps, anvil eth0, carrier changes: fail, it went down 2 times: ${CABLE}, in 1 min`,
    `port-flaps, anvil mlx5_0, link failures: fail, it went down once: ${CABLE}, in 1 min`,
    `cable-errors, anvil mlx5_0, symbol errors: fail, ${CABLE}, in 1 min`,
  ]);
  // 119 in an hour are 238 in two.
  expect(found([at(3, 0), at(3, 238)], { watchedMs: 2 * HOUR_MS })).toEqual([]);
  expect(found([at(3, 0), at(3, 239)], { watchedMs: 2 * HOUR_MS })).toHaveLength(1);
});
