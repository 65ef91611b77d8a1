import { expect, test } from 'vitest';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import {
  ProbeRequestServer,
  type ProbeRequestServerParts,
} from '../../../src/daemon/probes/probe-request-server.ts';
import type { ProbeTarget } from '../../../src/wire/api/probe-answers.ts';
import { ProbingMesh, type ProbingNode } from '../../support/probing-mesh.ts';

const never = new AbortController().signal;

const EVERYBODY = { isChosen: () => true, request: () => undefined };

const serverOf = (
  mesh: ProbingMesh,
  { id, node, requests, reconciler, loads }: ProbingNode,
  peers: ProbeRequestServerParts['peers'] = EVERYBODY,
): ProbeRequestServer => {
  const server = new ProbeRequestServer({
    nodeId: id,
    state: () => node.state,
    nowMs: () => mesh.clock.nowMs(),
    requests,
    request: isMeant => reconciler.request(isMeant),
    load: (own, signal) => loads.load(own, signal),
    peers,
  });
  server.serve();
  return server;
};

/** Answers of others need the clock to move. */
const requested = async (mesh: ProbingMesh, server: ProbeRequestServer, target: ProbeTarget) => {
  const answer = server.request(target, never);
  await mesh.clock.advance(6_000);
  return await answer;
};

test('a request for all is asked of every node, and each reports what it does', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno', 'pavo'] });
  await mesh.clock.advance(60_000);
  const [atlas, juno, pavo] = [mesh.at(0), mesh.at(1), mesh.at(2)];
  const server = serverOf(mesh, atlas);
  serverOf(mesh, juno);
  const before = mesh.engine.measuredCount;
  const { probes, unreached } = await requested(mesh, server, 'all');
  expect(probes.filter(({ node }) => node === atlas.id).length).toBe(2);
  expect(probes.filter(({ node }) => node === juno.id).length).toBe(2);
  expect(unreached).toEqual([{ node: pavo.id, reason: 'this version does not know the request' }]);
  await mesh.clock.advance(30_000);
  expect(mesh.engine.measuredCount - before).toBe(4);
});

test('a member that asks again and again starts a bounded number of probes, and receives the reason', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  await mesh.clock.advance(60_000);
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  const server = serverOf(mesh, atlas);
  serverOf(mesh, juno);
  const before = mesh.engine.measuredCount;
  const link = { kind: 'link', source: juno.id, sink: atlas.id } as const;
  const refused: string[] = [];
  for (let passedMs = 0; passedMs < 240_000; passedMs += 2_000) {
    const requested = server.request(link, never);
    await mesh.clock.advance(2_000);
    refused.push(...(await requested).unreached.map(({ reason }) => reason));
  }
  expect(mesh.engine.measuredCount - before).toBeLessThanOrEqual(8 + 4);
  expect(refused.length).toBeGreaterThan(100);
  expect(refused[0]).toContain('too many probes here');
});

test('one connection of another node is measured by that node, and a device that is not there by nobody', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  await mesh.clock.advance(60_000);
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  const server = serverOf(mesh, atlas);
  serverOf(mesh, juno);
  const link = { kind: 'link', source: juno.id, sink: atlas.id } as const;
  expect(await requested(mesh, server, { ...link, connectionKey: 'socket 10.0.0.1' })).toMatchObject({
    probes: [{ node: juno.id, subject: { sink: atlas.id }, result: 'started', reason: '' }],
    unreached: [],
  });
  expect(await requested(mesh, server, { ...link, connectionKey: 'socket 10.0.0.77' })).toEqual({
    probes: [],
    unreached: [],
  });
  expect(await requested(mesh, server, { kind: 'gpu', nodeId: atlas.id, deviceId: 'none' })).toEqual({
    probes: [],
    unreached: [],
  });
  const stranger = nodeId('stranger'.padEnd(26, 'x'));
  expect(await requested(mesh, server, { kind: 'gpu', nodeId: stranger })).toEqual({
    probes: [],
    unreached: [{ node: stranger, reason: 'there is no link to it' }],
  });
});

test('probes that are off refuse a request with the reason', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'], settings: { isEnabled: false } });
  await mesh.clock.advance(20_000);
  const { probes } = await requested(mesh, serverOf(mesh, mesh.at(0)), {
    kind: 'link',
    source: mesh.at(0).id,
    sink: mesh.at(1).id,
  });
  expect(probes).toMatchObject([{ result: 'refused', reason: expect.stringContaining('probes are off') }]);
});

test('a link of a fleet that nobody chose today is connected when a person asks for it, and the answer reports it', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  await mesh.clock.advance(60_000);
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  const requestedPeers: NodeId[] = [];
  const peers = {
    isChosen: (node: NodeId) => requestedPeers.includes(node),
    request: (node: NodeId) => void requestedPeers.push(node),
  };
  const server = serverOf(mesh, atlas, peers);
  const link = { kind: 'link', source: atlas.id, sink: juno.id } as const;
  const first = await requested(mesh, server, link);
  expect(first).toMatchObject({ probes: [], unreached: [{ node: atlas.id }] });
  expect(first.unreached[0]?.reason).toMatch(/^it was not chosen today; it is being connected now/);
  expect(requestedPeers).toEqual([juno.id]);
  expect((await requested(mesh, server, link)).probes).toHaveLength(1);
});

test('a load of several nodes runs at once, each node replies for itself, and an older version is named', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno', 'pavo'] });
  await mesh.clock.advance(120_000);
  const [atlas, juno, pavo] = [mesh.at(0), mesh.at(1), mesh.at(2)];
  const server = serverOf(mesh, atlas);
  serverOf(mesh, juno);
  mesh.engine.durationMs = 5_000;
  const to = (source: ProbingNode, sink: ProbingNode) => ({
    node: source.id,
    subjects: [{ kind: 'link', sink: sink.id, connectionKey: `socket ${sink.address}` } as const],
  });
  const answer = server.load(
    {
      together: 'acceptance-1',
      durationMs: 5_000,
      nodes: [to(atlas, juno), to(juno, atlas), to(pavo, atlas)],
    },
    never,
  );
  // One after the other they would take ten seconds.
  await mesh.clock.advance(8_000);
  const { nodes, unreached } = await answer;
  expect(nodes.map(({ node, loads }) => [node, loads.map(({ kind }) => kind)])).toEqual([
    [atlas.id, ['loaded']],
    [juno.id, ['loaded']],
  ]);
  expect(unreached).toEqual([{ node: pavo.id, reason: 'this version does not know the request' }]);
});

test('a member can request no more loads than a soak needs, and nothing that is not a load', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  await mesh.clock.advance(120_000);
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  serverOf(mesh, juno);
  const body = { together: 'acceptance-1', durationMs: 1_000, subjects: [{ kind: 'gpu', deviceId: 'none' }] };
  const request = async (sent: typeof body): Promise<string> => {
    const reply = atlas.requests.request(juno.id, 'probe.load', sent, { timeoutMs: 5_000, signal: never });
    await mesh.clock.advance(100);
    const { kind, ...rest } = await reply;
    return 'reason' in rest ? `${kind}: ${rest.reason}` : kind;
  };
  expect(await request({ ...body, durationMs: 3_600_000 })).toBe('refused: not a request for a load');
  expect(await request({ ...body, together: 'x' })).toBe('refused: not a request for a load');
  const replies: string[] = [];
  for (let count = 0; count < 40; count += 1) replies.push(await request(body));
  expect(replies.filter(reply => reply === 'answer').length).toBeLessThanOrEqual(16 + 2);
  expect(replies.at(-1)).toMatch(/^refused: that node has requested too many loads here/);
});
