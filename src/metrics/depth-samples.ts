// The depth profile of a run, from its config.json and samples.jsonl alone: the same at its end and whenever it is rebuilt.

import type { DepthPlan } from '../core/depth/depth-plan.ts';
import { type DepthSample, depthProfile } from '../core/depth/depth-profile.ts';
import { minimumOf } from '../core/extremes.ts';
import { errorCode } from '../core/problem.ts';
import type { EndedSample } from '../core/run/ended-sample.ts';
import { NO_FIGURE } from '../core/run/event-record.ts';
import type { Report } from '../core/run/report.ts';
import { decodeSampleLine } from '../wire/sample-line.ts';
import { fileLines } from './file-lines.ts';
import { sampleFigures } from './sample-figures.ts';
import { SAMPLE_LINE_BYTES_MAX } from './samples-file.ts';
import { SeenIds } from './seen-ids.ts';

/** Returns the report unchanged if there is no profile. */
export const withDepthProfile = async (
  report: Report,
  plan: DepthPlan | undefined,
  samplesFile: string,
): Promise<Report> => {
  if (plan === undefined) return report;
  try {
    return { ...report, depth: depthProfile(plan, await depthSamples(samplesFile, report.run.streaming)) };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return { ...report, depth: depthProfile(plan, []) };
  }
};

const depthSamples = async (path: string, isStreaming: boolean): Promise<readonly DepthSample[]> => {
  const measured: EndedSample[] = [];
  const seen = new SeenIds();
  for await (const line of fileLines(path, { lineBytesMax: SAMPLE_LINE_BYTES_MAX })) {
    if (line.kind === 'too-long') continue;
    const decoded = decodeSampleLine(line.text);
    if (decoded.kind !== 'sample' || decoded.sample.window < 0 || !seen.add(decoded.sample.sampleId))
      continue;
    measured.push(decoded.sample);
  }
  const first = minimumOf(measured.map(({ sampleId }) => sampleId));
  return measured.map(sample => ({ index: sample.sampleId - first, ...figuresOf(sample, isStreaming) }));
};

const figuresOf = (sample: EndedSample, isStreaming: boolean): Omit<DepthSample, 'index'> => {
  const figures = sample.outcome === 'completed' ? sampleFigures(sample, isStreaming) : undefined;
  return {
    inputTokens: reported(sample.inputTokens),
    outputTokens: reported(sample.outputTokens),
    cachedTokens: reported(sample.remark?.cachedTokens),
    ttftNs: reported(figures?.ttftNs),
    tpotNs: reported(figures?.tpotNs),
    problem: problemOf(sample, figures !== undefined),
  };
};

const problemOf = ({ outcome, failure }: EndedSample, hasFigures: boolean): string | undefined => {
  if (outcome === 'cancelled') return 'the run ended before it';
  if (failure !== undefined)
    return `${failure.statusCode === 0 ? '' : `${failure.statusCode} `}${failure.detail}`
      .trimEnd()
      .slice(0, PROBLEM_LENGTH_MAX);
  return hasFigures ? undefined : 'its stamps contradict each other';
};

const reported = (figure: number | undefined): number | undefined =>
  figure === NO_FIGURE ? undefined : figure;

const PROBLEM_LENGTH_MAX = 200;
