// What reading the stream costs a page: a second of 200 nodes, five events each, in five batches, read as a page
// reads them, compared with JSON.parse alone and with a full check of every payload.

import { performance } from 'node:perf_hooks';
import * as v from 'valibot';
import { batchMessageSchema } from '../src/wire/api/state-answers.ts';
import { decodeBatch, encodeBatch } from '../src/wire/stream-message.ts';
import { median, printRow, spread } from './bench-row.ts';
import { ClusterEvents } from './cluster-events.ts';

const NODES = 200;
const EVENTS_PER_NODE = 5;
const BATCHES = 5;
const ROUNDS = 40;

const cluster = new ClusterEvents(NODES);
const second = (): readonly string[] =>
  Array.from(
    { length: BATCHES },
    () => encodeBatch({ nowMs: 1_000, events: cluster.mixed((NODES * EVENTS_PER_NODE) / BATCHES) }).text,
  );

const WAYS = {
  'JSON.parse alone': (text: string): unknown => JSON.parse(text),
  'heads checked, as a page does': (text: string): unknown => decodeBatch(text, 5_000),
  'every payload checked': (text: string): unknown => v.parse(batchMessageSchema, JSON.parse(text)),
};

const times = new Map<string, number[]>(Object.keys(WAYS).map(name => [name, []]));
for (let round = 0; round < ROUNDS; round += 1) {
  const texts = second();
  for (const [name, read] of Object.entries(WAYS)) {
    const startedMs = performance.now();
    for (const text of texts) read(text);
    times.get(name)?.push(performance.now() - startedMs);
  }
}

for (const [name, costs] of times) {
  printRow({
    what: `reading a second of the stream, ${NODES} nodes, ${NODES * EVENTS_PER_NODE} events: ${name}`,
    figure: median(costs),
    unit: 'ms',
    reach: { kind: 'none' },
    method: spread(costs, 2),
  });
}
