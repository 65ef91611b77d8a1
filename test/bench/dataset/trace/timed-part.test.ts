import { expect, test } from 'vitest';
import { BenchError } from '../../../../src/bench/bench-error.ts';
import { ReplayTimes } from '../../../../src/bench/dataset/trace/replay-times.ts';
import { timedPart } from '../../../../src/bench/dataset/trace/timed-part.ts';
import type { TraceEntry } from '../../../../src/bench/dataset/trace/trace.ts';

const entry = (startMs: number, line: number): TraceEntry => ({
  line,
  key: undefined,
  startMs,
  requests: [
    {
      atMs: 0,
      tookMs: 0,
      after: [],
      delayMs: 0,
      inputTokens: 10,
      outputTokens: 1,
      blocks: [],
      blockTokens: 0,
      agent: 0,
    },
  ],
});

async function* given(timesMs: readonly number[]): AsyncGenerator<TraceEntry, void, void> {
  for (const [index, startMs] of timesMs.entries()) yield entry(startMs, index + 1);
}

const partOf = async (
  timesMs: readonly number[],
  part: { readonly fromMs?: number; readonly untilMs?: number } = {},
): Promise<readonly { readonly atMs: number; readonly line: number }[]> => {
  const taken = [];
  const { fromMs, untilMs } = part;
  for await (const { atMs, line } of timedPart(given(timesMs), {
    part: { fromMs, untilMs },
    shownPath: 'a.jsonl',
  }))
    taken.push({ atMs, line });
  return taken;
};

test('rows that stand out of order are replayed in the order of their times, and of equal times in that of the file', async () => {
  const part = await partOf([40, 10, 30, 10, 20]);
  expect(part.map(({ line }) => line)).toEqual([2, 4, 5, 3, 1]);
});

test('a part is counted from the earliest request, its first moment in it and its last not', async () => {
  const part = await partOf([1_030, 1_000, 1_010, 1_020], { fromMs: 10, untilMs: 30 });
  expect(part.map(({ atMs }) => atMs)).toEqual([1_010, 1_020]);
});

test('a row too far from its place is named rather than moved', async () => {
  const late = [...Array.from({ length: 3_000 }, (_, index) => 1_000 + index), 5];
  const refused = await partOf(late).catch((error: unknown) => error);
  if (!(refused instanceof BenchError)) throw refused;
  expect(refused.message).toMatch(/^a\.jsonl:3001: /);
  expect(refused.problem).toMatchObject({ code: 'input', advice: 'Sort the file by its times.' });
});

test('times are divided by the speed from the first one on, and pauses past the longest are cut', () => {
  const whole = new ReplayTimes({ speed: 3, gapMsMax: undefined });
  expect([5_000, 5_001, 5_002, 6_500].map(atMs => whole.next(atMs))).toEqual([
    0, 333_333, 666_667, 500_000_000,
  ]);
  expect(whole).toMatchObject({ gapsCapped: 0, spanMs: 1_500 });
  const capped = new ReplayTimes({ speed: 10, gapMsMax: 100 });
  expect([0, 100, 1_000, 1_050, 9_000].map(atMs => capped.next(atMs))).toEqual([0, 10e6, 20e6, 25e6, 35e6]);
  expect(capped).toMatchObject({ gapsCapped: 2, spanMs: 9_000 });
});
