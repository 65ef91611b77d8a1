// A run as OTLP, and its sending to a receiver that reads it by the rules of protobuf's JSON.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import { NO_FIGURE } from '../../../src/core/run/event-record.ts';
import type { ModelMix } from '../../../src/core/run/model-mix.ts';
import type { ReportRun } from '../../../src/core/run/report.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { DELIVERY_TRIES_MAX } from '../../../src/report/deliver.ts';
import { OTLP_MESSAGES_MAX, sendOtlp } from '../../../src/report/otlp/otlp-sender.ts';
import { runTelemetry, TRACED_SAMPLES_MAX } from '../../../src/report/otlp/run-telemetry.ts';
import { encodeSampleLine } from '../../../src/wire/sample-line.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { otlpClock } from '../../support/otlp-clock.ts';
import {
  type OTLP_ATTRIBUTES,
  OTLP_METRICS,
  OTLP_TRACES,
  otlpReceiver,
} from '../../support/otlp-receiver.ts';
import { sampleOf } from '../../support/sample-of.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const MS = 1e6;
const STARTED = '2026-01-31T10:00:00.000Z';
const ZERO_NS = BigInt(Date.parse(STARTED)) * 1_000_000n;

test('a run is exported by the conventions: each figure counted in its bucket, failures apart, times where they were', async () => {
  const messages = await telemetryOf([
    sampleOf({
      sampleId: 1,
      intendedNs: 0,
      sentNs: 10 * MS,
      firstByteNs: 15 * MS,
      firstContentNs: 20 * MS, // 10 ms: equal to the first bound, and beneath it
      chunkGapsNs: [5 * MS, 30 * MS],
      chunkCount: 3,
      endNs: 60 * MS,
      inputTokens: 16,
      outputTokens: 3,
    }),
    sampleOf({
      sampleId: 2,
      sentNs: 0,
      endNs: 200_000 * MS, // past the last bound
      outcome: 'failed',
      failure: { kind: 'http-status', statusCode: 503, detail: 'secret words of the server' },
      inputTokens: NO_FIGURE,
      outputTokens: NO_FIGURE,
    }),
    sampleOf({ sampleId: 3, outcome: 'cancelled' }),
    sampleOf({ sampleId: 4, window: -1 }),
  ]);
  expect(messages.map(({ path }) => path)).toEqual(['/v1/metrics', '/v1/traces']);
  const { resourceMetrics } = v.parse(OTLP_METRICS, JSON.parse(messages[0]?.body ?? ''));
  const metrics = resourceMetrics[0]?.scopeMetrics[0]?.metrics ?? [];
  const point = (name: string, key: string, value: string | undefined) =>
    metrics
      .find(each => each.name === name)
      ?.histogram?.dataPoints.find(each => textOf(each.attributes, key) === value);
  const duration = point('gen_ai.client.operation.duration', 'error.type', undefined);
  expect(duration).toMatchObject({
    count: '1',
    sum: 0.05,
    startTimeUnixNano: String(ZERO_NS),
    timeUnixNano: String(ZERO_NS + 200_000_000_000n),
    explicitBounds: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  });
  expect(duration?.bucketCounts.indexOf('1')).toBe(3);
  const failed = point('gen_ai.client.operation.duration', 'error.type', '503');
  expect(failed?.bucketCounts.at(-1)).toBe('1');
  const first = point('gen_ai.client.operation.time_to_first_chunk', 'error.type', undefined);
  expect(first?.bucketCounts[0], 'equal to a bound lies beneath it').toBe('1');
  expect(point('plimsoll.client.time_to_first_chunk_from_intended', 'error.type', undefined)?.sum).toBe(0.02);
  expect(point('gen_ai.client.operation.time_per_output_chunk', 'error.type', undefined)?.count).toBe('2');
  expect(point('gen_ai.client.token.usage', 'gen_ai.token.type', 'input')?.bucketCounts[2]).toBe('1');
  expect(messages.map(({ body }) => body).join('')).not.toContain('secret words');

  const spans = spansOf(messages);
  const root = spans.find(({ kind, status }) => kind === 3 && status.code === undefined);
  expect(root?.startTimeUnixNano).toBe(String(ZERO_NS + 10_000_000n));
  const phases = spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId);
  expect(phases.map(({ name }) => name)).toEqual([
    'wait for the first byte',
    'wait for the first chunk',
    'receive chunks',
    'end',
  ]);
  expect(phases.at(-1)?.endTimeUnixNano).toBe(root?.endTimeUnixNano);
  expect(phases.every(({ traceId }) => traceId === root?.traceId)).toBe(true);
  expect(spans.find(({ status }) => status.code === 2)?.status.message).toBe('http-status');
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
});

