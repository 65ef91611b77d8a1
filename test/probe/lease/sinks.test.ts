import { expect, test } from 'vitest';
import { isUnknown } from '../../../src/core/unknown.ts';
import { LEASE_TOPIC, RELEASE_TOPIC } from '../../../src/probe/lease/lease-message.ts';
import { measured } from '../../support/made-up-engine.ts';
import { ProbingMesh, type ProbingNode } from '../../support/probing-mesh.ts';

const never = new AbortController().signal;
const failureOf = (mesh: ProbingMesh, source: ProbingNode, sink: ProbingNode): string => {
  const failure = mesh.profile(source, sink)?.failure;
  return failure !== undefined && isUnknown(failure) ? failure.reason : String(failure);
};
const nameOf = ({ id }: ProbingNode): string => id.slice(0, 8);

test('a sink that never answers gives a failure with its reason, tried again ever more seldom', async () => {
  await using mesh = await ProbingMesh.start({
    names: ['atlas', 'juno'],
    isOneWay: true,
    leases: index => index === 0,
  });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  let requested = 0;
  juno.requests.serve(LEASE_TOPIC, async ({ signal }) => {
    requested += 1;
    await mesh.clock.sleep(1e9, signal);
    return { kind: 'refused', reason: 'never said' };
  });
  await mesh.clock.advance(600_000);
  expect(failureOf(mesh, atlas, juno)).toBe(
    `${nameOf(juno)} was requested to start its end of the probe, but it did not answer within 10 s`,
  );
  // Half a minute, a minute, two, four: not each tick.
  expect(requested).toBeGreaterThan(3);
  expect(requested).toBeLessThan(8);
});

test('a version without leases gives a failure with its reason', async () => {
  await using mesh = await ProbingMesh.start({
    names: ['atlas', 'juno'],
    isOneWay: true,
    leases: index => index === 0,
  });
  await mesh.clock.advance(60_000);
  expect(failureOf(mesh, mesh.at(0), mesh.at(1))).toBe(
    `${nameOf(mesh.at(1))} refuses: this version does not know the request`,
  );
});

test('a sink that returns nonsense or a false port costs one probe and is reported', async () => {
  await using mesh = await ProbingMesh.start({
    names: ['atlas', 'juno'],
    isOneWay: true,
    leases: index => index === 0,
  });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  juno.requests.serve(LEASE_TOPIC, () => ({ kind: 'answer', body: { kind: 'granted', port: -4 } }));
  await mesh.clock.advance(30_000);
  expect(failureOf(mesh, atlas, juno)).toContain('replies in a way that this version does not understand');
  const lie = { kind: 'granted', leaseId: 1, port: 9, ticket: 'made up' };
  juno.requests.serve(LEASE_TOPIC, () => ({ kind: 'answer', body: lie }));
  await mesh.clock.advance(120_000);
  expect(failureOf(mesh, atlas, juno)).toBe('nobody listens there with that ticket');
});

test('a sink that refuses, and when to come back, is no failure, and is believed within bounds', async () => {
  await using mesh = await ProbingMesh.start({
    names: ['atlas', 'juno'],
    isOneWay: true,
    leases: index => index === 0,
  });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  let requested = 0;
  juno.requests.serve(LEASE_TOPIC, () => {
    requested += 1;
    return { kind: 'answer', body: { kind: 'refused', reason: 'not today', retryInMs: 1e12 } };
  });
  await mesh.clock.advance(1_260_000);
  expect(mesh.profile(atlas, juno)).toBeUndefined();
  expect(requested).toBe(3);
  const stage = atlas.node.state.probeStatuses[atlas.id]?.[`link ${juno.id} socket 10.0.0.2`]?.value.stage;
  expect(stage).toMatchObject({ kind: 'waiting', reason: 'not today' });
});

