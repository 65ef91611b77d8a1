import { describe, expect, test } from 'vitest';
import { runProbeChild } from '../../src/probe/probe-child.ts';
import { entryUrl } from '../../src/process/entry.ts';

const request = (request: string, deadlineMs = 25_000, signal = new AbortController().signal) =>
  runProbeChild({
    entry: entryUrl(import.meta.url, './probing-child.ts'),
    request,
    nodePath: process.execPath,
    env: process.env,
    deadlineMs,
    signal,
  });

describe('a child of the probe', () => {
  test('that answers is believed', async () => {
    expect(await request('answer')).toEqual({ kind: 'answered', answer: { figure: 7 } });
  });

  test('that throws fails with its own words', async () => {
    expect(await request('throw')).toEqual({ kind: 'failed', reason: 'the device is on fire' });
  });

  test('that hangs in a foreign call is killed at its deadline', async () => {
    expect(await request('hang', 1_000)).toEqual({
      kind: 'failed',
      reason: 'probing-child.ts gave no answer in 1 s',
    });
  });

  test('that crashes is reported with the signal', async () => {
    expect(await request('crash')).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('was killed by SIGABRT'),
    });
  });

  test('that ends without an answer is no answer', async () => {
    expect(await request('quit')).toEqual({
      kind: 'failed',
      reason: 'probing-child.ts exited with code 0 without a message',
    });
  });

  test('that ends with a code has its last words delivered', async () => {
    expect(await request('exit')).toEqual({
      kind: 'failed',
      reason: 'probing-child.ts exited with code 3: second',
    });
  });

  test('is gone when its probe is cancelled', async () => {
    const cancelled = new AbortController();
    const answer = request('hang', 25_000, cancelled.signal);
    cancelled.abort(new Error('no longer wanted'));
    await expect(answer).rejects.toThrow('no longer wanted');
  });
});
