// Counts a run again from its samples.jsonl: the same code as in the aggregator, so that the figures are the same. A file
// that was cut short by a kill gives what it has, and says what it lacks.

import type { SamplesEnd } from '../wire/sample-line.ts';
import { decodeSampleLine } from '../wire/sample-line.ts';
import { fileLines } from './file-lines.ts';
import type { RunMetricsOptions } from './run-metrics.ts';
import { RunMetrics } from './run-metrics.ts';
import { SeenIds } from './seen-ids.ts';

export interface CountedSamples {
  readonly metrics: RunMetrics;
  readonly samples: number;
  /** undefined: the file breaks off. */
  readonly end: SamplesEnd | undefined;
  /** A last line that was not written to its end is none of them. */
  readonly unreadableLines: number;
  readonly isTorn: boolean;
}

/** @throws the system's error when the file cannot be read. */
export const countSamples = async (path: string, options: RunMetricsOptions): Promise<CountedSamples> => {
  const metrics = new RunMetrics(options);
  const seen = new SeenIds();
  let samples = 0;
  let end: SamplesEnd | undefined;
  let unreadableLines = 0;
  let isTorn = false;
  for await (const line of fileLines(path, { lineBytesMax: SAMPLE_LINE_BYTES_MAX })) {
    if (line.kind === 'too-long') {
      unreadableLines += 1;
      continue;
    }
    if (line.text.trim() === '') continue;
    const decoded = decodeSampleLine(line.text);
    switch (decoded.kind) {
      case 'unreadable':
        if (line.kind === 'unfinished') isTorn = true;
        else unreadableLines += 1;
        break;
      case 'end':
        end = decoded.end;
        break;
      case 'sample':
        if (!seen.add(decoded.sample.sampleId)) {
          metrics.counters.recordsDuplicate.add();
          break;
        }
        samples += 1;
        metrics.issued(decoded.sample);
        metrics.ended(decoded.sample);
        break;
      default:
        decoded satisfies never;
    }
  }
  return { metrics, samples, end, unreadableLines, isTorn };
};

/** A sample of three million chunks, far past what any model answers. */
export const SAMPLE_LINE_BYTES_MAX: number = 16 * 1024 * 1024;
