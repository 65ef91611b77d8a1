// Every reply of a live daemon conforms to its schema, and to the document.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ApiRoute } from '../../../src/daemon/http/route.ts';
import {
  batchMessageSchema,
  droppedMessageSchema,
  heartbeatMessageSchema,
  snapshotMessageSchema,
} from '../../../src/wire/api/state-answers.ts';
import { comparisonToJson } from '../../../src/wire/stored-json.ts';
import { madeFacts } from '../../model/made-headers.ts';
import { announceTo } from '../../support/announced.ts';
import { ApiChecks } from '../../support/api-checks.ts';
import { isLongRun } from '../../support/counts.ts';
import { type LiveDaemon, liveDaemon, liveDemo } from '../../support/live-daemons.ts';
import { announceComparisonTo, madeUpComparison } from '../../support/made-up-comparison.ts';
import { announceSweepTo, madeUpLine, writeLine } from '../../support/made-up-line.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { SELF, serveCluster } from './served-cluster.ts';
import { openStream } from './stream-reader.ts';

interface Question {
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** As the document has it. */
  readonly path: string;
  /** For `{nodeId}` and its like. */
  readonly with?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly status: number;
}

/** The table of routes is the same in every daemon. */
const routesOf = async (): Promise<ReadonlySet<ApiRoute>> => {
  await using served = await serveCluster();
  return served.server.served;
};

/** Compiling the schemas costs more than all answers, and every daemon has the same. */
const checksOf = async (text: string): Promise<ApiChecks> => {
  if (known?.text === text) return known.checks;
  const document: unknown = JSON.parse(text);
  if (typeof document !== 'object' || document === null) throw new TypeError('no document');
  known = { text, checks: new ApiChecks(await routesOf(), document) };
  return known.checks;
};
let known: { readonly text: string; readonly checks: ApiChecks } | undefined;