test('a failure keeps the last good figures and their age', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  await mesh.clock.advance(60_000);
  expect(mesh.profile(atlas, juno)).toMatchObject({ uploadBitsPerSecond: 1e9, failure: 'none' });
  mesh.engine.outcome = () => ({
    kind: 'failed',
    reason: 'the other end went silent',
    code: 'timeout',
    bytesUsed: 77,
  });
  await mesh.clock.advance(400_000);
  const failed = mesh.profile(atlas, juno);
  expect(failed).toMatchObject({
    uploadBitsPerSecond: 1e9,
    bytesUsed: 77,
    failure: { kind: 'unknown', reason: 'the other end went silent', code: 'timeout' },
  });
  expect(failed?.measuredAgeMs).toBeGreaterThan(300_000);
  mesh.engine.outcome = () => measured(2e9);
  await mesh.clock.advance(600_000);
  expect(mesh.profile(atlas, juno)).toMatchObject({
    uploadBitsPerSecond: 2e9,
    measuredAgeMs: 0,
    failure: 'none',
  });
});

test('a program can read from its code why a connection has no figures', async () => {
  await using mesh = await ProbingMesh.start({
    names: ['atlas', 'juno'],
    isOneWay: true,
    leases: index => index === 0,
  });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  const codeOf = (): string | undefined => {
    const failure = mesh.profile(atlas, juno)?.failure;
    return isUnknown(failure) ? failure.code : undefined;
  };
  const answers = [{ kind: 'granted', port: -4 }, { kind: 'failed', reason: 'no room' }, undefined] as const;
  const codes: (string | undefined)[] = [];
  for (const body of answers) {
    if (body !== undefined) juno.requests.serve(LEASE_TOPIC, () => ({ kind: 'answer', body }));
    else juno.requests.serve(LEASE_TOPIC, () => ({ kind: 'refused', reason: 'not today' }));
    await mesh.clock.advance(2_000_000);
    codes.push(codeOf());
  }
  expect(codes).toEqual(['not-understood', 'sink-failed', 'refused']);
});

test('a measurement that hangs is ended at its deadline, and both interfaces are free again', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  mesh.engine.durationMs = Number.POSITIVE_INFINITY;
  await mesh.clock.advance(60_000);
  mesh.engine.durationMs = 1_000;
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  const first = mesh.log.filter(({ role }) => role === 'source').slice(0, 2);
  expect((first[1]?.atMs ?? 0) - (first[0]?.atMs ?? 0)).toBeCloseTo(30_000);
  expect([failureOf(mesh, atlas, juno), failureOf(mesh, juno, atlas)]).toContain(
    'it took longer than 30 s and was stopped',
  );
  const failures = [mesh.profile(atlas, juno)?.failure, mesh.profile(juno, atlas)?.failure];
  expect(failures).toContainEqual(expect.objectContaining({ code: 'deadline' }));
  await mesh.clock.advance(120_000);
  expect(mesh.profile(atlas, juno)?.failure).toBe('none');
  expect(mesh.profile(juno, atlas)?.failure).toBe('none');
  expect(mesh.engine.openSinks).toBe(0);
});

test('a source that never gives back loses its lease in bounded time, and pays for all of it', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  await mesh.clock.advance(60_000);
  const request = { way: { kind: 'socket', sinkAddress: juno.address }, why: 'by-hand' };
  const requestLease = (): Promise<unknown> =>
    atlas.requests.request(juno.id, LEASE_TOPIC, request, { timeoutMs: 5_000, signal: never });
  expect(await requestLease()).toMatchObject({ kind: 'answer', body: { kind: 'granted' } });
  expect(mesh.engine.openSinks).toBe(1);
  expect(await requestLease()).toMatchObject({
    body: { kind: 'refused', reason: `eth0 is being measured on ${nameOf(juno)}` },
  });
  await mesh.clock.advance(36_000);
  expect(mesh.engine.openSinks).toBe(0);
  // 35 s of 72 that an hour brings are gone; two more of these, and only what is requested by a person goes on.
  for (let turn = 0; turn < 2; turn += 1) {
    await requestLease();
    await mesh.clock.advance(36_000);
  }
  const due = { ...request, why: 'due' };
  expect(
    await atlas.requests.request(juno.id, LEASE_TOPIC, due, { timeoutMs: 5_000, signal: never }),
  ).toMatchObject({ body: { kind: 'refused', reason: `the budget of eth0 on ${nameOf(juno)} is spent` } });
});

