// Streams of a part of State: what a page of a large fleet shows, and nothing of the others.

import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { LIVE_VIEW_MS } from '../../../src/daemon/http/stream/fleet-hub.ts';
import { decodeSnapshot } from '../../../src/wire/stream-message.ts';
import { fetchJson } from './http-exchange.ts';
import { identityFact, memoryFact, type ServedCluster, serveCluster } from './served-cluster.ts';
import { openStream } from './stream-reader.ts';

const A = nodeId('a'.repeat(26));
const B = nodeId('b'.repeat(26));
const C = nodeId('c'.repeat(26));
const D = nodeId('d'.repeat(26));

const connection = (sink: NodeId, sinkAddress = '10.0.0.1'): Fact => ({
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

/** A to B and to C, C to A, C to D: a chain with one link that both ends report. */
const reportFour = (served: ServedCluster): void => {
  for (const node of [A, B, C, D]) served.report(node, identityFact(node.slice(0, 1)), memoryFact(64e9));
  served.report(A, connection(B), connection(C));
  served.report(C, connection(A), connection(D));
};

const partOf = async (served: ServedCluster, query: string) => {
  const reader = await openStream(served.port, {}, `/api/stream?${query}`);
  const frame = await reader.need('snapshot');
  return { reader, state: decodeSnapshot(JSON.stringify(frame.data), served.clock.nowMs()).state };
};

const waysOf = (connections: Readonly<Record<string, object>>): readonly string[] =>
  Object.entries(connections)
    .flatMap(([source, sinks]) => Object.keys(sinks).map(sink => `${source[0]}${sink[0]}`))
    .sort();

describe('a stream of a part of State', () => {
  test('of a node has its links both ways, who they lead to, and nobody else', async () => {
    await using served = await serveCluster();
    reportFour(served);
    const { reader, state } = await partOf(served, `view=node&nodes=${A}`);
    using _ = reader;
    expect(waysOf(state.connections)).toEqual(['ab', 'ac', 'ca']);
    expect(Object.keys(state.nodeIdentities).sort()).toEqual([A, B, C]);
    served.report(D, memoryFact(1), connection(C, '10.0.0.2'));
    served.report(C, connection(D, '10.0.0.3'), connection(A, '10.0.0.4'));
    await served.clock.advance(LIVE_VIEW_MS);
    const { data } = await reader.need('batch');
    expect(data.events.map((event: { origin: string; key: string }) => [event.origin, event.key])).toEqual([
      [C, expect.stringContaining(A)],
    ]);
  });

  test('of a node that finds another one restarts with that one in it', async () => {
    await using served = await serveCluster();
    reportFour(served);
    const { reader } = await partOf(served, `view=node&nodes=${B}`);
    using _ = reader;
    served.report(B, connection(D));
    await served.clock.advance(LIVE_VIEW_MS);
    const frame = await reader.need('snapshot');
    const { state } = decodeSnapshot(JSON.stringify(frame.data), served.clock.nowMs());
    expect(Object.keys(state.nodeIdentities).sort()).toEqual([A, B, D]);
  });

  test('of two nodes has what is between them, and of a list of nodes no link', async () => {
    await using served = await serveCluster();
    reportFour(served);
    const two = await partOf(served, `view=link&nodes=${A},${C}`);
    expect(waysOf(two.state.connections)).toEqual(['ac', 'ca']);
    const list = await partOf(served, `view=nodes&nodes=${A},${C}`);
    expect(list.state.connections).toEqual({});
    expect(Object.keys(list.state.nodeMemories).sort()).toEqual([A, C]);
    for (const { reader } of [two, list]) reader[Symbol.dispose]();
  });

  test('of runs has none of the nodes that neither ran nor were loaded', async () => {
    await using served = await serveCluster();
    reportFour(served);
    const { reader, state } = await partOf(served, 'view=runs');
    using _ = reader;
    expect([state.nodeIdentities, state.connections, state.runs]).toEqual([{}, {}, {}]);
  });

  test('of links has the matrix of groups, and a page of those that a filter means', async () => {
    await using served = await serveCluster();
    reportFour(served);
    using all = await openStream(served.port, {}, '/api/stream?view=links&by=kind&page=7');
    expect((await all.need('fleet')).data.parts).toMatchObject({
      matrix: [{ groups: [0, 0], linkCount: 3, isFlagged: false }],
      listing: { linkCount: 3, matchCount: 3, page: 0, pageCount: 1, links: { length: 3 } },
    });
    using few = await openStream(served.port, {}, '/api/stream?view=links&by=kind&q=D&type=cable');
    expect((await few.need('fleet')).data.parts.listing).toMatchObject({ matchCount: 1, flaggedCount: 0 });
  });

  test('is refused where no node or too many are named', async () => {
    await using served = await serveCluster();
    for (const nodes of ['', 'atlas', Array(65).fill(A).join()]) {
      const { status, json } = await fetchJson({
        port: served.port,
        path: `/api/stream?view=nodes&nodes=${nodes}`,
      });
      expect([status, json.code]).toEqual([400, 'bad-query']);
    }
  });
});
