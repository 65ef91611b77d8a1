// What a segment falls short of, in sentences that are shown next to the figures.

import type { ComparisonPlan } from '../../core/comparison/comparison-document.ts';
import { isLongEnough, SEGMENT_RULES } from '../../core/comparison/pair-plan.ts';
import type { EndedSegment } from './run-segment.ts';

export const segmentNotes = (
  { soFar, report }: EndedSegment,
  letter: 'A' | 'B',
  { plan, isSegmentFixed }: { readonly plan: ComparisonPlan; readonly isSegmentFixed: boolean },
): readonly string[] => {
  const { latencies, requests, durationMs } = SEGMENT_RULES;
  return [
    ...(isSegmentFixed && plan.segment.durationMs < durationMs
      ? [
          `Segments are shorter than the ${durationMs / 1000} s that a comparison takes by itself: what comes slower than them is not in it`,
        ]
      : []),
    ...(soFar.completed < requests
      ? [`A segment of ${letter} completed fewer than ${requests} requests: its percentiles wander`]
      : []),
    ...(isLongEnough(soFar, { durationMs: 0, requests: 0, latencies })
      ? []
      : [`A segment of ${letter} was shorter than ${latencies} times its median latency`]),
    ...(report.counts.failed > 0
      ? [`Requests of ${letter} failed; percentiles count them as longer than any`]
      : []),
  ];
};
