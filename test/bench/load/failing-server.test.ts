import { describe, expect, test } from 'vitest';
import { NO_FIGURE } from '../../../src/core/run/event-record.ts';
import { FAILURES } from '../../../src/mock/failures.ts';
import { type Mock, startMock } from '../../../src/mock/mock-server.ts';
import { loadPlan } from './load-plan.ts';
import { runHere } from './run-here.ts';

const placeOf = ({ host, port }: Mock) => ({ host, port });

describe.each(FAILURES.map(failure => ({ name: failure.name, failure })))(
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
        ...placeOf(mock),
        isStreaming,
        model: `mock-fail-${failure.name}`,
        timeouts,
        limits: { samplesMax: 2, durationNs: undefined },
      });
      const { samples } = await runHere(plan);
      expect(samples).toHaveLength(2);
      const expected = isStreaming ? failure.streaming : failure.plain;
      for (const sample of samples) {
        expect(`${sample.outcome} ${sample.failure?.kind} ${sample.failure?.detail}`).toMatch(
          expected.outcome === 'completed' ? /^completed/ : new RegExp(`^failed ${expected.kind} `),
        );
        if (expected.outcome !== 'failed') continue;
        if (expected.statusCode !== undefined) expect(sample.failure?.statusCode).toBe(expected.statusCode);
        if (expected.phase !== undefined) expect(sample.failure?.detail).toContain(`${expected.phase}:`);
        expect(sample.failure?.detail).not.toBe('');
      }
    });
  },
);

test('a plain reply has no first content, and its tokens', async () => {
  await using mock = await startMock({ ttftMs: 2, gapMs: 1, outputTokens: 5 });
  const { samples, records } = await runHere(loadPlan({ ...placeOf(mock), isStreaming: false }));
  expect(samples[0]).toMatchObject({
    outcome: 'completed',
    firstContentNs: NO_FIGURE,
    chunkCount: 0,
    outputTokens: 5,
    finishReason: 'stop',
  });
  expect(records.some(({ kind }) => kind === 'sample.recv_first')).toBe(false);
});