test('a request of a run of several models is exported with its model', async () => {
  const reported = { model: 'base=0.7,adapter=0.3', models: MIX };
  const requesting = (sampleId: number, variant: number): EndedSample =>
    sampleOf({
      sampleId,
      note: { isCancelledAsPlanned: false, isCutAfterGrace: false, variant, check: 'none' },
    });
  const messages = await telemetryOf([requesting(1, 0), requesting(2, 1), requesting(3, 1)], reported);
  const { resourceMetrics } = v.parse(OTLP_METRICS, JSON.parse(messages[0]?.body ?? ''));
  const duration = resourceMetrics[0]?.scopeMetrics[0]?.metrics.find(
    ({ name }) => name === 'gen_ai.client.operation.duration',
  );
  const counts = duration?.histogram?.dataPoints.map(({ attributes, count }) => [
    textOf(attributes, 'gen_ai.request.model'),
    count,
  ]);
  expect(counts).toEqual([
    ['base', '1'],
    ['adapter', '2'],
  ]);
  const roots = spansOf(messages).filter(({ kind }) => kind === 3);
  expect(roots.map(({ name }) => name).toSorted()).toEqual(['chat adapter', 'chat adapter', 'chat base']);
});

test.each([
  ['unix:/run/server.sock:/v1', '/run/server.sock', undefined],
  ['http://[::1]:8000/v1', '::1', '8000'],
  ['https://models.example', 'models.example', '443'],
])('the server of %s is identified by its address', async (target, address, port) => {
  const messages = await telemetryOf([sampleOf({ sampleId: 1 })], { target });
  const root = spansOf(messages).find(({ kind }) => kind === 3);
  expect(textOf(root?.attributes ?? [], 'server.address')).toBe(address);
  const reported = root?.attributes.find(({ key }) => key === 'server.port')?.value;
  expect(reported).toEqual(port === undefined ? undefined : { intValue: port });
});

test('of many requests as many are traced as may be, the same ones each time', async () => {
  const samples = Array.from({ length: 1_000 }, (_, sampleId) => sampleOf({ sampleId }));
  const [one, other] = [await telemetryOf(samples), await telemetryOf(samples.toReversed())];
  const traces = (messages: typeof one): readonly string[] => [
    ...new Set(spansOf(messages).map(({ traceId }) => traceId)),
  ];
  expect(traces(one)).toHaveLength(TRACED_SAMPLES_MAX);
  expect(traces(other).toSorted()).toEqual(traces(one).toSorted());
});

test('a receiver that is busy is asked again, one that refuses is not, and what was dropped is counted', async () => {
  const statuses = [503, 429, 200, 400];
  await using receiver = await otlpReceiver(() => ({ status: statuses.shift() ?? 200 }));
  const messages = Array.from({ length: 3 }, () => ({ path: '/v1/metrics' as const, body: '{}' }));
  const outcome = await sendOtlp(`${receiver.url}/under/`, messages, {
    clock: otlpClock(),
    signal: new AbortController().signal,
  });
  expect(outcome).toMatchObject({ sent: 1, dropped: 2, problem: expect.stringContaining('status 400') });
  expect(receiver.requested.map(({ url }) => url)).toEqual(
    Array.from({ length: 4 }, () => '/under/v1/metrics'),
  );
  expect(receiver.requested[0]?.type).toBe('application/json');
});

