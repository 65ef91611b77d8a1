import { expect, test } from 'vitest';
import type { LoadsRequest } from '../../../src/wire/api/load-answers.ts';
import type { ProbesAnswer, ProbeTarget } from '../../../src/wire/api/probe-answers.ts';
import { bearer, fetchJson } from './http-exchange.ts';
import { OTHER, SELF, serveCluster, TOKEN } from './served-cluster.ts';

const STARTED: ProbesAnswer = {
  probes: [{ node: SELF, subject: { kind: 'gpu', deviceId: 'cpu' }, result: 'started', reason: '' }],
  unreached: [],
};

const served = async (answer: ProbesAnswer) => {
  const targets: ProbeTarget[] = [];
  const loads: LoadsRequest[] = [];
  const server = await serveCluster({
    probes: {
      request: async target => {
        targets.push(target);
        return answer;
      },
      load: async request => {
        loads.push(request);
        return { nodes: [], unreached: [{ node: OTHER, reason: 'there is no link to it' }] };
      },
    },
  });
  const post = (body: unknown, headers: Record<string, string> = bearer(TOKEN), path = '/api/probes') =>
    fetchJson({
      port: server.port,
      path,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return { targets, loads, post, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

test('POST /api/probes passes on what is requested, and reports what became of it', async () => {
  await using server = await served(STARTED);
  expect(await server.post({ subject: 'all' })).toMatchObject({ status: 202, json: STARTED });
  const link = { kind: 'link', source: SELF, sink: OTHER } as const;
  await server.post({ subject: { ...link, connectionKey: 'socket 10.0.0.2' } });
  await server.post({ subject: { kind: 'gpu', nodeId: OTHER } });
  expect(server.targets).toEqual([
    'all',
    { ...link, connectionKey: 'socket 10.0.0.2' },
    { kind: 'gpu', nodeId: OTHER },
  ]);
});

test('POST /api/loads passes on what is to be busy together, and refuses more than seconds of it', async () => {
  await using server = await served(STARTED);
  const nodes = [{ node: OTHER, subjects: [{ kind: 'gpu', deviceId: 'gpu-1' }] }];
  const body = { together: 'acceptance-1', durationMs: 20_000, nodes };
  const post = (sent: unknown, headers?: Record<string, string>) => server.post(sent, headers, '/api/loads');
  expect(await post(body)).toMatchObject({
    status: 200,
    json: { nodes: [], unreached: [{ node: OTHER, reason: 'there is no link to it' }] },
  });
  expect(server.loads).toEqual([body]);
  expect(await post(body, {})).toMatchObject({ status: 401 });
  for (const wrong of [
    { ...body, durationMs: 60_000 },
    { ...body, nodes: [] },
    { ...body, together: '' },
  ])
    expect(await post(wrong)).toMatchObject({ status: 400, json: { code: 'bad-body' } });
  expect(server.loads).toHaveLength(1);
});

test('it needs the token on loopback too', async () => {
  await using server = await served(STARTED);
  expect(await server.post({ subject: 'all' }, {})).toMatchObject({ status: 401 });
  expect(server.targets).toEqual([]);
});

test('a body of another shape is refused before anything is asked', async () => {
  await using server = await served(STARTED);
  for (const body of [
    {},
    { subject: 'everything' },
    { subject: { kind: 'link', source: SELF } },
    { subject: { kind: 'gpu', nodeId: '../x' } },
    { subject: { kind: 'gpu', nodeId: SELF, deviceId: 'x'.repeat(2_000) } },
  ])
    expect(await server.post(body)).toMatchObject({ status: 400, json: { code: 'bad-body' } });
  expect(server.targets).toEqual([]);
});

test('what is not there is not found, and what could not be asked is reported', async () => {
  await using nothing = await served({ probes: [], unreached: [] });
  expect(await nothing.post({ subject: { kind: 'gpu', nodeId: SELF, deviceId: 'none' } })).toMatchObject({
    status: 404,
    json: { code: 'nothing-to-probe' },
  });
  const unreached = [{ node: OTHER, reason: 'there is no link to it' }];
  await using away = await served({ probes: [], unreached });
  expect(await away.post({ subject: { kind: 'gpu', nodeId: OTHER } })).toMatchObject({
    status: 202,
    json: { unreached },
  });
});

test('a daemon that measures nothing reports it', async () => {
  await using server = await serveCluster();
  const answer = await fetchJson({
    port: server.port,
    path: '/api/probes',
    method: 'POST',
    headers: { ...bearer(TOKEN), 'content-type': 'application/json' },
    body: '{"subject":"all"}',
  });
  expect(answer).toMatchObject({ status: 503, json: { code: 'no-probes' } });
});
