// A node that lives for weeks has thousands of runs, and each publishes live values under a key of its own.

import { describe, expect, it } from 'vitest';
import { EVENT_KINDS, type Fact, factOf } from '../../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { REPLICATION_LIMITS } from '../../../src/mesh/replication/limits.ts';
import { type LivePut, LiveTable } from '../../../src/mesh/replication/live-table.ts';
import { joinedProof } from '../../../src/mesh/replication/record-proof.ts';
import { PROOF_BYTES } from '../../../src/wire/mesh-message.ts';
import { MeshCluster } from '../../support/mesh-cluster.ts';

const RUNNERS_MAX = EVENT_KINDS['runner.reported'].entriesMax;

describe('live values of what comes and goes', () => {
  it('of thousands of runs only the newest are stored, and the next one is still published', async () => {
    await using cluster = new MeshCluster(3);
    const [a, b] = [cluster.node(0), cluster.node(1)];
    cluster.link(0, 1);
    await cluster.clock.advance(1);
    const runs = REPLICATION_LIMITS.liveKeysPerOriginMax + 100;
    for (let run = 0; run < runs; run += 1) a.record(runnerFact(`run ${run}`));
    a.reportMemory(7);
    await cluster.clock.advance(10_000);
    expect(b.replicator.counts.liveRefused + a.replicator.counts.liveRefused).toBe(0);
    expect(Object.keys(b.state.runners[a.id] ?? {})).toHaveLength(RUNNERS_MAX);
    expect(b.state.runners[a.id]).toHaveProperty([`run ${runs - 1}`]);
    expect(b.hash).toBe(a.hash);
    expect(a.replicator.bufferedBytes.live).toBe(b.replicator.bufferedBytes.live);
    // A new node receives what they store, and no digest finds a difference from then on.
    cluster.link(0, 2);
    await cluster.clock.advance(10_000);
    expect(cluster.node(2).hash).toBe(a.hash);
    const sent = a.replicator.counts.liveSent;
    await cluster.clock.advance(60_000);
    expect(a.replicator.counts.liveSent).toBe(sent);
  });

  it('have the same result for any order of arrival', () => {
    const seqs = Array.from({ length: 3 * RUNNERS_MAX }, (_, index) => index + 1);
    const tables = [seqs, seqs.toReversed(), seqs.toSorted((one, other) => (one % 7) - (other % 7))].map(
      order => {
        const table = new LiveTable(REPLICATION_LIMITS);
        for (const seq of order) put(table, `run ${seq}`, seq);
        return table;
      },
    );
    for (const table of tables) {
      expect([...table.entries()].map(({ value }) => value.seq).sort((a, b) => a - b)).toEqual(
        seqs.slice(-RUNNERS_MAX),
      );
      expect(table.summary()).toEqual(tables[0]?.summary());
    }
  });

  it('give way to a reading where there is no other room, by keys and by bytes', () => {
    for (const limits of [
      { ...REPLICATION_LIMITS, liveKeysPerOriginMax: 4 },
      { ...REPLICATION_LIMITS, liveBytesPerOriginMax: 4 * BODY_BYTES },
    ]) {
      const table = new LiveTable(limits);
      for (let seq = 1; seq <= 6; seq += 1) expect(put(table, `run ${seq}`, seq)).toBe('newer');
      expect(put(table, '', 7, 'memory.gathered')).toBe('newer');
      expect(put(table, '', 8, 'system.gathered')).toBe('newer');
      expect([...table.entries()].map(({ value }) => value.seq).sort()).toEqual([5, 6, 7, 8]);
      expect(table.bytes).toBe(4 * BODY_BYTES);
      expect(put(table, '', 9, 'pressure.gathered')).toBe('newer');
      expect(put(table, '', 10, 'disks.gathered')).toBe('newer');
      expect(put(table, 'something', 11, 'reading.failed')).toBe('full');
    }
  });

  it('keep no more memory alive than their own bytes', () => {
    const { publicKey, sign } = generateNodeKey();
    expect(joinedProof(publicKey, sign(new Uint8Array(BODY_BYTES))).buffer.byteLength).toBe(PROOF_BYTES);
  });
});

const runnerFact = (runnerKey: string): Fact =>
  factOf('runner.reported', {
    runnerKey,
    source: 'run',
    targetNode: unknown('elsewhere'),
    requestsInFlight: 1,
  });

const ORIGIN: NodeId = nodeId('a'.repeat(26));
const BODY_BYTES = 100;

const put = (table: LiveTable, key: string, seq: number, kind = 'runner.reported'): LivePut =>
  table.put(
    { origin: ORIGIN, kind, key },
    {
      epoch: 1,
      seq,
      body: new Uint8Array(BODY_BYTES),
      proof: undefined,
      sender: ORIGIN,
      ageMs: 0,
      receivedAtMs: 0,
    },
    seq,
  ).put;
