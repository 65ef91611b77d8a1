// How long a restarted daemon takes to rebuild its state from its journal, if others have published as much as they
// may: every node as many connections and profiles as its row allows.

import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/clock/system-clock.ts';
import { type Fact, factKey } from '../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../src/core/ids.ts';
import { Cluster } from '../src/daemon/cluster.ts';
import { restore } from '../src/daemon/local-node.ts';
import { generateNodeKey } from '../src/daemon/node-key.ts';
import type { Journal } from '../src/journal/journal.ts';
import { openSqliteJournal } from '../src/journal/sqlite-journal.ts';
import { encodeRecordBody } from '../src/wire/durable-record.ts';
import { median, printRow, spread } from './bench-row.ts';

const OWN = nodeId('o'.repeat(26));
const NODES = 12;
const KEYS_OF_EACH = 8_192;
const FRAME_RECORDS = 1_024;
const ROUNDS = 5;
const path = join(tmpdir(), `plimsoll-restart-${process.pid}.sqlite`);

const node = (index: number): NodeId => nodeId(`n${index.toString(36).padStart(5, '0')}`.padEnd(26, 'a'));

const connection = (sink: NodeId): Fact => ({
  kind: 'connection.opened',
  payload: {
    kind: 'socket',
    sink,
    sinkAddress: '192.0.2.1',
    sourceInterface: 'eth0',
    sinkInterface: 'eth0',
    type: 'ethernet',
    negotiatedBitsPerSecond: 100e9,
  },
});

const fill = (journal: Journal): void => {
  for (let source = 0; source < NODES; source += 1) {
    const { nodeId: origin, publicKey, sign } = generateNodeKey();
    for (let after = 0; after < KEYS_OF_EACH; after += FRAME_RECORDS) {
      const records = Array.from({ length: FRAME_RECORDS }, (_, index) => {
        const fact = connection(node(after + index));
        const position = { origin, epoch: 1, seq: after + index + 1 };
        const body = encodeRecordBody(position, fact);
        const signature = Buffer.concat([publicKey, sign(body)]);
        return { ...position, kind: fact.kind, key: factKey(fact), body, signature, ageMs: 0 };
      });
      journal.appendCatchUp({ origin, epoch: 1, through: after + FRAME_RECORDS }, records);
    }
  }
};

const remove = (): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
};

try {
  {
    using journal = openSqliteJournal({ path, ownNode: OWN, clock: systemClock });
    fill(journal);
  }
  const tookMs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedMs = performance.now();
    using journal = openSqliteJournal({ path, ownNode: OWN, clock: systemClock });
    const { events } = restore(journal, new Cluster(), systemClock);
    tookMs.push(performance.now() - startedMs);
    if (events !== NODES * KEYS_OF_EACH) throw new Error(`${events} events came back`);
  }
  printRow({
    what: `restart from a journal of ${(NODES * KEYS_OF_EACH).toLocaleString('en-US')} current records`,
    figure: median(tookMs),
    unit: 'ms',
    reach: { kind: 'at-most', value: 5_000 },
    method: spread(tookMs, 0),
  });
} finally {
  remove();
}
