// A home in version 1 of the formats: the node's identity, its settings, and every durable event, its own and another node's.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock/system-clock.ts';
import { loadConfig } from '../../src/config/read-config.ts';
import { eventSlot } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import { Cluster } from '../../src/daemon/cluster.ts';
import { restore } from '../../src/daemon/local-node.ts';
import { openNodeKey } from '../../src/daemon/node-key.ts';
import { decodeHourlySummary } from '../../src/journal/hourly-summary.ts';
import { JOURNAL_LIMITS, type Journal } from '../../src/journal/journal.ts';
import { openSqliteJournal } from '../../src/journal/sqlite-journal.ts';
import { deriveSecret } from '../../src/mesh/key/cluster-key.ts';
import { clusterKeyPath, keysIn, readClusterKey } from '../../src/mesh/key/key-file.ts';
import { proofOf } from '../../src/mesh/replication/record-proof.ts';
import { eventsOf } from '../../src/recording/recording-line.ts';
import { NodeKeys, PUBLIC_KEY_BYTES } from '../../src/wire/node-signature.ts';
import {
  copyPinnedHome,
  PINNED_NODE,
  pinnedFacts,
  pinnedPath,
  pinnedText,
  withUnreported,
} from '../support/pinned-version.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const OTHER = nodeId('lqu3pdyqunnetjrddueo5bakaq');

/** A copy, because opening a journal writes to it. */
const openHome = () => {
  const folder = temporaryDirectory();
  copyPinnedHome(folder.path);
  const journal: Journal = openSqliteJournal({
    path: join(folder.path, 'journal.sqlite'),
    ownNode: PINNED_NODE,
    clock: systemClock,
    limits: JOURNAL_LIMITS,
  });
  return {
    path: folder.path,
    journal,
    [Symbol.dispose]: () => {
      journal[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
};

test('its identity is the same, and its settings are in order', async () => {
  using home = openHome();
  expect((await openNodeKey(home.path)).nodeId).toBe(PINNED_NODE);
  expect(await loadConfig(join(home.path, 'config.toml'))).toMatchObject({ kind: 'ok' });
});

test('its cluster keys, the current one and the one before, are read and derive the same secrets', async () => {
  using home = openHome();
  const path = clusterKeyPath(home.path);
  copyFileSync(pinnedPath('cluster-key'), path);
  const stored = await readClusterKey(path);
  if (stored.kind !== 'key') throw new Error(JSON.stringify(stored));
  const purposes = ['psk', 'proof', 'beacon', 'reachability'] as const;
  const read = keysIn(stored).map(key => ({
    id: key.id,
    secrets: Object.fromEntries(
      purposes.map(purpose => [purpose, Buffer.from(deriveSecret(key, purpose)).toString('hex')]),
    ),
  }));
  expect(read).toEqual(JSON.parse(pinnedText('cluster-keys.json')));
  expect(read).toHaveLength(2);
});

test('every record that is current is found to be what its origin signed', async () => {
  using home = openHome();
  home.journal[Symbol.dispose]();
  const { nodeId, publicKey } = await openNodeKey(home.path);
  using journal = openSqliteJournal({
    path: join(home.path, 'journal.sqlite'),
    ownNode: nodeId,
    ownPublicKey: publicKey,
    clock: systemClock,
  });
  expect(journal.notices).toEqual([]);
  expect(journal.currentRecords(nodeId).every(({ signature }) => signature.length === 64)).toBe(true);
  expect(journal.currentRecords(nodeId).length).toBeGreaterThan(0);
});

test('its journal is opened without a word, and every record is read', () => {
  using home = openHome();
  const cluster = new Cluster();
  expect(home.journal.notices).toEqual([]);
  expect(restore(home.journal, cluster, systemClock).refusals).toEqual([]);
  const reported = new Map(
    pinnedFacts()
      .filter(fact => fact.class === 'durable')
      .map(({ kind, key, payload }) => [`${eventSlot(kind)} ${key}`, { kind, payload }]),
  );
  const current = eventsOf(cluster.state, PINNED_NODE).flatMap(event =>
    event.kind === 'unknown'
      ? []
      : [[`${eventSlot(event.kind)} ${event.key}`, { kind: event.kind, payload: event.payload }] as const],
  );
  const closed = [...reported].filter(([, { kind }]) => kind === 'connection.closed').map(([key]) => key);
  for (const key of closed) reported.delete(key);
  expect(closed).toHaveLength(1);
  const read = Object.fromEntries(current);
  expect(read).toEqual(withUnreported(Object.fromEntries(reported), read));
});

test('what it held of another node is there, with the hole, the kind of a version to come and the proofs', () => {
  using home = openHome();
  const cluster = new Cluster();
  restore(home.journal, cluster, systemClock);
  expect(home.journal.origin(OTHER)).toEqual({ origin: OTHER, epoch: 3, through: 4 });
  expect(cluster.state.nodeIdentities[OTHER]?.value.friendlyName).toBe('juno');
  expect(cluster.state.unknownKinds[OTHER]).toEqual({
    'tide.turned': { class: 'durable', epoch: 3, seq: 4, count: 1 },
  });
  const keys = new NodeKeys();
  const records = [...home.journal.recordsAfter(OTHER, 0)];
  expect(records.map(({ seq, kind, ageMs }) => ({ seq, kind, ageMs }))).toEqual([
    { seq: 2, kind: 'identity.gathered', ageMs: 40 },
    { seq: 4, kind: 'tide.turned', ageMs: 40 },
  ]);
  for (const { body, signature } of records) {
    const [key, signed] = [signature.subarray(0, PUBLIC_KEY_BYTES), signature.subarray(PUBLIC_KEY_BYTES)];
    expect(keys.isSignedBy(OTHER, key, body, signed)).toBe(true);
  }
});

test('its own records can be proven to others by its key', async () => {
  using home = openHome();
  const { publicKey } = await openNodeKey(home.path);
  const keys = new NodeKeys();
  const proofs = Array.from(home.journal.recordsAfter(PINNED_NODE, 0), record => ({
    record,
    proof: proofOf(record, { nodeId: PINNED_NODE, publicKey }),
  }));
  expect(proofs.length).toBeGreaterThan(10);
  for (const { record, proof } of proofs)
    expect(
      keys.isSignedBy(PINNED_NODE, publicKey, record.body, proof?.subarray(PUBLIC_KEY_BYTES) ?? publicKey),
    ).toBe(true);
});

test('what it had measured is in its history, summed up by the hour and raw', () => {
  using home = openHome();
  const query = {
    origin: PINNED_NODE,
    slot: 'link',
    key: `${OTHER} socket 192.0.2.2`,
    sinceWallMs: 0,
    limit: 100,
  };
  const rows = home.journal.history(query);
  const [hour, ...raw] = rows;
  expect(rows.map(({ isHourly }) => isHourly)).toEqual([true, false]);
  expect(decodeHourlySummary(hour?.body ?? new Uint8Array())).toMatchObject({
    count: 3,
    failedCount: 0,
    figures: { uploadBitsPerSecond: { min: 90e9, median: 91e9, max: 92e9 } },
  });
  expect(JSON.parse(new TextDecoder().decode(raw[0]?.body)).payload.uploadBitsPerSecond).toBe(94e9);
});