test('a receiver that is always busy costs a bound of tries and time, and too many messages are not sent', async () => {
  await using receiver = await otlpReceiver(() => ({ status: 503 }));
  const waited: number[] = [];
  const sleeping = otlpClock(ms => void waited.push(ms));
  const one = [{ path: '/v1/traces' as const, body: '{}' }];
  const { signal } = new AbortController();
  expect(await sendOtlp(receiver.url, one, { clock: sleeping, signal })).toMatchObject({
    sent: 0,
    dropped: 1,
  });
  expect(receiver.requested).toHaveLength(DELIVERY_TRIES_MAX);
  expect(waited).toEqual([500, 1_000, 2_000]);
  await using quick = await otlpReceiver(() => ({ status: 200 }));
  const many = Array.from({ length: OTLP_MESSAGES_MAX + 1 }, () => ({
    path: '/v1/traces' as const,
    body: '{}',
  }));
  expect(await sendOtlp(quick.url, many, { clock: sleeping, signal })).toMatchObject({ dropped: 1 });
  expect(quick.requested).toHaveLength(OTLP_MESSAGES_MAX);
});

test('what a receiver took and did not keep is counted, and a receiver that unpacks gets it packed', async () => {
  const answers = [
    {
      status: 200,
      body: '{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"out of\\u0007 order"}}',
    },
    { status: 200, body: '{"partialSuccess":{}}' },
    { status: 200, body: 'no JSON' },
  ];
  await using receiver = await otlpReceiver(() => answers.shift() ?? { status: 200 });
  const messages = Array.from({ length: 3 }, () => ({ path: '/v1/metrics' as const, body: '{"a":1}' }));
  const { signal } = new AbortController();
  const outcome = await sendOtlp(receiver.url, messages, { clock: systemClock, signal, compression: 'gzip' });
  expect(outcome).toEqual({
    sent: 3,
    dropped: 0,
    rejected: 3,
    problem: `${receiver.url}/v1/metrics: 3 of its points were rejected: out of order`,
  });
  expect(receiver.requested.map(({ encoding, body }) => [encoding, body])).toEqual(
    messages.map(({ body }) => ['gzip', body]),
  );
});

test('a message that was taken is not sent once more for a byte too many behind the answer', async () => {
  let connections = 0;
  const server = createServer(socket => {
    connections += 1;
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = v.parse(v.object({ port: v.number() }), server.address());
    const { signal } = new AbortController();
    const one = [{ path: '/v1/metrics' as const, body: '{}' }];
    const outcome = await sendOtlp(`http://127.0.0.1:${port}`, one, { clock: otlpClock(), signal });
    expect(outcome).toEqual({ sent: 1, dropped: 0, rejected: 0, problem: undefined });
    expect(connections).toBe(1);
  } finally {
    server.close();
  }
});

const MIX: ModelMix = [
  { model: 'base', weight: 0.7 },
  { model: 'adapter', weight: 0.3 },
];

const telemetryOf = async (samples: readonly EndedSample[], other: Partial<ReportRun> = {}) => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'samples.jsonl');
  const { run } = new MadeUpRun({ directory: folder.path }).report();
  writeFileSync(path, samples.map(encodeSampleLine).join(''));
  const reported = {
    ...run,
    startedAt: STARTED,
    name: unknown('it has none'),
    target: 'http://10.0.0.7:8000/v1',
    streaming: true,
    ...other,
  };
  return await runTelemetry(reported, path, { version: '1.2.3', isInterrupted: false });
};

const spansOf = (messages: Awaited<ReturnType<typeof telemetryOf>>) =>
  messages
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(
      ({ body }) => v.parse(OTLP_TRACES, JSON.parse(body)).resourceSpans[0]?.scopeSpans[0]?.spans ?? [],
    );

const textOf = (attributes: v.InferOutput<typeof OTLP_ATTRIBUTES>, key: string): string | undefined => {
  const value = attributes.find(attribute => attribute.key === key)?.value;
  return value !== undefined && 'stringValue' in value ? value.stringValue : undefined;
};
