// Lists with the same entry twice, as real machines and peers report them: a volume mounted over another, an address
// on an interface two times, one reason given again. A page that requires unique entries would stop altogether.

import { describe, expect } from 'vitest';
import type { Fact } from '../../src/core/event-kinds.ts';
import { madeUpFigures, madeUpRunEntry } from '../support/run-entry.ts';
import { test } from './browser-test.ts';
import { rack, studio } from './machines.ts';
import { serveMachines } from './serve-machines.ts';

describe('a list with a repeated item', () => {
  test('is shown whole on the page of a node', async ({ browser }) => {
    const reported = { memory: 0.6, use: 0.4, cpu: 0.1 };
    await using served = await serveMachines({ machines: [rack] });
    served.reportNodeFacts(rack, ...[...rack.durable, ...rack.live(reported)].map(withEachTwice));
    const { page, problems } = await browser.open(`${served.url}/nodes/${served.idOf(rack)}`);
    await page.getByRole('article', { name: /^GPU/ }).nth(3).waitFor();
    const rows = (region: string): Promise<number> =>
      page.getByRole('region', { name: region }).locator('tbody').getByRole('rowheader').count();
    expect(await rows('Disks')).toBe(2);
    expect(await rows('Network')).toBe(6);
    expect(await rows('RDMA')).toBe(2);
    expect(problems).toEqual([]);
  });

  test('is shown whole on the page of a run', async ({ browser }) => {
    await using served = await serveMachines({ machines: [studio] });
    const failed = { kind: 'timeout', count: 3, detail: 'first byte, 30 s', lastAtMs: 108_000 } as const;
    const figures = madeUpFigures({
      histogram: [
        [60e6, 120e6, 100],
        [60e6, 120e6, 900],
      ],
      errors: [failed, failed],
      client: { ...madeUpFigures().client, verdict: 'client-bound', reasons: ['it was late', 'it was late'] },
    });
    const objective = { name: 'ttft', limitNs: 5e8 } as const;
    const run = { ...madeUpRunEntry('twice'), objectives: [objective, objective], figures } as const;
    served.reportNodeFacts(studio, { kind: 'run.ended', payload: { ...run, state: 'complete' } });
    const { page, problems } = await browser.open(`${served.url}/runs/twice`);
    await page.getByText('it was late').nth(1).waitFor();
    expect(await page.getByText('first byte, 30 s').count()).toBe(2);
    expect(problems.filter(text => !text.includes('404'))).toEqual([]);
  });
});

const withEachTwice = (fact: Fact): Fact => {
  switch (fact.kind) {
    case 'network.gathered':
      return {
        ...fact,
        payload: {
          ...fact.payload,
          value: {
            interfaces: twice(
              fact.payload.value.interfaces.map(one => ({ ...one, addresses: twice(one.addresses) })),
            ),
          },
        },
      };
    case 'disk.gathered':
      return { ...fact, payload: { ...fact.payload, value: { volumes: twice(fact.payload.value.volumes) } } };
    case 'rdmaDevices.gathered':
      return {
        ...fact,
        payload: {
          ...fact.payload,
          value: { ...fact.payload.value, devices: twice(fact.payload.value.devices) },
        },
      };
    case 'gpus.gathered': {
      const { vendor, devices } = fact.payload.value;
      return { ...fact, payload: { ...fact.payload, value: { vendor, devices: twice(devices) } } };
    }
    default:
      return fact;
  }
};

const twice = <T>(list: readonly T[]): readonly T[] => [...list, ...list];
