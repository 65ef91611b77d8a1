import { expect, test } from 'vitest';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import type { LinkProfile } from '../../../src/core/link/link-profile.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { Cluster } from '../../../src/daemon/cluster.ts';
import { EventRecorder } from '../../../src/daemon/event-recorder.ts';
import { restore } from '../../../src/daemon/local-node.ts';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { Notices } from '../../../src/daemon/notices.ts';
import { pastSpending } from '../../../src/daemon/probes/past-spending.ts';
import { createMemoryDisk, createMemoryJournal } from '../../../src/journal/memory-journal.ts';
import { spendingOf } from '../../../src/probe/schedule/probe-interval.ts';
import { type Spending, SpendLedger } from '../../../src/probe/schedule/spend-ledger.ts';
import { decodeRecordBody, encodeRecordBody } from '../../../src/wire/durable-record.ts';
import { measured } from '../../support/made-up-engine.ts';
import { PROBE_SETTINGS } from '../../support/probing-mesh.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const PEER = nodeId('peer'.padEnd(26, 'b'));
const MINUTE_MS = 60_000;

test('a restarted daemon counts what it has spent, however often it restarts', async () => {
  const cable = new Cable();
  cable.record(opened('10.0.0.2'));
  for (let turn = 0; turn < 8; turn += 1) {
    cable.profiled(profile({ bytesUsed: 16e9 }));
    await cable.clock.advance(5 * MINUTE_MS);
  }
  const dueMs = cable.waitMs();
  expect(dueMs).toBeGreaterThan(0);
  for (let start = 0; start < 3; start += 1) {
    cable.restart();
    expect(cable.waitMs()).toBeCloseTo(dueMs - start * 1_000, 3);
    await cable.clock.advance(1_000);
  }
});

test('what was spent longer ago than the account reaches is forgotten, also by a start', async () => {
  const cable = new Cable();
  cable.record(opened('10.0.0.2'));
  cable.profiled(profile({ bytesUsed: 500e9 }));
  await cable.clock.advance(3 * 60 * MINUTE_MS + 1);
  cable.restart();
  expect(cable.waitMs()).toBe(0);
  expect(cable.past()).toEqual([]);
});

test('a failed probe counts with the bytes that it took, one of a closed connection as one that was tried', async () => {
  const cable = new Cable();
  cable.record(opened('10.0.0.2'));
  const never = unknown('never measured');
  cable.record(
    profile({
      bytesUsed: 7e9,
      failure: unknown('silence'),
      uploadBitsPerSecond: never,
      downloadBitsPerSecond: never,
    }),
  );
  cable.record({
    kind: 'connection.closed',
    payload: { sink: PEER, connectionKey: 'socket 10.0.0.2', reason: 'test' },
  });
  await cable.clock.advance(1_000);
  cable.restart();
  const [probe, ...others] = cable.past();
  expect(others).toEqual([]);
  expect(probe).toEqual({
    subject: { kind: 'link', sink: PEER, connectionKey: 'socket 10.0.0.2' },
    ports: [],
    spending: { busyMs: 0, bytesUsed: 7e9 },
    atMs: cable.clock.nowMs() - 1_000,
  });
});

