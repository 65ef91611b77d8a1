import { describe, expect, it } from 'vitest';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { decodeRecordHead } from '../../../src/wire/durable-record.ts';
import { decodeMeshMessage, encodeMeshMessage } from '../../../src/wire/mesh-message.ts';
import { MeshCluster } from '../../support/mesh-cluster.ts';
import { memoryFact } from '../../support/mesh-node.ts';
import type { Disturb } from '../../support/mesh-wires.ts';

/** Between a source and a sink stand some relays; the ones with the smallest ids, whose job it is to pass on, do not. */
const SOURCE = 3;
const SINK = 4;
const HONEST = 2;

describe('live values that the relay keeps for itself', () => {
  it.each([
    ['one of two relays', [0], [0, HONEST]],
    ['two of three relays', [0, 1], [0, 1, HONEST]],
  ])('come by another one within seconds: %s', async (_, silent, relays) => {
    await using cluster = withRelays(silent, relays, () => false);
    const ages = await memoryAges(cluster, 300_000);
    expect(Math.max(...ages)).toBeLessThan(14_000);
    expect(shareBelow(1_000, ages), 'as good as always fresh').toBeGreaterThan(0.85);
  });

  it('come by another one also where the relay passes on all but the memory', async () => {
    await using cluster = withRelays([0], [0, HONEST], kind => kind !== 'memory.gathered');
    const ages = await memoryAges(cluster, 300_000);
    expect(Math.max(...ages)).toBeLessThan(14_000);
    expect(shareBelow(1_000, ages), 'as good as always fresh').toBeGreaterThan(0.85);
  });

  it('cost nothing twice where the relay does its work', async () => {
    await using cluster = withRelays([], [0, HONEST], () => true);
    await memoryAges(cluster, 10_000);
    const { counts } = cluster.node(SINK).replicator;
    const before = counts.liveRepeated;
    expect(Math.max(...(await memoryAges(cluster, 60_000)))).toBeLessThan(1_000);
    expect(counts.liveRepeated).toBe(before);
  });
});

const withRelays = (
  silent: readonly number[],
  relays: readonly number[],
  passes: (kind: string) => boolean,
): MeshCluster => {
  const cluster = new MeshCluster(SINK + 1);
  for (const relay of relays) {
    cluster.link(SOURCE, relay);
    const [end] = cluster.link(relay, SINK);
    if (silent.includes(relay)) end.disturb = withholding(passes);
  }
  return cluster;
};

/** Everything but live values, of which only those go on that pass. */
const withholding =
  (passes: (kind: string) => boolean): Disturb =>
  frames =>
    frames.flatMap(frame => {
      const decoded = decodeMeshMessage(frame);
      if (decoded.kind !== 'message' || decoded.message.kind !== 'live') return [frame];
      const entries = decoded.message.entries.filter(({ body }) =>
        passes(decodeRecordHead(body)?.kind ?? ''),
      );
      return entries.length === 0 ? [] : [encodeMeshMessage({ kind: 'live', entries })];
    });

/** Ten times a second, while the source publishes its memory twice a second, and other things as often. */
const memoryAges = async (cluster: MeshCluster, durationMs: number): Promise<readonly number[]> => {
  const source = cluster.node(SOURCE);
  const ages: number[] = [];
  for (let passedMs = 0; passedMs < durationMs; passedMs += 100) {
    if (passedMs % 500 === 0) source.record(memoryFact(passedMs));
    if (passedMs % 500 === 200) source.record(CONFIRMED);
    await cluster.clock.advance(100);
    ages.push(cluster.node(SINK).memoryOf(source.id)?.ageMs ?? passedMs);
  }
  return ages;
};

const shareBelow = (limit: number, values: readonly number[]): number =>
  values.filter(value => value < limit).length / values.length;

const CONFIRMED: Fact = {
  kind: 'reading.confirmed',
  payload: { reading: 'network', vendor: 'none', source: 'test', intervalMs: 10_000 },
};
