import { expect, test } from 'vitest';
import type { ProbeLogEntry } from '../../../src/probe/schedule/probe-log.ts';
import { measured } from '../../support/made-up-engine.ts';
import { ProbingMesh, type ProbingNode } from '../../support/probing-mesh.ts';

/** Pairs of things that occupied one interface of one node at one moment. */
const overlaps = (log: readonly ProbeLogEntry[]): readonly string[] => {
  const running: ProbeLogEntry[] = [];
  const found: string[] = [];
  for (const entry of log) {
    const isSame = (one: ProbeLogEntry): boolean =>
      one.node === entry.node && one.role === entry.role && one.what === entry.what;
    if (entry.kind === 'ended') {
      running.splice(running.findIndex(isSame), 1);
      continue;
    }
    for (const other of running)
      if (other.node === entry.node && other.ports.some(port => entry.ports.includes(port) || port === '*'))
        found.push(`${other.role} ${other.what} and ${entry.role} ${entry.what} on ${entry.ports.join()}`);
    running.push(entry);
  }
  return found;
};

const missing = (mesh: ProbingMesh): readonly string[] =>
  pairs(mesh).flatMap(([source, sink]) =>
    mesh.profile(source, sink)?.failure === 'none' ? [] : [`${source.address} to ${sink.address}`],
  );

const pairs = (mesh: ProbingMesh): readonly (readonly [ProbingNode, ProbingNode])[] =>
  mesh.nodes.flatMap(source =>
    mesh.nodes.filter(sink => sink !== source).map(sink => [source, sink] as const),
  );

test('of four nodes every path is profiled once, by one of its ends, and no two probes share an interface', async () => {
  for (const seed of [1, 2, 3]) {
    await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno', 'pavo', 'vela'], seed });
    await mesh.clock.advance(120_000);
    expect(missing(mesh)).toEqual([]);
    expect(overlaps(mesh.log)).toEqual([]);
    expect(mesh.log.filter(({ kind }) => kind === 'started').length).toBe(12);
    expect(mesh.engine.openSinks).toBe(0);
  }
});

test('a profile is made again after its lifetime, stretched so that an interface carries probes 2% of its time', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno', 'pavo', 'vela'] });
  await mesh.clock.advance(3_600_000);
  // Three paths on each interface, 125 MB both ways at 1 Gbit/s each: 1 s of its time each, 3 s a round, 150 s at 2%.
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  expect(mesh.profile(atlas, juno)?.intervalMs).toBe(300_000);
  const probes = mesh.log.filter(({ node, kind }) => node === atlas.id && kind === 'ended').length;
  // Twelve rounds or so of three, each after 300 s and a random part.
  expect(probes).toBeGreaterThan(33);
  expect(probes).toBeLessThanOrEqual(36);
  expect(overlaps(mesh.log)).toEqual([]);
});

test('probes that cost more stretch the interval of every path on the interface, at both ends', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno', 'pavo'] });
  mesh.engine.durationMs = 10_000;
  mesh.engine.outcome = () => measured(5e6, 6_250_000);
  await mesh.clock.advance(4_500_000);
  // Two paths of 10 s on each interface: 20 s a round, 1,000 s at 2%.
  for (const [source, sink] of pairs(mesh)) expect(mesh.profile(source, sink)?.intervalMs).toBe(1_000_000);
  const probes = mesh.log.filter(({ node, kind }) => node === mesh.at(0).id && kind === 'ended').length;
  expect(probes * 10_000).toBeLessThanOrEqual(0.02 * 4_500_000 + 20_000);
});

test('every path of eight machines at one switch gets its turn soon', async () => {
  await using mesh = await ProbingMesh.start({
    names: ['atlas', 'boreas', 'ceres', 'dione', 'europa', 'flora', 'gaia', 'hebe'],
  });
  mesh.engine.durationMs = 2_000;
  await mesh.clock.advance(120_000);
  // 28 of 2 s, at most four at a time, would be done in half a minute if nobody ever met a busy interface.
  expect(missing(mesh)).toEqual([]);
  expect(overlaps(mesh.log)).toEqual([]);
});

test('of a connection that is gone nothing is to come, and nothing of it is written', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'], isOneWay: true });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  mesh.engine.durationMs = 20_000;
  const running = (): boolean =>
    mesh.log.some(({ kind, role, node }) => kind === 'started' && role === 'source' && node === atlas.id);
  for (let turn = 0; turn < 120 && !running(); turn += 1) await mesh.clock.advance(500);
  atlas.node.recorder.record({
    kind: 'connection.closed',
    payload: { sink: juno.id, connectionKey: 'socket 10.0.0.2', reason: 'test' },
  });
  await mesh.clock.advance(60_000);
  expect(mesh.profile(atlas, juno)).toBeUndefined();
  const stage = atlas.node.state.probeStatuses[atlas.id]?.[`link ${juno.id} socket 10.0.0.2`]?.value.stage;
  expect(stage).toEqual({ kind: 'idle', nextInMs: { kind: 'unknown', reason: 'it is not there now' } });
});

test('a link that comes and goes does not spend more than its budget', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  mesh.engine.durationMs = 5_000;
  mesh.engine.outcome = () => measured(1e8, 62_500_000);
  for (let turn = 0; turn < 120; turn += 1) {
    await mesh.clock.advance(20_000);
    atlas.node.recorder.record({
      kind: 'connection.closed',
      payload: { sink: juno.id, connectionKey: 'socket 10.0.0.2', reason: 'test' },
    });
    await mesh.clock.advance(10_000);
    mesh.connect(atlas, juno);
  }
  const probes = mesh.log.filter(({ node, kind }) => node === atlas.id && kind === 'ended').length;
  // An hour, and the hour that may be saved up; one of them is under way when the budget ends.
  expect(probes * 5_000).toBeLessThanOrEqual(0.02 * 2 * 3_600_000 + 15_000);
});

test('a request to every node measures each path from one of its ends', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  await mesh.clock.advance(60_000);
  const sources = (): number =>
    mesh.log.filter(({ kind, role }) => kind === 'started' && role === 'source').length;
  const before = sources();
  for (const { reconciler } of mesh.nodes) reconciler.request(() => true, true);
  await mesh.clock.advance(60_000);
  expect(sources() - before).toBe(1);
  // A request to one node is measured there, whichever end the path has.
  mesh.at(1).reconciler.request(() => true);
  await mesh.clock.advance(60_000);
  expect(sources() - before).toBe(2);
});
