import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { startDaemon } from '../../../src/daemon/daemon.ts';
import { readDaemonFile } from '../../../src/daemon/daemon-file.ts';
import type { Daemon } from '../../../src/daemon/daemon-options.ts';
import { madeUpFigures, madeUpRunEntry } from '../../support/run-entry.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import { bearer, type Json, sendRequest } from '../http/http-exchange.ts';

describe('the routes of runs', () => {
  let directory: TemporaryDirectory;
  let daemon: Daemon;
  let token = '';
  beforeAll(async () => {
    directory = temporaryDirectory();
    daemon = await startDaemon(optionsOf(join(directory.path, 'home')), new AbortController().signal);
    const found = await readDaemonFile(join(directory.path, 'home', 'daemon.json'));
    token = found.kind === 'found' ? found.file.token : '';
  });
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  });

  const send = (method: string, path: string, body: unknown, headers = bearer(token)) =>
    sendRequest({
      port: Number(new URL(daemon.url).port),
      path,
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const codeOf = async (answer: ReturnType<typeof send>): Promise<string> => {
    const { status, body } = await answer;
    return `${status} ${body === '' ? '' : JSON.parse(body).code}`.trim();
  };

  test('take a run, its figures and its end', async () => {
    expect(await codeOf(send('POST', '/api/runs', START))).toBe('204');
    expect(await codeOf(send('PUT', '/api/runs/r1/progress', PROGRESS))).toBe('204');
    expect(await codeOf(send('PUT', '/api/runs/r1/lease', { requestsInFlight: 3 }))).toBe('204');
    expect(await codeOf(send('POST', '/api/runs/r1/end', END))).toBe('204');
    const { body } = await send('GET', '/api/runs/r1', undefined);
    const reported: Json = JSON.parse(body);
    expect([reported.run.state, reported.run.run.figures, reported.report]).toEqual([
      'complete',
      JSON.parse(JSON.stringify(madeUpFigures())),
      null,
    ]);
    expect(JSON.parse((await send('GET', '/api/runs/r1/series', undefined)).body).notice).toContain(
      'cannot be read',
    );
  });

  test('keep the extra fields of a benchmark of a later version', async () => {
    const reported = { runId: 'r3', tide: { metres: 3 } };
    expect(await codeOf(send('POST', '/api/runs', { ...START, ...reported }))).toBe('204');
    expect(await codeOf(send('POST', '/api/runs/r3/end', { ...END, runId: 'r3', moon: 'full' }))).toBe('204');
    expect(daemon.state.runs[daemon.nodeId]?.['r3']?.value).toMatchObject({
      state: 'complete',
      tide: { metres: 3 },
      moon: 'full',
    });
  });

  test('request that a run in progress end, with the reply to its next report', async () => {
    const start = { ...START, runId: 'r2' };
    await send('POST', '/api/runs', start);
    expect(await codeOf(send('PUT', '/api/runs/r2/lease', { requestsInFlight: 3 }))).toBe('204');
    expect((await send('POST', '/api/runs/r2/stop', {})).status).toBe(202);
    expect(await codeOf(send('PUT', '/api/runs/r2/lease', { requestsInFlight: 3 }))).toBe('202');
    expect(await codeOf(send('POST', '/api/runs/r2/end', { ...END, runId: 'r2' }))).toBe('204');
    expect(await codeOf(send('POST', '/api/runs/r2/stop', {}))).toBe('409 run-not-live');
    expect(await codeOf(send('POST', '/api/runs/nobody/stop', {}))).toBe('404 no-such-run');
    expect((await send('POST', '/api/runs/r2/stop', {}, { authorization: 'none' })).status).toBe(401);
  });

  test.for([
    ['POST', '/api/runs'],
    ['PUT', '/api/runs/r1/progress'],
    ['PUT', '/api/runs/r1/lease'],
    ['POST', '/api/runs/r1/end'],
  ] as const)('%s %s needs the token, a body, and a sound one of bounded size', async ([method, path]) => {
    expect(await codeOf(send(method, path, START, {} as typeof NO_HEADERS))).toBe('401 token-needed');
    expect(await codeOf(send(method, path, START, bearer('x'.repeat(43))))).toBe('401 token-needed');
    for (const body of ['null', '[]', '"text"', '{}', '{"runId":"../../etc"}', '{"runId":7}'])
      expect(await codeOf(send(method, path, body))).toBe('400 bad-body');
    expect(await codeOf(send(method, path, '{"runId":'))).toBe('400 bad-request');
    expect(await codeOf(send(method, path, JSON.stringify({ x: 'y'.repeat(70_000) })))).toBe(
      '413 body-too-large',
    );
  });

  test.for([
    ['a run id that is a path', { runId: '../r1' }],
    ['an endless target', { target: `http://${'a'.repeat(5_000)}` }],
    ['a pattern of another version', { pattern: { kind: 'sweep' } }],
    ['a start that is no time', { startedAt: 'yesterday' }],
    ['a limit that is no number', { limits: { samplesMax: 'many', durationMs: 1 } }],
  ] as const)('refuse %s', async ([, wrong]) => {
    expect(await codeOf(send('POST', '/api/runs', { ...START, ...wrong }))).toBe('400 bad-body');
  });

  test('refuse figures that no run can have', async () => {
    await send('POST', '/api/runs', START);
    for (const figures of [
      { ...PROGRESS.figures, requestsPerSecond: 'fast' },
      { ...PROGRESS.figures, counts: { ...PROGRESS.figures.counts, completed: -1 } },
      { ...PROGRESS.figures, histogram: Array.from({ length: 65 }, () => [1, 2, 3]) },
      { ...PROGRESS.figures, series: { '../x': { count: 1, percentiles: {} } } },
      { ...PROGRESS.figures, series: { ttftNs: { count: 1, percentiles: { p50: 1 } } } },
    ])
      expect(await codeOf(send('PUT', '/api/runs/r1/progress', { ...PROGRESS, figures }))).toBe(
        '400 bad-body',
      );
  });

  test.for(['nobody', '__proto__', 'constructor', '%2e%2e', 'a'.repeat(65)])(
    'no run is called %s',
    async id => {
      expect(await codeOf(send('GET', `/api/runs/${id}`, undefined))).toBe('404 no-such-run');
      expect(await codeOf(send('GET', `/api/runs/${id}/series`, undefined))).toBe('404 no-such-run');
      expect(await codeOf(send('PUT', `/api/runs/${id}/lease`, { requestsInFlight: 1 }))).toBe(
        '404 no-such-run',
      );
    },
  );

  test('a run may have any id that is one, also a name of a property of JavaScript objects', async () => {
    expect(await codeOf(send('POST', '/api/runs', { ...START, runId: '__proto__' }))).toBe('204');
    const { body } = await send('GET', '/api/runs/__proto__', undefined);
    expect(JSON.parse(body).run.run.runId).toBe('__proto__');
    expect(await codeOf(send('POST', '/api/runs/__proto__/end', { ...END, runId: '__proto__' }))).toBe('204');
  });
});

const NO_HEADERS = bearer('');
const {
  targetNode: _node,
  state: _state,
  reason: _reason,
  figures: _figures,
  ...BEGUN
} = madeUpRunEntry('r1');
const START = { ...BEGUN, directory: '/nowhere' };
const PROGRESS = {
  runId: 'r1',
  phase: 'measuring',
  elapsedMs: 5_000,
  measuredMs: 5_000,
  figures: madeUpFigures(),
  recent: { requestsPerSecond: 8, outputTokensPerSecond: 900 },
  contentArrived: { chunks: 12, tokensPerChunk: 1 },
  agents: unknown('one machine makes the load'),
  updatesDropped: 0,
};
const END = {
  runId: 'r1',
  state: 'complete',
  reason: '',
  model: 'made-up',
  directory: '/nowhere',
  figures: madeUpFigures(),
};

const optionsOf = (home: string) => ({
  home,
  env: {},
  http: { host: '127.0.0.1', port: 0 },
  name: 'tested',
  clock: systemClock,
  platform: 'none',
  root: '/',
  version: '0.0.0-test',
  dashboardDir: undefined,
  pid: process.pid,
  resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
  onNotice: () => undefined,
});
