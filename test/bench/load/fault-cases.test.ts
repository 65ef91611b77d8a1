// The real client against every case of the mock's catalogue: all at once, because most of their time is waiting.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import type { FaultCase } from '../../../src/mock/cases/fault-case.ts';
import { FAULT_CASES } from '../../../src/mock/cases/fault-cases.ts';
import { TLS_CASES } from '../../../src/mock/cases/tls-cases.ts';
import { FAILURES } from '../../../src/mock/failures.ts';
import { type Mock, startMock } from '../../../src/mock/mock-server.ts';
import { expectFailure } from './expected-failure.ts';
import { loadPlan } from './load-plan.ts';
import { type RunHere, runHere } from './run-here.ts';

/** The second one finds the connection as the first one left it. */
const SAMPLES = 2;
/** Where a case neither stalls nor goes on for ever, however busy this machine is. */
const PATIENT_MS = 25_000;
/** As many as one event loop serves without being late itself. */
const AT_A_TIME = 32;

let mock: Mock;
const runs = new Map<string, RunHere>();

beforeAll(async () => {
  mock = await startMock({ ttftMs: 2, gapMs: 1, outputTokens: 10 });
  const waiting = FAULT_CASES.flatMap(one => [true, false].map(isStreaming => ({ one, isStreaming })));
  const user = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      runs.set(`${next.one.name} ${next.isStreaming}`, await requested(next.one, next.isStreaming));
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, user));
});
afterAll(() => mock.stop());

/** Whether a close counts as stale is a matter of 50 ms, which a busy event loop of both ends may take. */
const samplesOf = ({ name }: FaultCase): number => (name === 'keep-alive-lie' ? 1 : SAMPLES);

const requested = (one: FaultCase, isStreaming: boolean): Promise<RunHere> => {
  const { writes, ending } = one.reply({ isStreaming, body: '', type: '' });
  const bytes = writes.reduce((sum, write) => sum + write.bytes.length, 0);
  const plan = loadPlan({
    host: mock.host,
    port: mock.port,
    isStreaming,
    model: `mock-fail-${one.name}`,
    timeouts: {
      connectMs: PATIENT_MS,
      firstByteMs: PATIENT_MS,
      idleMs: ending.kind === 'silence' ? 300 : PATIENT_MS,
      totalMs: ending.kind === 'repeat' ? 900 : PATIENT_MS,
    },
    limits: { samplesMax: samplesOf(one), durationNs: undefined },
  });
  return runHere(plan, { ringBytes: bytes > 100_000 ? 16_777_216 : 1_048_576 });
};

test('the catalogue has more than a hundred cases, each with a name of its own', () => {
  expect(FAULT_CASES.length).toBeGreaterThan(100);
  const names = [...FAILURES, ...FAULT_CASES, ...TLS_CASES].map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

describe.each(FAULT_CASES.map(one => [one.group, one.name, one] as const))('%s: %s', (_, name, one) => {
  test.each([true, false])('is reported as what it is (streaming: %s)', isStreaming => {
    const run = runs.get(`${name} ${isStreaming}`);
    const samples = run?.samples ?? [];
    expect(samples).toHaveLength(samplesOf(one));
    for (const sample of samples) {
      expectFailure(sample, one, isStreaming);
      if (isStreaming) expectFigures(sample, one);
    }
    expectAccount(run, samplesOf(one));
  });
});

describe.each(TLS_CASES.map(one => [one.name, one] as const))('a handshake with %s', (name, one) => {
  test('is reported as what it is, by its connection and by its sample', async () => {
    await using server = await startMock({ failure: name });
    const tls = { serverName: '', authorities: undefined, isInsecure: true };
    const isStall = one.reply.ending.kind === 'silence';
    const timeouts = {
      connectMs: isStall ? 100 : PATIENT_MS,
      firstByteMs: PATIENT_MS,
      idleMs: PATIENT_MS,
      totalMs: PATIENT_MS,
    };
    const run = await runHere(loadPlan({ host: server.host, port: server.port, tls, timeouts }));
    expect(run.opened).toMatchObject({ opened: 0, failed: 1 });
    expect(run.opened.problem?.problem).toMatch(/\S/);
    expect(run.samples).toHaveLength(1);
    const { streaming, plain } = { streaming: one.expected, plain: one.expected };
    for (const sample of run.samples) expectFailure(sample, { ...one, streaming, plain }, true);
  });
});

const expectFigures = (sample: EndedSample, { figures, streaming }: FaultCase): void => {
  if (streaming.outcome !== 'completed') return;
  const { chunks = 3, outputTokens = 3, finishReason = 'stop' } = figures;
  expect(sample).toMatchObject({ chunkCount: chunks, outputTokens, finishReason });
};

/** After any fault, each sample was issued once and ended once, and nothing was lost or resent without a record. */
const expectAccount = (run: RunHere | undefined, count: number): void => {
  const kinds = (run?.records ?? []).map(({ kind }) => kind);
  expect(kinds.filter(kind => kind === 'sample.issued')).toHaveLength(count);
  expect(kinds.filter(kind => kind === 'sample.complete')).toHaveLength(count);
  const failed = (run?.samples ?? []).filter(({ outcome }) => outcome === 'failed').length;
  expect(kinds.filter(kind => kind.startsWith('error.'))).toHaveLength(failed);
  expect(run).toMatchObject({ dropped: 0, arenaFull: 0 });
};
