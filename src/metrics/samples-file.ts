// Counts a run again from its samples.jsonl: the same code as in the aggregator, so that the figures are the same. A
// truncated file gives what it contains, and the result states what is missing.

import type { EndedSample } from '../core/run/ended-sample.ts';
import { judgedObjectives } from '../core/run/objective.ts';
import type { RunConfig } from '../core/run/report.ts';
import { shapeOf } from '../core/run/run-shape.ts';
import type { SkippedTurn } from '../core/run/session-outcome.ts';
import { readOwnSampleLine } from '../wire/own-sample-line.ts';
import { decodeSampleLine, type SamplesEnd } from '../wire/sample-line.ts';
import { fileBlocks } from './file-lines.ts';
import { RunMetrics, type RunMetricsOptions } from './run-metrics.ts';
import { SeenIds } from './seen-ids.ts';

export interface CountedSamples {
  readonly metrics: RunMetrics;
  readonly samples: number;
  /** undefined: the file is truncated. */
  readonly end: SamplesEnd | undefined;
  /** Excludes an incomplete last line. */
  readonly unreadableLines: number;
  readonly isTorn: boolean;
}

/** Adds data to a sample that its line does not contain. */
type AmendSample = (sample: EndedSample) => EndedSample;

/** @throws the system's error when the file cannot be read. */
const countSamples = async (
  path: string,
  options: RunMetricsOptions,
  amend: AmendSample = asItIs,
): Promise<CountedSamples> => {
  const metrics = new RunMetrics(options);
  const seen = new SeenIds();
  let samples = 0;
  let end: SamplesEnd | undefined;
  let unreadableLines = 0;
  let isTorn = false;
  const take = (sample: EndedSample): void => {
    if (!seen.add(sample.sampleId)) {
      metrics.counters.recordsDuplicate.add();
      return;
    }
    samples += 1;
    metrics.issued(sample);
    metrics.ended(amend(sample));
  };
  const skip = (turn: SkippedTurn): void => {
    if (seen.add(turn.sampleId)) metrics.skipped(turn);
    else metrics.counters.recordsDuplicate.add();
  };
  const read = (bytes: Buffer, isUnfinished: boolean): void => {
    for (let from = 0; from < bytes.length; ) {
      const feed = bytes.indexOf(LINE_FEED, from);
      const to = feed === -1 ? bytes.length : feed;
      const own = readOwnSampleLine(bytes, { from, to });
      if (own !== undefined) take(own.sample);
      else {
        const text = bytes.toString('utf8', from, to);
        const decoded = text.trim() === '' ? undefined : decodeSampleLine(text);
        if (decoded?.kind === 'sample') take(decoded.sample);
        else if (decoded?.kind === 'skipped') skip(decoded.turn);
        else if (decoded?.kind === 'end') end = decoded.end;
        else if (decoded !== undefined && isUnfinished) isTorn = true;
        else if (decoded !== undefined) unreadableLines += 1;
      }
      from = to + 1;
    }
  };
  for await (const block of fileBlocks(path, { lineBytesMax: SAMPLE_LINE_BYTES_MAX })) {
    if (block.kind === 'too-long') unreadableLines += 1;
    else read(block.bytes, block.kind === 'unfinished');
  }
  return { metrics, samples, end, unreadableLines, isTorn };
};

/** Uses the run's config.json. @throws the system's error when the file cannot be read. */
export const countRun = async (
  path: string,
  config: RunConfig,
  amend?: AmendSample,
): Promise<CountedSamples> => {
  const { run, objectives } = config;
  return await countSamples(
    path,
    {
      pattern: run.pattern,
      shape: shapeOf(run),
      isStreaming: run.streaming,
      objectives,
      judged: judgedObjectives(config),
    },
    amend,
  );
};

const asItIs = (sample: EndedSample): EndedSample => sample;

const LINE_FEED = 0x0a;
/** A sample of three million chunks, far past what any model answers. */
export const SAMPLE_LINE_BYTES_MAX: number = 16 * 1024 * 1024;
