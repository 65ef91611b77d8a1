import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DatasetDigest } from '../../../../src/bench/dataset/dataset-chunks.ts';
import { capturedEntry } from '../../../../src/bench/dataset/trace/captured-trace.ts';
import { surveyTrace } from '../../../../src/bench/dataset/trace/survey-trace.ts';
import { TraceFactCounter } from '../../../../src/bench/dataset/trace/trace-facts.ts';
import { traceEntries, traceFormat } from '../../../../src/bench/dataset/trace/trace-file.ts';
import { TraceTexts } from '../../../../src/bench/dataset/trace/trace-text.ts';
import { WORDS_AS_TOKENS } from '../../../../src/bench/dataset/word-costs.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const row = (more: object = {}): string =>
  JSON.stringify({
    capture: 1,
    timestamp: 10.5,
    input_length: 100,
    output_length: 7,
    block_ids: [0, 1],
    block_tokens: [64, 20],
    session: 3,
    outcome: 'completed',
    status: 200,
    took: 42,
    api: 'chat',
    streamed: true,
    tools: false,
    ...more,
  });

describe('a line of a capture', () => {
  test('is a request with blocks of their own sizes', () => {
    const entry = capturedEntry(row(), 4, {});
    expect(entry).toMatchObject({
      kind: 'ok',
      value: {
        line: 4,
        key: '3',
        startMs: 10.5,
        requests: [{ inputTokens: 100, outputTokens: 7, tookMs: 42, blockSizes: [64, 20] }],
      },
    });
  });

  test('of a request that failed is left out, and what was lost before it is counted', () => {
    const counts = { lost: 2 };
    expect(capturedEntry(row({ outcome: 'failed', lost: 3 }), 1, counts)).toEqual({
      kind: 'ok',
      value: undefined,
    });
    expect(counts.lost).toBe(5);
  });

  test('that is wrong is refused with what is wrong', () => {
    for (const [text, problem] of [
      ['[]', /not a JSON object/],
      [row({ capture: 2 }), /version 2/],
      [row({ timestamp: -1 }), /"timestamp"/],
      [row({ block_ids: [1] }), /not of the same length/],
      [row({ block_tokens: [64, 64] }), /more tokens than its prompt/],
    ] as const)
      expect(capturedEntry(text, 1, {})).toMatchObject({
        kind: 'wrong',
        problem: expect.stringMatching(problem),
      });
  });

  test('becomes a prompt of its length, of which equal blocks are equal bytes', () => {
    const texts = new TraceTexts(WORDS_AS_TOKENS, 1);
    const [one, other] = [row(), row({ block_ids: [0, 2], block_tokens: [64, 9] })].map((text, index) => {
      const entry = capturedEntry(text, 1, {});
      const request = entry.kind === 'ok' ? entry.value?.requests[0] : undefined;
      if (request === undefined) throw new Error('no request');
      return texts.partsOf(request, index);
    });
    if (one === undefined || other === undefined) throw new Error('no parts');
    expect(one.join('').split(' ')).toHaveLength(100);
    expect(other.join('').split(' ')).toHaveLength(100);
    expect(other[0]).toBe(one[0]);
    expect(other[1]).not.toBe(one[1]);
  });

  test('with first blocks that are smaller than what is around a prompt still has its length', () => {
    const texts = new TraceTexts({ ...WORDS_AS_TOKENS, shortTokens: 12 }, 1);
    const entry = capturedEntry(row({ block_ids: [0, 1, 2], block_tokens: [4, 5, 60] }), 1, {});
    const request = entry.kind === 'ok' ? entry.value?.requests[0] : undefined;
    if (request === undefined) throw new Error('no request');
    const words = texts.partsOf(request, 0).join('').split(' ');
    // Its first word is a part of the twelve.
    expect(words).toHaveLength(100 - 12 + 1);
  });
});

test('the files of a capture are one trace, in the order of arrival, whose cut last line is passed over', async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'capture');
  mkdirSync(path);
  const lines = [
    row({ timestamp: 900, session: 1 }),
    row({ timestamp: 0 }),
    row({ timestamp: 500, lost: 2 }),
  ];
  writeFileSync(join(path, '000001.jsonl'), `${lines[0]}\n${lines[1]}\n`);
  writeFileSync(join(path, '000002.jsonl'), `${lines[2]}\n${row().slice(0, 60)}`);
  const location = { path, shownPath: 'capture', signal: new AbortController().signal };
  expect(await traceFormat(location)).toBe('capture');
  const counts: { leftOut: number; cutLines?: number; lost?: number } = { leftOut: 0 };
  const counter = new TraceFactCounter();
  for await (const entry of traceEntries(location, 'capture', { digest: new DatasetDigest(), counts }))
    counter.add(entry);
  expect(counts).toEqual({ leftOut: 0, cutLines: 1, lost: 2 });
  expect(counter.facts()).toMatchObject({
    requests: 3,
    sessions: 2,
    inputTokens: { total: 300 },
    sharing: { sharedTokens: 2 * 84, differentBlocks: 2, blocks: 6 },
    time: { spanMs: 900 },
  });
  const part = { fromMs: undefined, untilMs: undefined, startAt: undefined };
  const trace = await surveyTrace(
    {
      ...location,
      format: 'capture',
      part,
      pace: { speed: 1, gapMsMax: undefined },
      limits: { requestsMax: undefined, durationMs: undefined },
    },
    location.signal,
  );
  expect([...new Float64Array(trace.timesNs)]).toEqual([0, 500e6, 900e6]);
  expect(trace.description).toBe(
    'capture: captured trace, 3 requests, 2 that could not be recorded, its last line is cut off',
  );
});
