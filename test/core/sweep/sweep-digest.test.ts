import { describe, expect, test } from 'vitest';
import type { Stage } from '../../../src/core/sweep/stage.ts';
import { STAGES_REPORTED_MAX } from '../../../src/core/sweep/sweep.ts';
import { lineOf, stageDigests, sweepEndOf } from '../../../src/core/sweep/sweep-digest.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { LIVE_BODY_BYTES_MAX } from '../../../src/wire/mesh-message.ts';
import { madeUpLine } from '../../support/made-up-line.ts';

describe('what is published of a search', () => {
  test('has every stage with its verdict and the figures that a picture needs, not its time', () => {
    const document = madeUpLine();
    const digests = stageDigests(document.stages);
    expect(digests.map(({ number }) => number)).toEqual(document.stages.map(({ number }) => number));
    expect(digests[0]).toMatchObject({ verdict: 'held', curve: { series: 'ttftNs', percentile: 95 } });
    expect(JSON.stringify(digests)).not.toContain('timeline');
  });

  test('fits into one live event, with any number of stages and any unknown figures', () => {
    const [stage] = madeUpLine().stages;
    if (stage === undefined) throw new Error('a line has stages');
    const why = unknown('ü'.repeat(1_000));
    const worst = Array.from(
      { length: 256 },
      (_, index): Stage => ({
        ...stage,
        number: index + 1,
        runId: 'r'.repeat(64),
        verdict: why,
        reasons: ['ü'.repeat(10_000)],
        figures: {
          ...knownFigures(stage),
          completedPerSecond: why,
          outputTokensPerSecond: why,
          perUserTokensPerSecond: why,
          attainment: why,
          curve: why,
          inFlightGrowthPerMinute: why,
        },
      }),
    );
    const reported = stageDigests(worst);
    expect(reported).toHaveLength(STAGES_REPORTED_MAX);
    expect(reported.at(-1)?.number).toBe(256);
    const document = madeUpLine(undefined, { sentence: 'ü'.repeat(16_000) });
    const bytes = Buffer.byteLength(JSON.stringify({ ...lineOf(document), stages: reported }));
    expect(bytes).toBeLessThan(LIVE_BODY_BYTES_MAX - 2_048);
  });

  test('reports that one was cut short whose document still reports that it runs', () => {
    expect(sweepEndOf(madeUpLine(100))).toMatchObject({ state: 'interrupted' });
    expect(sweepEndOf(madeUpLine())).toEqual({ state: 'complete', reason: '' });
  });
});

const knownFigures = ({ figures }: Stage) => {
  if ('kind' in figures) throw new Error('its figures are known');
  return figures;
};
