import { expect, test } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import type { ProbeDeviceNow } from '../../../src/probe/probe.ts';
import type { ProbeLogEntry } from '../../../src/probe/schedule/probe-log.ts';
import { measured } from '../../support/made-up-engine.ts';
import { ProbingMesh, type ProbingNode } from '../../support/probing-mesh.ts';

const DEVICE = { deviceId: 'gpu-1', deviceName: 'Test GPU', vendor: 'nvidia' } as const;

/** Two nodes with a GPU each and an RDMA connection each way; a device takes 5 s. */
const machines = async (): Promise<ProbingMesh> => {
  const mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  mesh.rdma.durationMs = 5_000;
  mesh.rdma.outcome = () => measured(75e9, 1e9);
  for (const node of mesh.nodes) {
    node.devices = [DEVICE];
    node.probeDevice = deviceOf(mesh);
  }
  mesh.connectRdma(mesh.at(0), mesh.at(1));
  mesh.connectRdma(mesh.at(1), mesh.at(0));
  return mesh;
};

const deviceOf =
  (mesh: ProbingMesh): ProbeDeviceNow =>
  async ({ deviceId, deviceName }, signal) => {
    await mesh.clock.sleep(5_000, signal);
    return {
      kind: 'measured',
      measurement: {
        deviceId,
        deviceName,
        deviceKind: 'gpu',
        engine: 'made-up',
        fp16FlopsPerSecond: 1e12,
        fp32FlopsPerSecond: unknown('not measured'),
        memoryReadBytesPerSecond: 1e12,
        memoryCopyBytesPerSecond: unknown('not measured'),
        memoryGemvBytesPerSecond: unknown('not measured'),
        int8OperationsPerSecond: unknown('not measured'),
        fp8FlopsPerSecond: unknown('not measured'),
        isLowerBound: false,
        method: 'made up',
      },
    };
  };

const started = (mesh: ProbingMesh, probe: ProbeLogEntry['probe'], node?: ProbingNode): number =>
  mesh.log.filter(
    one => one.kind === 'started' && one.probe === probe && (node === undefined || one.node === node.id),
  ).length;

/** As a benchmark that reports every 2 s does, for this long. */
const load = async (mesh: ProbingMesh, node: ProbingNode, durationMs: number): Promise<void> => {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 2_000) {
    mesh.lease(node);
    await mesh.clock.advance(2_000);
  }
};

const socketTo = (sink: ProbingNode): string => `link ${sink.id} socket ${sink.address}`;

const reasonOf = (node: ProbingNode, key: string): string => {
  const stage = node.node.state.probeStatuses[node.id]?.[key]?.value.stage;
  return stage?.kind === 'waiting' ? stage.reason : (stage?.kind ?? 'not reported');
};

test('while a benchmark runs no GPU is probed there and no connection at either end, and all of it follows', async () => {
  await using mesh = await machines();
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  await load(mesh, juno, 60_000);
  expect(started(mesh, 'gpu', juno)).toBe(0);
  expect(started(mesh, 'gpu', atlas)).toBe(1);
  expect(started(mesh, 'rdma')).toBe(0);
  expect(started(mesh, 'socket')).toBe(0);
  const why = `a benchmark runs against ${juno.id.slice(0, 8)}`;
  expect(reasonOf(juno, 'gpu gpu-1')).toBe(why);
  expect(reasonOf(atlas, `link ${juno.id} rdma mlx5_0 mlx5_0`)).toBe(why);
  expect(reasonOf(atlas, socketTo(juno))).toBe(why);
  await mesh.clock.advance(60_000);
  expect(started(mesh, 'gpu', juno)).toBe(1);
  // Of each path one probe, logged by both ends.
  expect(started(mesh, 'rdma')).toBe(2);
  expect(started(mesh, 'socket')).toBe(2);
  expect(mesh.profile(atlas, juno, 'rdma')?.uploadBitsPerSecond).toBe(75e9);
});

