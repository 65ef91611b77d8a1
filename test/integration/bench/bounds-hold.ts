// Whether the truth is within the error bounds of a run, by the write times in a stamping mock's log.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../../src/core/run/report.ts';
import { lowerPercentile } from '../../../src/core/statistics/percentile.ts';
import { decodeSampleLine } from '../../../src/wire/sample-line.ts';
import { decodeTruthStamps } from '../../../src/wire/truth-stamps.ts';
import { readReport } from './bench-here.ts';

interface JudgedFigure {
  readonly name: string;
  /** Measured less true, ns. */
  readonly error: number;
  readonly above: number;
  readonly below: number;
}

/** @param mockUrl of a mock with `stampsWrites` that has served this run alone */
export const judgedFigures = async (mockUrl: string, directory: string): Promise<readonly JudgedFigure[]> => {
  const reply = await fetch(`${mockUrl}/mock/stamps`);
  const truth = decodeTruthStamps(Buffer.from(await reply.arrayBuffer()));
  const zeroNs = BigInt(runZeroNsOf(directory));
  const values = { ttftNs: [] as number[], latencyNs: [] as number[], chunkGapNs: [] as number[] };
  for (const line of readFileSync(join(directory, 'samples.jsonl'), 'utf8').split('\n')) {
    const decoded = line === '' ? undefined : decodeSampleLine(line);
    if (decoded?.kind !== 'sample' || decoded.sample.window < 0 || decoded.sample.outcome !== 'completed')
      continue;
    const { sampleId, sentNs } = decoded.sample;
    const written = (truth.get(sampleId)?.writeNs ?? []).map(ns => Number(ns - zeroNs));
    values.ttftNs.push((written[0] ?? Number.NaN) - sentNs);
    values.latencyNs.push((written.at(-1) ?? Number.NaN) - sentNs);
    for (const [at, ns] of written.entries())
      if (at > 0) values.chunkGapNs.push(ns - (written[at - 1] ?? Number.NaN));
  }
  const report = readReport(directory);
  return (['ttftNs', 'latencyNs', 'chunkGapNs'] as const).flatMap(key => judged(report, key, values[key]));
};

/**
 * Those whose truth is not inside. The mock stamps before it writes, and its own loop may be late between the two: that is not the
 * client's error. `npm run bench -- error-bound` judges by a server in C, to the microsecond.
 */
export const outsideOf = (figures: readonly JudgedFigure[]): readonly JudgedFigure[] =>
  figures.filter(({ error, above, below }) => error > above + MOCK_LATE_NS || -error > below + MOCK_LATE_NS);

/** Next to other tests; the pauses that are judged take two seconds. */
const MOCK_LATE_NS = 20e6;

const judged = (
  { series }: Report,
  key: 'ttftNs' | 'latencyNs' | 'chunkGapNs',
  truth: readonly number[],
): readonly JudgedFigure[] => {
  const [one, bound] = [series[key], series[key]?.errorBound];
  if (one === undefined || bound === undefined || one.mean === null)
    throw new Error(`${key} has no error bound`);
  if (one.count !== truth.length) throw new Error(`${key}: ${one.count} and ${truth.length} values`);
  const sorted = Float64Array.from(truth).sort();
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return [
    { name: `${key} mean`, error: one.mean - mean, ...bound.mean },
    ...['50', '90', '99'].map(p => ({
      name: `${key} p${p}`,
      error: (one.percentiles[p] ?? Number.NaN) - lowerPercentile(sorted, Number(p)),
      ...(bound.percentiles[p] ?? { above: Number.NaN, below: Number.NaN }),
    })),
  ];
};

/** The first line of the event log contains it. */
const runZeroNsOf = (directory: string): number => {
  const [first = ''] = readFileSync(join(directory, 'events.jsonl'), 'utf8').split('\n', 1);
  const { runZeroNs }: { readonly runZeroNs: number } = JSON.parse(first);
  return runZeroNs;
};
