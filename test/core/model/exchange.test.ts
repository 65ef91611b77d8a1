import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../src/core/ids.ts';
import { allReduce } from '../../../src/core/model/exchange.ts';
import type { HeadroomDevice } from '../../../src/core/model/headroom-devices.ts';
import { type HeadroomLink, HeadroomLinkTable } from '../../../src/core/model/headroom-links.ts';
import { isUnknown, unknown } from '../../../src/core/unknown.ts';

const NODES = ['a', 'b', 'c'].map(letter => nodeId(letter.repeat(26)));
const devices: readonly HeadroomDevice[] = NODES.map((id, index) => ({
  nodeId: id,
  deviceId: 'apple-0',
  name: `spark-${index}`,
  deviceName: 'GB10',
  deviceClass: 'other',
  ceiling: unknown('not asked'),
  memoryBytes: unknown('not asked'),
}));

const linked = (exchangeSeconds: number | undefined): HeadroomLinkTable =>
  new HeadroomLinkTable(
    NODES.flatMap(source =>
      NODES.filter(sink => sink !== source).map(
        (sink): HeadroomLink => ({
          source,
          sink,
          name: 'spark',
          typeName: 'Ethernet',
          roundTripSeconds: 40e-6,
          exchangeSeconds,
          bytesPerSecond: 1e9,
          negotiatedBytesPerSecond: unknown('not asked'),
          isStale: false,
        }),
      ),
    ),
  );

const latencyOf = (count: number, exchangeSeconds: number | undefined): number => {
  const exchange = allReduce(devices.slice(0, count), { links: linked(exchangeSeconds), bytes: 10_000 });
  if (isUnknown(exchange)) throw new Error(exchange.reason);
  return exchange.latencySeconds.value;
};

describe('an all-reduce of two machines', () => {
  test('waits as long as the one that was measured over their link, with the software of both ends in it', () => {
    expect(latencyOf(2, 55e-6)).toBeCloseTo(55e-6, 12);
  });

  test('waits for half a round trip and the software where none was measured', () => {
    expect(latencyOf(2, undefined)).toBeCloseTo(20e-6 + 20e-6, 12);
  });

  test('keeps the same bound: no probe proves that nothing is faster', () => {
    const bound = (exchangeSeconds: number | undefined): unknown =>
      allReduce(devices.slice(0, 2), { links: linked(exchangeSeconds), bytes: 10_000 });
    expect(bound(55e-6)).toMatchObject({ boundSeconds: expect.closeTo(30e-6, 12) });
    expect(bound(undefined)).toMatchObject({ boundSeconds: expect.closeTo(30e-6, 12) });
  });

  test('reports nothing of three, who go round a ring', () => {
    expect(latencyOf(3, 55e-6)).toBe(latencyOf(3, undefined));
  });
});