test('probes that a peer has recorded charge an interface at most what the elapsed time allows, for any recorded value', () => {
  const clock = new VirtualClock({ nowMs: 1e9 });
  const [self, peer] = [generateNodeKey().nodeId, generateNodeKey().nodeId];
  const cluster = new Cluster();
  const report = (origin: NodeId, fact: Fact, seq: number): Uint8Array => {
    const body = encodeRecordBody({ origin, epoch: 1, seq }, fact);
    const decoded = decodeRecordBody(body, { ageMs: 0, receivedAtMs: clock.nowMs() });
    if (decoded.kind === 'event') cluster.dispatch([decoded.event]);
    return body;
  };
  const addresses = [{ address: '10.0.0.1', family: 'ipv4', prefixLength: 24, scope: 'global' }] as const;
  const value = { interfaces: [{ ...ETHERNET, addresses }] };
  report(self, { kind: 'network.gathered', payload: { source: 'test', intervalMs: 10_000, value } }, 1);
  report(peer, opened('10.0.0.1', self), 1);
  const key = 'socket 10.0.0.1';
  const claims = [
    profile({ sink: self, connectionKey: key, bytesUsed: 1e300 }),
    profile({ sink: self, connectionKey: key, bytesUsed: -1e300 }),
    profile({ sink: self, connectionKey: key, bytesUsed: 1e300, uploadBitsPerSecond: unknown('failed') }),
  ];
  const bodies = Array.from({ length: 3_000 }, (_, index) => {
    const claim = claims[index % claims.length];
    return claim === undefined ? undefined : report(peer, claim, index + 2);
  });
  const rows = bodies.flatMap((body, index) =>
    body === undefined
      ? []
      : [
          {
            origin: peer,
            slot: 'link',
            key,
            body,
            atWallMs: clock.wallMs() - 60_000 + index,
            isHourly: false,
          },
        ],
  );
  const probes = pastSpending({ nodeId: self, clock, state: () => cluster.state, past: () => rows });
  expect(probes.length).toBeGreaterThan(3_000);
  expect(probes.every(({ ports, subject }) => ports.includes('eth0') && subject === undefined)).toBe(true);
  const sum = (of: keyof Spending): number => probes.reduce((total, { spending }) => total + spending[of], 0);
  // The first one, which may have lasted 90 s, and the minute since.
  expect(sum('busyMs')).toBeLessThanOrEqual(90_000 + 60_000);
  expect(sum('bytesUsed')).toBeLessThanOrEqual(24e9 + (24e9 * 60_000) / 15_000);
  expect(probes.every(({ spending }) => spending.busyMs >= 0 && spending.bytesUsed >= 0)).toBe(true);
});

/** A node with one interface, its journal, and what its probes have spent. */
class Cable {
  readonly clock = new VirtualClock();
  readonly #key = generateNodeKey();
  readonly #disk = createMemoryDisk();
  #ledger = this.#newLedger();
  #opened = this.#open();

  constructor() {
    this.record({
      kind: 'network.gathered',
      payload: { source: 'test', intervalMs: 10_000, value: { interfaces: [ETHERNET] } },
    });
  }

  record(fact: Fact): void {
    this.#opened.recorder.record(fact);
  }

  profiled(fact: Fact): void {
    this.record(fact);
    const spending = fact.kind === 'link.profiled' ? spendingOf(fact.payload) : undefined;
    if (spending !== undefined) this.#ledger.charge(['eth0'], spending);
  }

  restart(): void {
    this.#opened.journal[Symbol.dispose]();
    this.#opened = this.#open();
    this.#ledger = this.#newLedger();
    for (const { ports, spending, atMs } of this.past()) this.#ledger.charge(ports, spending, atMs);
  }

  past() {
    const { cluster, journal } = this.#opened;
    return pastSpending({
      nodeId: this.#key.nodeId,
      clock: this.clock,
      state: () => cluster.state,
      past: query => journal.past(query),
    });
  }

  waitMs(): number {
    return this.#ledger.waitMs(['eth0']);
  }

  #newLedger(): SpendLedger {
    return new SpendLedger(
      () => this.clock.nowMs(),
      () => PROBE_SETTINGS,
    );
  }

  #open() {
    const { clock } = this;
    const key = this.#key;
    const journal = createMemoryJournal({ ownNode: key.nodeId, clock, disk: this.#disk });
    const cluster = new Cluster();
    restore(journal, cluster, clock);
    const notices = new Notices(() => undefined);
    return { journal, cluster, recorder: new EventRecorder({ key, clock, journal, cluster, notices }) };
  }
}

const profile = (change: Partial<LinkProfile>): Fact => {
  const outcome = measured(10e9);
  if (outcome.kind !== 'measured') throw new Error('it is measured');
  return {
    kind: 'link.profiled',
    payload: {
      ...outcome.measurement,
      sink: PEER,
      connectionKey: 'socket 10.0.0.2',
      extrasAgeMs: 0,
      measuredAgeMs: 0,
      intervalMs: 300_000,
      failure: 'none',
      ...change,
    },
  };
};

const opened = (sinkAddress: string, sink: NodeId = PEER): Fact => ({
  kind: 'connection.opened',
  payload: {
    kind: 'socket',
    sink,
    sinkAddress,
    sourceInterface: 'eth0',
    sinkInterface: 'eth0',
    type: 'ethernet',
    negotiatedBitsPerSecond: 10e9,
  },
});

const ETHERNET = {
  name: 'eth0',
  type: 'ethernet',
  typeEvidence: 'test',
  macAddress: unknown('test'),
  isUp: true,
  speedBitsPerSecond: 10e9,
  mtuBytes: 1_500,
  addresses: [],
  driver: unknown('test'),
  members: [],
} as const;
