import { expect, it } from 'vitest';
import { gpuInventories } from '../../src/simulate/durable-readings.ts';
import { gpuHealthFacts } from '../../src/simulate/gpu-health-reading.ts';
import { gpuLoadFacts } from '../../src/simulate/live-readings.ts';
import { SMALL } from '../../src/simulate/scenario/small-clusters.ts';
import { seededNodeKeys } from '../../src/simulate/seeded-node-key.ts';
import { wire } from '../../src/simulate/site.ts';

it('a simulated machine may have a lost GPU: listed apart, without load or health', () => {
  const machines = SMALL.machines.map(machine =>
    machine.name === 'bosun'
      ? { ...machine, quirks: { failedGpus: [{ gpu: 0, state: 'lost' as const, reason: 'Unknown Error' }] } }
      : machine,
  );
  const ids = seededNodeKeys(1, machines.length).map(({ nodeId }) => nodeId);
  const site = wire({ ...SMALL, machines }, ids).sites.find(({ machine }) => machine.name === 'bosun');
  if (site === undefined) throw new Error('no bosun');
  const moment = { seconds: 0, seed: 1 };
  const [inventory] = gpuInventories(site);
  expect(inventory?.devices.map(({ index }) => index)).toEqual([1]);
  expect(inventory?.failed).toMatchObject([{ index: 0, pciAddress: '0000:03:00.0', state: 'lost' }]);
  for (const [fact] of [gpuLoadFacts(site, moment), gpuHealthFacts(site)])
    expect(fact).toMatchObject({
      payload: { value: { devices: [{ deviceId: inventory?.devices[0]?.deviceId }] } },
    });
});
