import { describe, expect, test } from 'vitest';
import { summaryOf } from '../../../dashboard/src/probe/request-probe.ts';
import type { DaemonReply } from '../../../dashboard/src/shell/fetch-daemon.ts';
import { nodeId } from '../../../src/core/ids.ts';
import type { ProbesAnswer, RequestedProbe } from '../../../src/wire/api/probe-answers.ts';

const NODE = nodeId('n'.padEnd(26, 'a'));

type Row = readonly [result: RequestedProbe['result'], reason: string];

const requested = (...rows: readonly Row[]): DaemonReply<ProbesAnswer> => ({
  kind: 'here',
  value: {
    probes: rows.map(([result, reason]) => ({
      node: NODE,
      subject: { kind: 'gpu', deviceId: 'GPU-0' },
      result,
      reason,
    })),
    unreached: [],
  },
});

describe('what came of asking for a measurement', () => {
  test('counts what started and reports why the rest waits', () => {
    expect(
      summaryOf([
        requested(['started', ''], ['queued', 'a runner is active on juno']),
        requested(['started', '']),
      ]),
    ).toBe('2 started · 1 waiting: a runner is active on juno');
  });

  test('names who was not reached, and a refusal of all', () => {
    expect(
      summaryOf([{ kind: 'here', value: { probes: [], unreached: [{ node: NODE, reason: 'no answer' }] } }]),
    ).toBe('1 not reached: no answer');
    expect(summaryOf([{ kind: 'refused', code: 'no-answer', reason: 'the daemon does not answer' }])).toBe(
      'the daemon does not answer',
    );
    expect(summaryOf([requested()])).toBe('nothing to measure');
  });
});
