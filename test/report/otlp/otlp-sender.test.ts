// What a receiver that is down, slow or wrong costs the sender.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { sendOtlp } from '../../../src/report/otlp/otlp-sender.ts';
import type { OtlpMessage } from '../../../src/report/otlp/run-telemetry.ts';
import { freePort } from '../../support/free-port.ts';
import { otlpReceiver } from '../../support/otlp-receiver.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const METRICS: OtlpMessage = { path: '/v1/metrics', body: '{}' };
const TRACES: OtlpMessage = { path: '/v1/traces', body: '{}' };
const { signal } = new AbortController();

describe('a receiver that takes requests and never answers', () => {
  test('costs five seconds, and gets one message of all', async () => {
    const clock = new VirtualClock();
    const arrived = Promise.withResolvers<void>();
    let requests = 0;
    const server = createServer(() => {
      requests += 1;
      arrived.resolve();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const sending = sendOtlp(url, [METRICS, TRACES, TRACES], { clock, signal, budgetMs: 5_000 });
    await arrived.promise;
    await clock.advance(5_000);
    expect(await sending).toEqual({
      sent: 0,
      dropped: 3,
      rejected: 0,
      problem: `${url}/v1/metrics: no answer in time`,
    });
    expect([requests, clock.nowMs()]).toEqual([1, 5_000]);
    server.closeAllConnections();
    server.close();
  });
});

describe('a receiver that is not there', () => {
  test('is tried four times for the first message, and not for the others', async () => {
    const clock = new VirtualClock();
    const url = `http://127.0.0.1:${await freePort()}`;
    let isOver = false;
    const sending = sendOtlp(url, [METRICS, TRACES, TRACES], { clock, signal }).finally(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(100);
    const { sent, dropped, problem } = await sending;
    expect([sent, dropped]).toEqual([0, 3]);
    expect(problem).toContain('/v1/metrics');
  });
});

describe('a receiver that refuses one kind of message', () => {
  test('gets no second one of it, and all of the other kind', async () => {
    await using receiver = await otlpReceiver(() => ({
      status: receiver.requested.at(-1)?.url === '/v1/traces' ? 404 : 200,
    }));
    const messages = [METRICS, TRACES, TRACES, TRACES, METRICS];
    const outcome = await sendOtlp(receiver.url, messages, { clock: new VirtualClock(), signal });
    expect(outcome).toMatchObject({ sent: 2, dropped: 3, problem: `${receiver.url}/v1/traces: status 404` });
    expect(receiver.requested.map(({ url }) => url)).toEqual(['/v1/metrics', '/v1/traces', '/v1/metrics']);
  });
});
