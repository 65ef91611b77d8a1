// What a receiver of OTLP reads, by the rules of protobuf's JSON: no field that the message does not have, 64-bit integers as text,
// ids of OTLP in hexadecimal. And one that listens on loopback.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import * as v from 'valibot';

/** A receiver with given replies, which records what it was sent. */
export const otlpReceiver = async (answer: () => { readonly status: number; readonly body?: string }) => {
  const requested: {
    readonly url: string | undefined;
    readonly type: string | undefined;
    readonly encoding: string | undefined;
    readonly body: string;
  }[] = [];
  const server = createServer((request, reply) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => {
      const { 'content-type': type, 'content-encoding': encoding } = request.headers;
      const body = Buffer.concat(parts);
      const text = (encoding === 'gzip' ? gunzipSync(body) : body).toString('utf8');
      requested.push({ url: request.url, type, encoding, body: text });
      const { status, body: reported = '' } = answer();
      reply.writeHead(status, { 'content-type': 'application/json' }).end(reported);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requested,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const INT64 = v.pipe(v.string(), v.regex(/^\d{1,19}$/));
const hex = (digits: number) => v.pipe(v.string(), v.regex(new RegExp(`^[0-9a-f]{${digits}}$`)));
export const OTLP_ATTRIBUTES = v.array(
  v.strictObject({
    key: v.pipe(v.string(), v.minLength(1)),
    value: v.union([
      v.strictObject({ stringValue: v.string() }),
      v.strictObject({ boolValue: v.boolean() }),
      v.strictObject({ intValue: v.pipe(v.string(), v.regex(/^-?\d{1,19}$/)) }),
      v.strictObject({ doubleValue: v.pipe(v.number(), v.finite()) }),
    ]),
  }),
);
const RESOURCE = v.strictObject({ attributes: OTLP_ATTRIBUTES });
const SCOPE = v.strictObject({ name: v.string(), version: v.string() });
const POINT = v.pipe(
  v.strictObject({
    attributes: OTLP_ATTRIBUTES,
    startTimeUnixNano: INT64,
    timeUnixNano: INT64,
    count: INT64,
    sum: v.number(),
    min: v.number(),
    max: v.number(),
    bucketCounts: v.array(INT64),
    explicitBounds: v.array(v.number()),
  }),
  v.check(
    ({ bucketCounts, explicitBounds }) => bucketCounts.length === explicitBounds.length + 1,
    'one bucket more than bounds',
  ),
  v.check(
    ({ bucketCounts, count }) => bucketCounts.reduce((sum, each) => sum + Number(each), 0) === Number(count),
    'buckets add up',
  ),
);
const NUMBER_POINT = v.strictObject({
  attributes: OTLP_ATTRIBUTES,
  timeUnixNano: INT64,
  asDouble: v.pipe(v.number(), v.finite()),
});
export const OTLP_METRICS = v.strictObject({
  resourceMetrics: v.array(
    v.strictObject({
      resource: RESOURCE,
      scopeMetrics: v.array(
        v.strictObject({
          scope: SCOPE,
          metrics: v.array(
            v.strictObject({
              name: v.string(),
              unit: v.string(),
              description: v.string(),
              histogram: v.exactOptional(
                v.strictObject({ aggregationTemporality: v.literal(2), dataPoints: v.array(POINT) }),
              ),
              gauge: v.exactOptional(v.strictObject({ dataPoints: v.array(NUMBER_POINT) })),
              sum: v.exactOptional(
                v.strictObject({
                  aggregationTemporality: v.literal(2),
                  isMonotonic: v.boolean(),
                  dataPoints: v.array(NUMBER_POINT),
                }),
              ),
            }),
          ),
        }),
      ),
    }),
  ),
});
export const OTLP_TRACES = v.strictObject({
  resourceSpans: v.array(
    v.strictObject({
      resource: RESOURCE,
      scopeSpans: v.array(
        v.strictObject({
          scope: SCOPE,
          spans: v.array(
            v.strictObject({
              traceId: hex(32),
              spanId: hex(16),
              parentSpanId: v.exactOptional(hex(16)),
              name: v.pipe(v.string(), v.minLength(1)),
              kind: v.picklist([1, 3]),
              startTimeUnixNano: INT64,
              endTimeUnixNano: INT64,
              attributes: OTLP_ATTRIBUTES,
              status: v.strictObject({
                code: v.exactOptional(v.literal(2)),
                message: v.exactOptional(v.string()),
              }),
            }),
          ),
        }),
      ),
    }),
  ),
});