test('nobody gives back what another has lent, and an address of somebody else is not lent', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno', 'pavo'] });
  const [atlas, juno, pavo] = [mesh.at(0), mesh.at(1), mesh.at(2)];
  await mesh.clock.advance(120_000);
  const request = (
    node: ProbingNode,
    topic: string,
    body: Parameters<ProbingNode['requests']['request']>[2],
  ) => node.requests.request(juno.id, topic, body, { timeoutMs: 5_000, signal: never });
  const way = { kind: 'socket', sinkAddress: juno.address };
  expect(await request(atlas, LEASE_TOPIC, { way, why: 'by-hand' })).toMatchObject({
    body: { kind: 'granted' },
  });
  const stolen = { leaseId: 5, busyMs: 0, bytesUsed: 0 };
  for (let leaseId = 1; leaseId < 20; leaseId += 1)
    expect(await request(pavo, RELEASE_TOPIC, { ...stolen, leaseId })).toMatchObject({ kind: 'refused' });
  expect(mesh.engine.openSinks).toBe(1);
  const foreign = { kind: 'socket', sinkAddress: '10.9.9.9' };
  expect(await request(atlas, LEASE_TOPIC, { way: foreign, why: 'by-hand' })).toMatchObject({
    body: { kind: 'refused', reason: `10.9.9.9 is not on ${nameOf(juno)} now` },
  });
  expect(await request(atlas, LEASE_TOPIC, 'nonsense')).toMatchObject({ kind: 'refused' });
});

test('a sink that cannot listen reports why, and is left alone for a while', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  let opened = 0;
  const { openSink } = mesh.engine;
  mesh.engine.openSink = request => {
    opened += 1;
    return openSink.call(mesh.engine, request);
  };
  mesh.engine.listenProblem = 'port 4190 is taken';
  await mesh.clock.advance(120_000);
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  expect(failureOf(mesh, atlas, juno)).toBe(`${nameOf(juno)} cannot listen: port 4190 is taken`);
  // Each of the two at 0, 15 and 45 s or so.
  expect(opened).toBeLessThanOrEqual(8);
});

const LEASE_MS_ALL = 3_600_000;

/** One after another, as a peer that has measured nothing returns them at once. */
const returnLeases = async (
  mesh: ProbingMesh,
  { count, claim }: { count: number; claim: { readonly busyMs: number; readonly bytesUsed: number } },
): Promise<void> => {
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  const request = (topic: string, body: Parameters<ProbingNode['requests']['request']>[2]) =>
    atlas.requests.request(juno.id, topic, body, { timeoutMs: 5_000, signal: never });
  for (let turn = 0; turn < count; turn += 1) {
    const way = { kind: 'socket', sinkAddress: juno.address };
    const granted = await request(LEASE_TOPIC, { way, why: 'by-hand' });
    expect(granted).toMatchObject({ body: { kind: 'granted' } });
    const leaseId = Number(JSON.stringify(granted).match(/"leaseId":(\d+)/)?.[1]);
    expect(await request(RELEASE_TOPIC, { leaseId, ...claim })).toMatchObject({ kind: 'answer' });
    await mesh.clock.advance(2_000);
  }
};

const dueAnswer = async (source: ProbingNode, sink: ProbingNode): Promise<unknown> => {
  const request = { way: { kind: 'socket', sinkAddress: sink.address }, why: 'due' };
  return await source.requests.request(sink.id, LEASE_TOPIC, request, { timeoutMs: 5_000, signal: never });
};

test('a peer that claims more bytes than its lease has moved spends nothing of the interface', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  await mesh.clock.advance(60_000);
  await returnLeases(mesh, { count: 3, claim: { busyMs: 0, bytesUsed: 1e300 } });
  expect(await dueAnswer(mesh.at(0), mesh.at(1))).toMatchObject({ body: { kind: 'granted' } });
});

