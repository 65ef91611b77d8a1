// When the pages of a server are read, and how often.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { ServerWatch } from '../../../src/bench/run/server-watch.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { ServerReading } from '../../../src/core/run/server-reading.ts';
import { type EngineStub, type EngineStubOptions, startEngineStub } from '../../support/engine-stub.ts';
import { requestHere } from '../run-here.ts';

const NEVER = new AbortController().signal;

const watchOf = (engine: Pick<EngineStub, 'url'>) => {
  const readings: ServerReading[] = [];
  const watch = new ServerWatch({
    server: requestHere(engine.url).target.server,
    headers: [],
    path: '/metrics',
    slotsPath: undefined,
    clock: systemClock,
    nowNs: () => 0,
    counts: () => ({ issued: 0, warmup: 0, ended: 0 }),
    onReading: reading => readings.push(reading),
    missed: () => undefined,
  });
  return { watch, readings };
};

const requestsOf = async (
  options: EngineStubOptions,
  act: (watch: ServerWatch) => Promise<void>,
): Promise<readonly string[]> => {
  await using engine = await startEngineStub(options);
  await act(watchOf(engine).watch);
  return engine.requests;
};

test('an idle server is read twice before the load: its counters have settled', async () => {
  expect(await requestsOf({}, watch => watch.start(NEVER))).toEqual(['GET /metrics', 'GET /metrics']);
});

test('a page that never answers keeps no run waiting for a second answer', async () => {
  expect(await requestsOf({ hanging: ['/metrics'] }, watch => watch.start(NEVER))).toEqual(['GET /metrics']);
});

test('a server without a page of metrics is not asked again', async () => {
  const requests = await requestsOf({ missing: ['/metrics'] }, async watch => {
    await watch.start(NEVER);
    await watch.watch(NEVER);
    await watch.end(false, NEVER);
  });
  expect(requests).toEqual(['GET /metrics']);
});

test('a run that is stopped takes one reading at its end', async () => {
  const requests = await requestsOf({}, async watch => {
    await watch.start(NEVER);
    await watch.end(true, NEVER);
  });
  expect(requests).toHaveLength(3);
});

test.each([
  { what: 'is missing', options: { missing: ['/metrics'] }, reason: 'GET /metrics returned status 404' },
  {
    what: 'never answers',
    options: { hanging: ['/metrics'] },
    reason: 'GET /metrics failed: no answer within 2000 ms',
  },
])('the reason why nothing is known of the server is that its page $what', async ({ options, reason }) => {
  await using engine = await startEngineStub(options);
  const { watch } = watchOf(engine);
  await watch.start(NEVER);
  expect(watch.nothing).toEqual({ kind: 'unknown', reason });
});

test('a page of more than 4 MiB is named as such, and a reading leaves no reason', async () => {
  let text = 'x_bucket{le="1"} 1\n'.repeat(300_000);
  await using server = createServer((_, response) => response.end(text)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { watch } = watchOf({ url: `http://127.0.0.1:${port}` });
  await watch.start(NEVER);
  expect(watch.nothing?.reason).toBe('GET /metrics failed: the answer is longer than 4 MiB');
  text = 'vllm:num_requests_running 0\n';
  await watch.start(NEVER);
  expect(watch.nothing).toBeUndefined();
});

test('each reading reports of which moment it is', async () => {
  await using engine = await startEngineStub();
  const { watch, readings } = watchOf(engine);
  await watch.start(NEVER);
  await watch.end(false, NEVER);
  expect(readings.map(({ moment }) => moment)).toEqual(['start', 'end']);
});
