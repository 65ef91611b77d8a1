import { expect, test } from 'vitest';
import { movedSpan, requestTip, selectedSpan, zoomedSpan } from '../../../dashboard/src/run/lane-view.ts';

const WHOLE = { fromMs: 0, toMs: 1_000 } as const;

test('zooms around the middle and never beyond the run or below a millisecond', () => {
  expect(zoomedSpan(WHOLE, WHOLE, 0.5)).toEqual({ fromMs: 250, toMs: 750 });
  expect(zoomedSpan({ fromMs: 900, toMs: 1_000 }, WHOLE, 4)).toEqual({ fromMs: 600, toMs: 1_000 });
  expect(zoomedSpan(WHOLE, WHOLE, 2)).toEqual(WHOLE);
  expect(zoomedSpan({ fromMs: 500, toMs: 501 }, WHOLE, 0.5)).toEqual({ fromMs: 500, toMs: 501 });
});

test('moves by a share of what is shown, up to the ends', () => {
  expect(movedSpan({ fromMs: 200, toMs: 400 }, WHOLE, 0.5)).toEqual({ fromMs: 300, toMs: 500 });
  expect(movedSpan({ fromMs: 200, toMs: 400 }, WHOLE, -5)).toEqual({ fromMs: 0, toMs: 200 });
});

test('shows what was dragged over in either direction, and takes a click for none', () => {
  expect(selectedSpan(WHOLE, 0.75, 0.25)).toEqual({ fromMs: 250, toMs: 750 });
  expect(selectedSpan({ fromMs: 200, toMs: 400 }, 0.5, 2)).toEqual({ fromMs: 300, toMs: 400 });
  expect(selectedSpan(WHOLE, 0.5, 0.505)).toBeUndefined();
});

test('names the phases of the request under the pointer', () => {
  const lanes = {
    laneCount: 1,
    requests: [
      {
        lane: 0,
        fromMs: 100,
        toMs: 400,
        parts: [
          { phase: 'prefill' as const, fromMs: 100, toMs: 150 },
          { phase: 'decode' as const, fromMs: 150, toMs: 400 },
        ],
      },
    ],
  };
  expect(requestTip(lanes, { lane: 0, ms: 120 }, true)?.map(line => line.replaceAll('\u00a0', ' '))).toEqual([
    'from 0.100 s',
    'prefill 50.0 ms',
    'decode 250 ms',
  ]);
  expect(requestTip(lanes, { lane: 1, ms: 120 }, true)).toBeUndefined();
  expect(requestTip(lanes, { lane: 0, ms: 401 }, true)).toBeUndefined();
});
