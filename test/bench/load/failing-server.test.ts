import { describe, expect, test } from 'vitest';
import { NO_FIGURE } from '../../../src/core/run/event-record.ts';
import { FAILURES } from '../../../src/mock/failures.ts';
import { type Mock, startMock } from '../../../src/mock/mock-server.ts';
import { isOfTheReply } from '../../contract/server-api-contract.ts';
import { expectFailure } from './expected-failure.ts';
import { loadPlan } from './load-plan.ts';
import { runHere } from './run-here.ts';
import { scriptedServer } from './scripted-server.ts';

const addressOf = ({ host, port }: Mock) => ({ host, port });

// What of a reply its own API shows is in the contract of every API.
const ofTheTransport = FAILURES.filter(failure => !isOfTheReply(failure));

describe.each(ofTheTransport.map(failure => ({ name: failure.name, failure })))(
  'a server that fails by $name',
  ({ failure }) => {
    test.each([true, false])('is accounted for (streaming: %s)', async isStreaming => {
      await using mock = await startMock({ ttftMs: 2, gapMs: 1, outputTokens: 10 });
      const timeouts = {
        connectMs: 2_000,
        firstByteMs: 300,
        idleMs: 300,
        totalMs: failure.name === 'endless' ? 600 : 3_000,
      };
      const plan = loadPlan({
        ...addressOf(mock),
        isStreaming,
        model: `mock-fail-${failure.name}`,
        timeouts,
        limits: { samplesMax: 2, durationNs: undefined },
      });
      const { samples } = await runHere(plan);
      expect(samples).toHaveLength(2);
      for (const sample of samples) expectFailure(sample, failure, isStreaming);
    });
  },
);

test('a reply that arrived while this thread was delayed is not late', async () => {
  await using server = await scriptedServer(({ socket }) => {
    const body = '{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}';
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  });
  const timeouts = { connectMs: 2_000, firstByteMs: 300, idleMs: 300, totalMs: 400 };
  const { samples } = await runHere(
    loadPlan({ ...server, isStreaming: false, timeouts, limits: { samplesMax: 1, durationNs: undefined } }),
  );
  expect(samples.map(({ outcome }) => outcome)).toEqual(['completed']);
});

test('a plain reply has no first content, and its tokens', async () => {
  await using mock = await startMock({ ttftMs: 2, gapMs: 1, outputTokens: 5 });
  const { samples, records } = await runHere(loadPlan({ ...addressOf(mock), isStreaming: false }));
  expect(samples[0]).toMatchObject({
    outcome: 'completed',
    firstContentNs: NO_FIGURE,
    chunkCount: 0,
    outputTokens: 5,
    finishReason: 'stop',
  });
  expect(records.some(({ kind }) => kind === 'sample.recv_first')).toBe(false);
});