const clientOf = async ({ daemon: { url }, token }: LiveDaemon) => {
  const checks = await checksOf(await (await fetch(`${url}/openapi.json`)).text());
  const requested = new Set<string>();
  const request = async (question: Question): Promise<readonly string[]> => {
    const { method = 'GET', path, query = '', status } = question;
    requested.add(`${method} ${path}`);
    const answer = await fetch(`${url}${path.replace(/\{\w+\}/g, question.with ?? '')}${query}`, {
      method,
      headers: {
        ...(method === 'GET' ? {} : { authorization: `Bearer ${token}` }),
        ...(question.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(question.body === undefined ? {} : { body: JSON.stringify(question.body) }),
    });
    const text = await answer.text();
    const contentType = answer.headers.get('content-type') ?? '';
    const body: unknown = text === '' ? undefined : contentType.includes('json') ? JSON.parse(text) : text;
    const faults = checks.faults({ method, path, status: answer.status, contentType, body });
    return answer.status === status ? faults : [...faults, `${method} ${path} answers ${answer.status}`];
  };
  return { checks, requested, request };
};

const faultsOf = async (
  { request }: { request: (question: Question) => Promise<readonly string[]> },
  questions: readonly Question[],
): Promise<readonly string[]> => {
  const faults: string[] = [];
  for (const question of questions) faults.push(...(await request(question)));
  return faults;
};

const plain: readonly Question[] = [
  '/api/state',
  '/api/history',
  '/api/nodes',
  '/api/links',
  '/api/mesh',
  '/api/mesh/hash',
  '/api/runs',
  '/api/daemon',
  '/metrics',
  '/healthz',
  '/readyz',
  '/openapi.json',
].map(path => ({ path, status: 200 }));

test('a reply that does not conform is found, by both checks', async () => {
  await using served = await serveCluster();
  const document: unknown = await (await fetch(`http://127.0.0.1:${served.port}/openapi.json`)).json();
  if (typeof document !== 'object' || document === null) throw new TypeError('no document');
  const checks = new ApiChecks(served.server.served, document);
  const links = { method: 'GET', path: '/api/links', status: 200, contentType: 'application/json' } as const;
  expect(checks.faults({ ...links, body: { links: [] } })).toEqual([]);
  expect(checks.faults({ ...links, body: { links: [{ source: SELF }] } })).toEqual([
    expect.stringContaining('valibot, links.0.sink'),
    expect.stringContaining('valibot, links.0.connectionKey'),
    expect.stringContaining('valibot, links.0.path'),
    expect.stringContaining('valibot, links.0.connection'),
    expect.stringContaining('valibot, links.0.profile'),
    // The first five of each.
    ...['sink', 'connectionKey', 'path', 'connection', 'profile'].map(name =>
      expect.stringContaining(`ajv, /links/0: must have required property '${name}'`),
    ),
  ]);
  expect(checks.faults({ ...links, status: 201, body: {} })).toHaveLength(1);
  expect(checks.faults({ ...links, status: 404, body: { error: { code: 'x' } } })).not.toEqual([]);
});

describe('a simulated cluster', () => {
  test('replies by its schemas', async () => {
    await using live = await liveDemo();
    const { daemon } = live;
    await expect.poll(() => Object.keys(daemon.state.nodeIdentities).length, { timeout: 30_000 }).toBe(8);
    await expect
      .poll(() => Object.keys(daemon.state.linkProfiles).length, { timeout: 30_000 })
      .toBeGreaterThan(1);
    const run = new MadeUpRun({ directory: join(live.home, 'runs', 'run-1'), failureShare: 0.05 });
    await using announcement = announceTo(live.home, run);
    run.samples(200, { fromMs: 0, untilMs: 4_000 });
    announcement.progress(run.snapshot(), run.client());
    const shown = () => daemon.state.runProgress[daemon.nodeId]?.['run-1'];
    await expect.poll(shown, { timeout: 30_000 }).toBeDefined();
    const directory = join(live.home, 'runs', 'line-1');
    await using searching = announceSweepTo(live.home, madeUpLine(200), { directory });
    const searched = () => daemon.state.sweepProgress[daemon.nodeId]?.['line-1'];
    await expect.poll(searched, { timeout: 30_000 }).toBeDefined();
    const compared = madeUpComparison([]);
    const comparedAt = join(live.home, 'elsewhere');
    mkdirSync(comparedAt);
    await using comparing = announceComparisonTo(live.home, compared, { directory: comparedAt });
    const reported = () => daemon.state.comparisonProgress[daemon.nodeId]?.[compared.id];
    await expect.poll(reported, { timeout: 30_000 }).toBeDefined();

    const client = await clientOf(live);
    const [device] = Object.keys(daemon.state.nodeGpuProfiles[daemon.nodeId] ?? {});
    const [link] = Object.entries(daemon.state.linkProfiles[daemon.nodeId] ?? {}).flatMap(
      ([sink, profiles]) => Object.keys(profiles).map(key => `${sink} ${key}`),
    );
    const others = Object.keys(daemon.state.nodeIdentities).filter(node => node !== daemon.nodeId);
    const history = (slot: string, key = ''): Question => ({
      path: '/api/history',
      query: `?slot=${slot}&key=${encodeURIComponent(key)}&backMs=2592000000`,
      status: 200,
    });
    const runAt = { path: '/api/runs/{runId}', with: 'run-1' };
    const seriesAt = { path: '/api/runs/{runId}/series', with: 'run-1' };
    const stopAt = { method: 'POST', path: '/api/runs/{runId}/stop', with: 'run-1' } as const;
    const sweepAt = { path: '/api/sweeps/{sweepId}', with: 'line-1' };
    const sweepStopAt = { method: 'POST', path: '/api/sweeps/{sweepId}/stop', with: 'line-1' } as const;
    const comparisonAt = { path: '/api/comparisons/{comparisonId}', with: compared.id };
    const comparisonStopAt = {
      method: 'POST',
      path: '/api/comparisons/{comparisonId}/stop',
      with: compared.id,
    } as const;
    const documentAt = { path: '/api/documents/{documentId}', with: 'document-1' };
    const probesAt = { method: 'POST', path: '/api/probes' } as const;
    const loadsAt = { method: 'POST', path: '/api/loads' } as const;
    const forgetAt = { method: 'POST', path: '/api/nodes/{nodeId}/forget' } as const;
    expect(
      await faultsOf(client, [
        ...plain,
        { path: '/api/state/{path}', with: `nodeMemories/${daemon.nodeId}`, status: 200 },
        { path: '/api/state/{path}', with: 'nothing/here', status: 404 },
        { path: '/api/nodes/{nodeId}', with: 'self', status: 200 },
        ...others.map(node => ({ path: '/api/nodes/{nodeId}', with: node, status: 200 })),
        { path: '/api/nodes/{nodeId}', with: 'nobody', status: 404 },
        { path: '/api/history', query: `?node=${others[0]}`, status: 200 },
        ...['', '?by=site', '?by=kind', '?by=tag', '?by=tag:use'].flatMap(query => [
          { path: '/api/groups', query, status: 200 },
          { path: '/api/groups/links', query, status: 200 },
        ]),
        { path: '/api/groups', query: '?by=colour', status: 400 },
        { path: '/api/groups/members', query: '?by=rack', status: 200 },
        { path: '/api/groups/members', query: '?by=rack&group=none', status: 404 },
        { method: 'POST', path: '/api/agents', body: {}, status: 400 },
        { method: 'POST', path: '/api/mesh/join', body: { code: 'x' }, status: 503 },
        { method: 'POST', path: '/api/mesh/join-code', status: 503 },
        // Without a token.
        { path: '/api/mesh/join-code', query: '?id=x', status: 401 },
        { method: 'POST', path: '/api/mesh/leave', status: 503 },
        { method: 'POST', path: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'ping' }, status: 200 },
        { method: 'POST', path: '/mcp', body: { jsonrpc: '2.0', method: 'ready' }, status: 202 },
        {
          method: 'POST',
          path: '/api/headroom',
          body: { model: await madeFacts('llama3-8b'), question: {} },
          status: 200,
        },
        { method: 'POST', path: '/api/headroom', body: {}, status: 400 },
        { path: '/api/history', query: '?limit=x&slot=gpu', status: 400 },
        history('gpu', device),
        history('link', link),
        { ...runAt, status: 200 },
        { ...seriesAt, status: 200 },
        { ...runAt, with: 'none', status: 404 },
        { ...probesAt, body: { subject: 'all' }, status: 202 },
        { ...loadsAt, body: { ...LOAD, nodes: [{ node: daemon.nodeId, subjects: [CPU] }] }, status: 200 },
        { ...loadsAt, body: LOAD, status: 400 },
        { ...probesAt, body: { subject: { kind: 'gpu', nodeId: 'x' } }, status: 400 },
        { method: 'POST', path: '/api/access/one-time-code', status: 201 },
        { method: 'POST', path: '/api/access/code', body: { code: 'x' }, status: 403 },
        { ...forgetAt, with: daemon.nodeId, status: 409 },
        { ...forgetAt, with: 'self', status: 409 },
        { method: 'POST', path: '/api/links/{nodeId}/{peerId}/forget', with: 'self', status: 404 },
        { ...stopAt, status: 202 },
        {
          method: 'PUT',
          path: '/api/runs/{runId}/lease',
          with: 'run-1',
          body: { requestsInFlight: 1 },
          status: 202,
        },
        { method: 'PUT', path: '/api/runs/{runId}/lease', with: 'run-1', body: {}, status: 400 },
        { method: 'PUT', path: '/api/runs/{runId}/progress', with: 'run-1', body: {}, status: 400 },
        { method: 'POST', path: '/api/runs', body: {}, status: 400 },
        { path: '/api/sweeps', status: 200 },
        { ...sweepAt, status: 200 },
        { ...sweepAt, with: 'none', status: 404 },
        { ...sweepStopAt, status: 202 },
        { method: 'PUT', path: '/api/sweeps/{sweepId}/progress', with: 'line-1', body: {}, status: 400 },
        { method: 'POST', path: '/api/sweeps', body: {}, status: 400 },
        { path: '/api/jobs', status: 200 },
        { method: 'POST', path: '/api/jobs', body: {}, status: 400 },
        { path: '/api/jobs/{jobId}', with: 'none', status: 404 },
        { method: 'POST', path: '/api/jobs/{jobId}/stop', with: 'none', status: 404 },
        { method: 'POST', path: '/api/documents', body: DOCUMENT, status: 204 },
        { method: 'POST', path: '/api/documents', body: {}, status: 400 },
        { path: '/api/documents', status: 200 },
        // Announced, but its file does not exist yet.
        { ...documentAt, status: 200 },
        { ...documentAt, with: 'none', status: 404 },
        { ...documentAt, method: 'POST', path: '/api/documents/{documentId}/stop', status: 202 },
        {
          ...documentAt,
          method: 'PUT',
          path: '/api/documents/{documentId}/progress',
          body: {},
          status: 400,
        },
        { ...documentAt, method: 'POST', path: '/api/documents/{documentId}/end', body: {}, status: 400 },
        // Announced, but its document does not exist yet.
        { ...comparisonAt, status: 200 },
        { ...comparisonStopAt, status: 202 },
        {
          method: 'PUT',
          path: '/api/comparisons/{comparisonId}/progress',
          with: compared.id,
          body: {},
          status: 400,
        },
        { method: 'POST', path: '/api/comparisons', body: {}, status: 400 },
      ]),
    ).toEqual([]);
    await announcement.end(run.report());
    writeLine(directory, madeUpLine());
    await searching.end(madeUpLine());
    writeFileSync(join(comparedAt, 'comparison.json'), comparisonToJson(compared));
    await comparing.end(compared);
    expect(
      await faultsOf(client, [
        { ...runAt, status: 200 },
        { ...seriesAt, status: 200 },
        { ...stopAt, status: 409 },
        { ...sweepAt, status: 200 },
        { ...sweepStopAt, status: 409 },
        { method: 'POST', path: '/api/sweeps/{sweepId}/end', with: 'line-1', body: {}, status: 400 },
        { method: 'POST', path: '/api/runs/{runId}/end', with: 'run-1', body: {}, status: 400 },
        { path: '/api/comparisons', status: 200 },
        { path: '/api/comparisons/{comparisonId}', with: 'none', status: 404 },
        { ...comparisonAt, status: 200 },
        { ...comparisonStopAt, status: 409 },
        {
          method: 'POST',
          path: '/api/comparisons/{comparisonId}/end',
          with: compared.id,
          body: {},
          status: 400,
        },
        { path: '/api/compare', status: 400 },
        { path: '/api/compare', query: '?a=none&b=none', status: 404 },
      ]),
    ).toEqual([]);
    const every = [...(await routesOf())].map(({ method, path }) => `${method} ${path}`);
    expect(every.filter(route => !client.requested.has(route))).toEqual(['GET /api/stream']);
  });
});

const LOAD = { together: 'acceptance-1', durationMs: 1_000 };
const CPU = { kind: 'gpu', deviceId: 'cpu' };

describe('a real machine', () => {
  test('replies by its schemas', async () => {
    await using live = await liveDaemon();
    const client = await clientOf(live);
    expect(
      await faultsOf(client, [
        ...plain,
        { path: '/api/nodes/{nodeId}', with: 'self', status: 200 },
        { path: '/api/history', query: '?slot=gpu&key=cpu', status: 200 },
        { method: 'POST', path: '/api/probes', body: { subject: 'all' }, status: 503 },
        {
          method: 'POST',
          path: '/api/loads',
          body: { ...LOAD, nodes: [{ node: live.daemon.nodeId, subjects: [CPU] }] },
          status: 503,
        },
      ]),
    ).toEqual([]);
  });
});

describe('the stream', () => {
  const read = async (live: LiveDaemon, batches: number) => {
    const { checks } = await clientOf(live);
    using stream = await openStream(Number(new URL(live.daemon.url).port));
    const snapshot = await stream.need('snapshot');
    const faults = [...checks.faultsOf(snapshotMessageSchema, COMPONENT('StreamSnapshot'), snapshot.data)];
    const kinds = new Set<string>();
    for (let count = 0; count < batches; count += 1) {
      const { data } = await stream.need('batch');
      faults.push(...checks.faultsOf(batchMessageSchema, COMPONENT('StreamBatch'), data));
      for (const { kind } of data.events) kinds.add(kind);
    }
    const { data } = await stream.need('heartbeat');
    faults.push(...checks.faultsOf(heartbeatMessageSchema, COMPONENT('StreamHeartbeat'), data));
    await live.daemon[Symbol.asyncDispose]();
    const dropped = await stream.need('dropped');
    faults.push(...checks.faultsOf(droppedMessageSchema, COMPONENT('StreamDropped'), dropped.data));
    return { faults, kinds };
  };

  test('of a simulated cluster conforms', async ({ skip }) => {
    if (!isLongRun) skip('a demo of its own: in the long run');
    await using live = await liveDemo();
    const { faults, kinds } = await read(live, 20);
    expect(faults).toEqual([]);
    expect([...kinds]).toContain('memory.gathered');
  });

  test('of a real machine conforms', async () => {
    await using live = await liveDaemon();
    expect((await read(live, 3)).faults).toEqual([]);
  });
});

const COMPONENT = (name: string): string => ['components', 'schemas', name].join('\0');

const DOCUMENT = {
  documentId: 'document-1',
  form: 'inventory',
  startedAt: '2026-11-27T12:00:00Z',
  name: { kind: 'unknown', reason: 'not given' },
  target: '',
  command: '',
  directory: '/nowhere',
  load: '2 nodes',
  result: '',
};
