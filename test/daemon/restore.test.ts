import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EVENT_KINDS, type Fact } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import { Cluster } from '../../src/daemon/cluster.ts';
import { restore } from '../../src/daemon/local-node.ts';
import { openSqliteJournal } from '../../src/journal/sqlite-journal.ts';
import { type DurableRecord, encodeRecordBody } from '../../src/wire/durable-record.ts';
import { OWN } from '../support/journal-records.ts';
import { deviceProfile } from '../support/many-keys.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const liar = nodeId('l'.repeat(26));

test('a start reads what is current, however long the history of it is', () => {
  using folder = temporaryDirectory();
  const clock = new VirtualClock();
  using journal = openSqliteJournal({ path: join(folder.path, 'journal'), ownNode: OWN, clock });
  const profiles = Array.from({ length: 20_000 }, (_, index) => deviceProfile(`gpu-${index % 40}`));
  journal.append(recordsOf(profiles));
  const cluster = new Cluster();
  expect(restore(journal, cluster, clock)).toEqual({ events: 40, refusals: [] });
  expect(Object.keys(cluster.state.nodeGpuProfiles[liar] ?? {})).toHaveLength(40);
  expect(cluster.state.origins[liar]).toMatchObject({ epoch: 1, seq: 20_000 });
});

test('a start after twenty thousand devices of one node copies each map once, and holds what the row allows', () => {
  using folder = temporaryDirectory();
  const clock = new VirtualClock();
  using journal = openSqliteJournal({ path: join(folder.path, 'journal'), ownNode: OWN, clock });
  journal.append(recordsOf(Array.from({ length: 20_000 }, (_, index) => deviceProfile(`gpu-${index}`))));
  const cluster = new Cluster();
  restore(journal, cluster, clock);
  const { entriesMax } = EVENT_KINDS['gpu.profiled'];
  expect(Object.keys(cluster.state.nodeGpuProfiles[liar] ?? {})).toHaveLength(entriesMax);
  expect(cluster.state.refusedKinds[liar]?.['gpu.profiled']?.count).toBe(20_000 - entriesMax);
  expect(cluster.copies).toBeLessThan(10);
});

const recordsOf = (facts: readonly Fact[]): readonly DurableRecord[] =>
  facts.map((fact, index) => {
    const position = { origin: liar, epoch: 1, seq: index + 1 };
    const key = fact.kind === 'gpu.profiled' ? fact.payload.deviceId : '';
    const body = encodeRecordBody(position, fact);
    return { ...position, kind: fact.kind, key, body, signature: new Uint8Array(96), ageMs: 0 };
  });