test('a peer that claims more time than its lease has lasted spends no more than that', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  await mesh.clock.advance(60_000);
  await returnLeases(mesh, { count: 3, claim: { busyMs: LEASE_MS_ALL, bytesUsed: 0 } });
  expect(await dueAnswer(mesh.at(0), mesh.at(1))).toMatchObject({ body: { kind: 'granted' } });
});

test('a peer that claims fewer bytes than the sink has counted pays for those', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  // The source counts a thousandth of what the sink has counted.
  mesh.engine.outcome = () => measured(1e9, 60e6);
  mesh.engine.payload = () => ({ bytes: 60e9, isExact: true });
  // Its last counters come after the return of the lease.
  mesh.engine.goodbyeMs = 900;
  await mesh.clock.advance(60_000);
  expect(mesh.profile(atlas, juno)).toMatchObject({ bytesUsed: 60e6 });
  expect(await dueAnswer(mesh.at(0), mesh.at(1))).toMatchObject({
    body: { kind: 'refused', reason: `the budget of eth0 on ${nameOf(juno)} is spent` },
  });
});

test('where a sink cannot count exactly a claim counts, up to what its runs can have moved in one probe', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  const juno = mesh.at(1);
  mesh.rdma.payload = () => ({ bytes: 1e15, isExact: false });
  mesh.rdma.outcome = () => measured(100e9, 20e9);
  mesh.connectRdma(mesh.at(0), juno);
  await mesh.clock.advance(120_000);
  expect(mesh.profile(mesh.at(0), juno, 'rdma')).toMatchObject({ bytesUsed: 20e9 });
  expect(await dueAnswer(mesh.at(0), mesh.at(1))).toMatchObject({ body: { kind: 'granted' } });
});

test('rates that a sink makes up cost the source no more time than the probe took', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'] });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  mesh.engine.outcome = ({ connection }) => measured(connection.sink === juno.id ? 1e-3 : 1e9, 125e6);
  await mesh.clock.advance(60_000);
  expect(mesh.profile(atlas, juno)).toMatchObject({ failure: 'none', uploadBitsPerSecond: 1e-3 });
  // At that rate the bytes would take 31 years.
  expect(await dueAnswer(juno, atlas)).toMatchObject({ body: { kind: 'granted' } });
});

test('a spent budget holds back no first probe of a path that was lost for longer than its lifetime', async () => {
  await using mesh = await ProbingMesh.start({ names: ['atlas', 'juno'], isOneWay: true });
  const [atlas, juno] = [mesh.at(0), mesh.at(1)];
  await mesh.clock.advance(60_000);
  const request = (why: string): Promise<unknown> =>
    atlas.requests.request(
      juno.id,
      LEASE_TOPIC,
      { way: { kind: 'socket', sinkAddress: juno.address }, why },
      { timeoutMs: 5_000, signal: never },
    );
  for (let turn = 0; turn < 3; turn += 1) {
    await request('by-hand');
    await mesh.clock.advance(36_000);
  }
  const spent = { body: { kind: 'refused', reason: `the budget of eth0 on ${nameOf(juno)} is spent` } };
  // It was measured just now: a path that flaps is not new.
  expect(await request('first')).toMatchObject(spent);
  const connection = atlas.node.state.connections[atlas.id]?.[juno.id]?.[`socket ${juno.address}`]?.value;
  if (connection === undefined) throw new Error('there is no connection');
  const loss = { code: 'no-answer', reason: 'no answer', lostAgeMs: 0 } as const;
  const connectionKey = `socket ${juno.address}`;
  atlas.node.recorder.record({
    kind: 'connection.lost',
    payload: { sink: juno.id, connectionKey, connection, ...loss },
  });
  await mesh.clock.advance(300_000);
  expect(await request('due')).toMatchObject(spent);
  expect(await request('first')).toMatchObject({ body: { kind: 'granted' } });
});
