// Finished runs as one side of a comparison, from their directories alone.

import type { TimedRun } from '../core/comparison/bootstrap-metrics.ts';
import {
  type FinishedSide,
  type FinishedUnit,
  finishedUnit,
  sideLabel,
} from '../core/comparison/compare-finished.ts';
import { errorCode } from '../core/problem.ts';
import { recordOf } from '../core/record-of.ts';
import type { EndedSample } from '../core/run/ended-sample.ts';
import { NO_FIGURE } from '../core/run/event-record.ts';
import { objectiveSeries, type RequestLimit } from '../core/run/objective.ts';
import type { Report } from '../core/run/report.ts';
import { COMPARED_SERIES } from '../core/run/run-series.ts';
import { type Unknown, unknown } from '../core/unknown.ts';
import { decodeSampleLine } from '../wire/sample-line.ts';
import { fileLines } from './file-lines.ts';
import { meetsLimit } from './goodput.ts';
import { rebuildReport } from './report-sources.ts';
import { runFiles } from './run-files.ts';
import { sampleFigures } from './sample-figures.ts';
import { SAMPLE_LINE_BYTES_MAX } from './samples-file.ts';
import { SeenIds } from './seen-ids.ts';

/** @throws RunDirectoryError */
export const finishedSide = async (directories: readonly string[]): Promise<FinishedSide> => {
  const reports: Report[] = [];
  for (const directory of directories) reports.push(await rebuildReport(directory));
  const units = reports.map((report, index) => finishedUnit(report, directories[index] ?? ''));
  const [first, ...rest] = reports;
  const [directory = ''] = directories;
  return {
    ...sideOfUnits(units, reports),
    only:
      first === undefined || rest.length > 0
        ? undefined
        : {
            report: first,
            timed: await timedSamples(runFiles(directory).samples, {
              isStreaming: first.run.streaming,
              objectives: first.objectives ?? [],
            }),
          },
  };
};

const sideOfUnits = (
  units: readonly FinishedUnit[],
  reports: readonly Report[],
): Omit<FinishedSide, 'only'> => {
  const run = reports[0]?.run;
  return {
    label: sideLabel(
      units,
      reports.map(report => report.run.name),
    ),
    target: run?.target ?? NO_RUN,
    model: run?.model ?? NO_RUN,
    serverKind: run?.serverKind ?? NO_RUN,
    units,
    environment:
      reports[0] === undefined
        ? NO_RUN
        : reports[0].run.foreign !== undefined
          ? unknown('another tool sent the load, and does not report where')
          : {
              node: reports[0].environment.node,
              os: reports[0].environment.os,
              cpu: reports[0].environment.cpu,
              cores: reports[0].environment.cores,
            },
    runsMin: 1,
  };
};

const NO_RUN = unknown('there is no run');

// The measured requests of a finished run, read from samples.jsonl into columns for a comparison.
interface TimedSamplesOptions {
  readonly isStreaming: boolean;
  readonly objectives: readonly RequestLimit[];
}

/** Unknown, with the reason: there is no such file, it contains no measured request, or too many. */
const timedSamples = async (path: string, options: TimedSamplesOptions): Promise<TimedRun | Unknown> => {
  const columns = new Columns(options);
  const seen = new SeenIds();
  try {
    for await (const line of fileLines(path, { lineBytesMax: SAMPLE_LINE_BYTES_MAX })) {
      if (line.kind === 'too-long') continue;
      const decoded = decodeSampleLine(line.text);
      if (decoded.kind !== 'sample' || !seen.add(decoded.sample.sampleId)) continue;
      if (decoded.sample.window > 0) return unknown('it was measured in several parts');
      columns.add(decoded.sample);
      if (columns.count > SAMPLES_MAX)
        return unknown(`it has more than ${SAMPLES_MAX} requests, which are not read again`);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return unknown('its samples.jsonl cannot be read');
  }
  return columns.timed();
};

class Columns {
  readonly #options: TimedSamplesOptions;
  readonly #endNs: number[] = [];
  readonly #series = recordOf(COMPARED_SERIES, (): number[] => []);
  readonly #outputTokens: number[] = [];
  readonly #good: number[] = [];
  readonly #failedEndNs: number[] = [];
  #fromNs = Number.POSITIVE_INFINITY;
  #toNs = 0;

  constructor(options: TimedSamplesOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#endNs.length + this.#failedEndNs.length;
  }

  add(sample: EndedSample): void {
    if (sample.window < 0) return;
    this.#fromNs = Math.min(this.#fromNs, sample.sentNs);
    if (sample.outcome === 'failed') this.#failedEndNs.push(sample.endNs);
    if (sample.outcome !== 'completed') return;
    const { isStreaming, objectives } = this.#options;
    const figures = sampleFigures(sample, isStreaming);
    this.#toNs = Math.max(this.#toNs, sample.endNs);
    this.#endNs.push(sample.endNs);
    for (const key of COMPARED_SERIES) this.#series[key].push(figureOf(figures?.[key]));
    this.#outputTokens.push(Math.max(0, sample.outputTokens));
    const isGood =
      figures !== undefined &&
      objectives.every(({ name, limitNs }) => meetsLimit(figures, objectiveSeries(name), limitNs));
    this.#good.push(isGood ? 1 : 0);
  }

  timed(): TimedRun | Unknown {
    if (this.#endNs.length === 0) return unknown('no request completed');
    return {
      fromNs: this.#fromNs,
      toNs: this.#toNs,
      endNs: Float64Array.from(this.#endNs),
      series: recordOf(COMPARED_SERIES, key => Float64Array.from(this.#series[key])),
      outputTokens: Float64Array.from(this.#outputTokens),
      good: Uint8Array.from(this.#good),
      failedEndNs: Float64Array.from(this.#failedEndNs),
    };
  }
}

const figureOf = (value: number | undefined): number =>
  value === undefined || value === NO_FIGURE ? Number.NaN : value;

/** Limit for one run: about 100 bytes of columns for each while they are collected. */
const SAMPLES_MAX = 4_000_000;
