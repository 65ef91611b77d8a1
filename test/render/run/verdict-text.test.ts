// The verdict on the load generator on a page: a run that is incomplete is never called trustworthy.

import { describe, expect, test } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { verdictLabel } from '../../../src/render/run/verdict-text.ts';
import { madeUpFigures } from '../../support/run-entry.ts';

const { client } = madeUpFigures();
const silent = {
  ...client,
  sendLatenessNsP99: unknown('closed loop'),
  readLatenessNsP99: unknown('not observed'),
};

describe('the verdict on the client', () => {
  test('adds up what was sent late and what was read late', () => {
    expect(verdictLabel(client, 'complete')).toMatchObject({
      tone: 'good',
      label: 'Trustworthy within 380\u00a0µs',
    });
  });

  test('is as good as the worst figure, where bounds are known', () => {
    const series = (p50: number, above: number) => ({
      ttftNs: {
        count: 50,
        percentiles: { '50': p50 },
        errorBound: { mean: { above, below: 0 }, percentiles: { '50': { above, below: 0 } } },
      },
    });
    const labelOf = (p50: number, above: number) => {
      const { tone, label } = verdictLabel(client, 'running', series(p50, above));
      return `${tone}: ${label.replaceAll(/\s/g, ' ')}`;
    };
    expect(labelOf(84e6, 0.4e6)).toBe('good: Trustworthy, good to ±400 µs');
    expect(labelOf(84e6, 35e6)).toBe('caution: The client adds up to 35.0 ms to TTFT p50');
    expect(labelOf(84e6, 70e6)).toBe('caution: TTFT p50 is not usable');
    const bound = { ...client, verdict: 'client-bound' } as const;
    expect(verdictLabel(bound, 'complete', series(84e6, 1)).label).toBe('Client-bound');
  });

  test('claims no figure that was not reported', () => {
    expect(verdictLabel(silent, 'complete').label).toBe('Trustworthy');
    expect(verdictLabel({ ...silent, verdict: 'client-bound' }, 'complete').tone).toBe('caution');
    expect(verdictLabel({ ...silent, verdict: 'unknown' }, 'complete')).toMatchObject({
      tone: 'open',
      label: 'No verdict',
    });
    expect(verdictLabel({ ...silent, verdict: 'unknown' }, 'running').label).toBe('No verdict yet');
  });

  test('reports first that a run was interrupted, and then that the client kept up until then', () => {
    expect(verdictLabel(client, 'interrupted')).toEqual({
      tone: 'open',
      label: 'Interrupted',
      short: 'kept up until then',
      remark: 'The client kept up until then, within 380\u00a0µs; this does not cover the whole run.',
    });
    expect(verdictLabel(silent, 'interrupted').remark).toMatch(/^The client kept up until then; /);
  });

  test.for(['interrupted', 'incomplete', 'failed'] as const)(
    'calls no client of a run that is %s trustworthy, for any verdict',
    state => {
      for (const verdict of ['trustworthy', 'client-bound', 'unknown'] as const) {
        const label = verdictLabel({ ...client, verdict }, state);
        expect(label.tone).not.toBe('good');
        expect(`${label.label} ${label.short} ${label.remark}`).not.toMatch(/trustworthy/i);
        expect(label.label.toLowerCase().startsWith(state)).toBe(true);
      }
    },
  );
});