test('the machine that a benchmark sends from is left alone, too, but not those that have no part in it', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno', 'vesta', 'ceres'] });
  const [atlas, juno, vesta, ceres] = [mesh.at(0), mesh.at(1), mesh.at(2), mesh.at(3)];
  atlas.devices = [DEVICE];
  atlas.probeDevice = deviceOf(mesh);
  for (let passedMs = 0; passedMs < 60_000; passedMs += 2_000) {
    mesh.lease(juno, atlas);
    await mesh.clock.advance(2_000);
  }
  expect(started(mesh, 'gpu')).toBe(0);
  expect(reasonOf(atlas, 'gpu gpu-1')).toBe(`a benchmark runs on ${atlas.id.slice(0, 8)}`);
  expect(reasonOf(atlas, socketTo(vesta))).toBe(`a benchmark runs on ${atlas.id.slice(0, 8)}`);
  for (const node of [atlas, juno]) expect(started(mesh, 'socket', node)).toBe(0);
  for (const node of [vesta, ceres]) expect(started(mesh, 'socket', node)).toBe(1);
});

test('who asks by hand has a socket connection measured next to a benchmark', async () => {
  await using mesh = await machines();
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  await load(mesh, juno, 20_000);
  atlas.reconciler.request(subject => subject.kind === 'link');
  await load(mesh, juno, 20_000);
  expect(started(mesh, 'rdma')).toBe(0);
  expect(started(mesh, 'socket')).toBe(2);
  expect(mesh.profile(atlas, juno)?.failure).toBe('none');
});

test('a probe of a socket connection is given up when a benchmark begins, and is no failure', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  mesh.engine.durationMs = 20_000;
  for (let turn = 0; turn < 60 && started(mesh, 'socket', atlas) === 0; turn += 1)
    await mesh.clock.advance(500);
  await load(mesh, juno, 6_000);
  const ends = mesh.log.filter(({ kind, probe }) => kind === 'ended' && probe === 'socket');
  expect(ends.length).toBe(started(mesh, 'socket'));
  expect(atlas.node.state.linkProfiles).toEqual({});
  mesh.engine.durationMs = 2_000;
  await mesh.clock.advance(60_000);
  expect(mesh.profile(atlas, juno)?.failure).toBe('none');
});

test('socket connections are measured next to a served model, which may be busy all day', async () => {
  await using mesh = await machines();
  const juno = mesh.at(1);
  for (let passedMs = 0; passedMs < 40_000; passedMs += 2_000) {
    mesh.lease(juno, juno, 'endpoint');
    await mesh.clock.advance(2_000);
  }
  expect(started(mesh, 'socket')).toBe(2);
  expect(started(mesh, 'rdma')).toBe(0);
});

test('a benchmark that was killed blocks nothing for longer than its lease', async () => {
  await using mesh = await machines();
  await load(mesh, mesh.at(1), 30_000);
  const killedAtMs = mesh.clock.nowMs() - 2_000; // its last word
  await mesh.clock.advance(40_000);
  const firstMs = mesh.log.find(
    ({ kind, probe, node }) => kind === 'started' && probe === 'gpu' && node === mesh.at(1).id,
  )?.atMs;
  expect(firstMs).toBeGreaterThan(killedAtMs + 10_000);
  // The next look after the lease, and a link that has its turn before.
  expect(firstMs).toBeLessThan(killedAtMs + 30_000);
});

test('a probe of a GPU is given up within seconds when a runner begins, is no failure, and is made up for afterwards', async () => {
  await using mesh = await machines();
  const juno = mesh.at(1);
  const ended = Promise.withResolvers<unknown>();
  juno.probeDevice = async (_device, signal) => {
    await mesh.clock.sleep(60_000, signal).catch(error => {
      ended.resolve(error);
      throw error;
    });
    throw new Error('it was to be ended');
  };
  for (let turn = 0; turn < 60 && started(mesh, 'gpu', juno) === 0; turn += 1) await mesh.clock.advance(500);
  expect(started(mesh, 'gpu', juno)).toBe(1);
  await load(mesh, juno, 6_000);
  await ended.promise;
  expect(juno.node.state.nodeGpuProfiles[juno.id]).toBeUndefined();
  juno.probeDevice = deviceOf(mesh);
  await mesh.clock.advance(40_000);
  expect(juno.node.state.nodeGpuProfiles[juno.id]?.['gpu-1']?.value.failure).toBe('none');
});

