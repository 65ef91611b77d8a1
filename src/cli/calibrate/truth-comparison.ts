// Compares what a run measured with what the server reports that it wrote: the error of each request and gap.

import type { CalibratedError } from '../../core/run/calibration.ts';
import { lowerPercentile } from '../../core/statistics/percentile.ts';
import { decodeSampleLine } from '../../wire/sample-line.ts';
import type { TruthStream } from '../../wire/truth-stamps.ts';

export interface ComparedRun {
  readonly requests: number;
  readonly chunks: number;
  readonly ttftErrorNs: CalibratedError;
  readonly gapErrorNs: CalibratedError;
  /** What the server did, at the median: the same load can be made again elsewhere. */
  readonly load: TruthLoad;
}

export interface TruthLoad {
  readonly ttftMs: number;
  readonly gapMs: number;
  readonly chunks: number;
}

interface ComparedWith {
  /** As a run appends them to samples.jsonl. */
  readonly lines: string;
  readonly truth: ReadonlyMap<number, TruthStream>;
  /** From the server's clock to that of the run, ns since the run's zero. */
  readonly toRunNs: (serverNs: bigint) => number;
}

/** undefined where the server has no stamps of any request. */
export const compareWithTruth = ({ lines, truth, toRunNs }: ComparedWith): ComparedRun | undefined => {
  const ttft: number[] = [];
  const gaps: number[] = [];
  const waits: number[] = [];
  const trueGaps: number[] = [];
  for (const line of lines.split('\n')) {
    const decoded = line === '' ? undefined : decodeSampleLine(line);
    if (decoded?.kind !== 'sample' || decoded.sample.window < 0 || decoded.sample.outcome !== 'completed')
      continue;
    const { sampleId, sentNs, firstContentNs, chunkGapsNs } = decoded.sample;
    const { writeNs = [] } = truth.get(sampleId) ?? {};
    const [firstNs, ...restNs] = writeNs.map(toRunNs);
    if (firstNs === undefined || restNs.length !== chunkGapsNs.length) continue;
    ttft.push(firstContentNs - firstNs);
    waits.push(firstNs - sentNs);
    let beforeNs = firstNs;
    for (const [index, ns] of restNs.entries()) {
      trueGaps.push(ns - beforeNs);
      gaps.push(Math.abs((chunkGapsNs[index] ?? 0) - (ns - beforeNs)));
      beforeNs = ns;
    }
  }
  if (ttft.length === 0) return undefined;
  return {
    requests: ttft.length,
    chunks: ttft.length + gaps.length,
    ttftErrorNs: errorOf(ttft),
    gapErrorNs: gaps.length === 0 ? { p50: 0, p99: 0 } : errorOf(gaps),
    load: {
      ttftMs: medianNs(waits) / 1e6,
      gapMs: medianNs(trueGaps) / 1e6,
      chunks: 1 + Math.round(gaps.length / ttft.length),
    },
  };
};

const medianNs = (values: readonly number[]): number =>
  values.length === 0 ? 0 : Math.max(0, lowerPercentile(Float64Array.from(values).sort(), 50));

const errorOf = (values: readonly number[]): CalibratedError => {
  const sorted = Float64Array.from(values).sort();
  // A clock that is known to a tenth of a microsecond may put a write behind its arrival.
  const at = (p: number): number => Math.max(0, Math.round(lowerPercentile(sorted, p)));
  return { p50: at(50), p99: at(99) };
};
