// What a receiver of OTLP answers, whole and in pieces, on a pair of streams in place of TCP: for any reply,
// the message is counted as sent or dropped once, with one short line of why, and no wait is longer than the
// sender's own.

import { Agent } from 'node:http';
import { duplexPair } from 'node:stream';
import { DELIVERY_PAUSE_MS_MAX, DELIVERY_TRIES_MAX } from '../../../src/report/deliver.ts';
import { type OtlpSent, sendOtlp } from '../../../src/report/otlp/otlp-sender.ts';
import { otlpClock } from '../../support/otlp-clock.ts';
import { type FuzzTarget, holdEqual, textSeeds } from '../fuzz-target.ts';

/** The one message, to a receiver that answers each try with these pieces and then closes. */
const sentTo = async (pieces: readonly Uint8Array[]): Promise<OtlpSent> => {
  let tries = 0;
  const connect: unknown = Reflect.get(Agent.prototype, 'createConnection');
  Reflect.set(Agent.prototype, 'createConnection', () => {
    tries += 1;
    const [near, far] = duplexPair();
    far
      .on('error', () => undefined)
      .once('data', () => {
        for (const piece of pieces) far.write(piece);
        far.end();
      });
    return near;
  });
  try {
    const sent = await sendOtlp('http://127.0.0.1:4318', [{ path: '/v1/metrics', body: '{}' }], {
      clock: otlpClock(holdWait),
      signal: new AbortController().signal,
    });
    if (tries > DELIVERY_TRIES_MAX) throw new Error(`it tries ${tries} times`);
    return sent;
  } finally {
    Reflect.set(Agent.prototype, 'createConnection', connect);
  }
};

const holdWait = (waitMs: number): void => {
  if (!(waitMs >= 0 && waitMs <= DELIVERY_PAUSE_MS_MAX)) throw new Error(`it waits for ${waitMs} ms`);
};

const reply = (status: string, body: string, head = ''): string =>
  `\u0005HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

export const target: FuzzTarget = {
  name: 'otlp-replies',
  covers: ['src/report/deliver.ts', 'src/report/otlp/otlp-sender.ts'],
  seeds: () =>
    textSeeds(
      reply('200 OK', '{}'),
      reply('200 OK', '{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"out of order"}}'),
      reply('200 OK', '{"partialSuccess":{"rejectedSpans":4}}'),
      reply('503 Service Unavailable', '', 'retry-after: 2\r\n'),
      reply('429 Too Many Requests', '{}', 'retry-after: Wed, 21 Oct 2026 07:28:00 GMT\r\n'),
      reply('400 Bad Request', '{"code":3,"message":"no"}'),
      '\u0005HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      '\u0005HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{}',
    ),
  run: async input => {
    const bytes = input.subarray(1);
    const size = Math.max(1 + (input[0] ?? 0), Math.ceil(bytes.length / PIECES_MOST));
    const count = Math.ceil(bytes.length / size);
    const pieces = Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
    const whole = await sentTo([bytes]);
    const { sent, dropped, rejected, problem } = whole;
    if (sent + dropped !== 1 || !Number.isSafeInteger(rejected) || rejected < 0)
      throw new Error(`it counts ${sent}, ${dropped} and ${rejected}`);
    if (dropped + rejected > 0 && problem === undefined) throw new Error('it does not say why');
    if (/[\r\n]/.test(problem ?? '') || (problem ?? '').length > PROBLEM_LENGTH_MOST)
      throw new Error(`it says ${JSON.stringify(problem)}`);
    holdEqual('a reply in pieces', await sentTo(pieces), whole);
  },
};

const PIECES_MOST = 256;
const PROBLEM_LENGTH_MOST = 400;