test('a GPU that is busy by itself is left alone', async () => {
  await using mesh = await machines();
  const juno = mesh.at(1);
  const busy = (use: number): void => {
    juno.node.recorder.record({
      kind: 'gpuLoads.gathered',
      payload: {
        source: 'test',
        intervalMs: 1_000,
        value: { vendor: 'nvidia', devices: [{ ...IDLE, use }] },
      },
    });
  };
  for (let second = 0; second < 60; second += 1) {
    busy(0.87);
    await mesh.clock.advance(1_000);
  }
  expect(started(mesh, 'gpu', juno)).toBe(0);
  expect(reasonOf(juno, 'gpu gpu-1')).toBe(`a GPU of ${juno.id.slice(0, 8)} is 87% busy`);
  for (let second = 0; second < 60; second += 1) {
    busy(0.02);
    await mesh.clock.advance(1_000);
  }
  expect(started(mesh, 'gpu', juno)).toBe(1);
});

test('a probe of a device has the machine for itself', async () => {
  await using mesh = await machines();
  await mesh.clock.advance(120_000);
  for (const device of mesh.log.filter(({ kind, probe }) => kind === 'started' && probe === 'gpu')) {
    const beside = mesh.log.filter(
      ({ node, atMs, probe, kind }) =>
        node === device.node &&
        probe !== 'gpu' &&
        kind === 'started' &&
        atMs >= device.atMs &&
        atMs < device.atMs + 5_000,
    );
    expect(beside).toEqual([]);
  }
  expect(started(mesh, 'gpu')).toBe(2);
});

test('a device waits while somebody measures by hand on its machine, reports it, and has its turn afterwards', async () => {
  await using mesh = await machines();
  const atlas = mesh.at(0);
  const reason = 'this machine is being measured by plimsoll probe gpu (process 4712)';
  atlas.lockDevices = () => ({ kind: 'busy', reason });
  await mesh.clock.advance(60_000);
  expect(started(mesh, 'gpu', atlas)).toBe(0);
  expect(reasonOf(atlas, 'gpu gpu-1')).toBe(reason);
  let isHeld = false;
  atlas.lockDevices = what => {
    expect(what).toBe('Test GPU');
    isHeld = true;
    return { kind: 'held', lock: { [Symbol.dispose]: () => (isHeld = false) } };
  };
  await mesh.clock.advance(30_000);
  expect(started(mesh, 'gpu', atlas)).toBe(1);
  expect(isHeld).toBe(false);
});

test('links have their turn between the devices of a machine with many', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  const atlas = mesh.at(0);
  atlas.devices = Array.from({ length: 8 }, (_, index) => ({ ...DEVICE, deviceId: `gpu-${index}` }));
  atlas.probeDevice = async (device, signal) => {
    await mesh.clock.sleep(20_000, signal);
    return await deviceOf(mesh)(device, signal);
  };
  await mesh.clock.advance(300_000);
  const order = mesh.log.filter(({ kind, node }) => kind === 'started' && node === atlas.id);
  const links = order.flatMap(({ probe }, index) => (probe === 'socket' ? [index] : []));
  expect(order.length).toBe(9);
  // Before a third device.
  expect(links.every(index => index < 3)).toBe(true);
});

test('of what is due at one moment a link is measured first, and a device, which needs the whole machine, after it', async () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    await using mesh = await ProbingMesh.start({
      names: ['atlas', 'juno'],
      seed,
      leases: index => index === 1,
    });
    const atlas = mesh.at(0);
    atlas.devices = [DEVICE];
    atlas.probeDevice = deviceOf(mesh);
    await mesh.clock.advance(60_000);
    const isOver = mesh.log.length;
    atlas.reconciler.request(() => true);
    await mesh.clock.advance(30_000);
    const after = mesh.log.slice(isOver).filter(({ kind, node }) => kind === 'started' && node === atlas.id);
    expect(after.map(({ probe }) => probe)).toEqual(['socket', 'gpu']);
  }
});

const IDLE = {
  deviceId: 'gpu-1',
  memoryUsedBytes: 0,
  temperatureCelsius: 40,
  powerWatts: 30,
  clockMhz: 300,
  pcieNow: unknown('test'),
  throttleReasons: [],
} as const;
