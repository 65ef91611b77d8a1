// The figures of a scenario's rules, from a run's samples.jsonl alone: the same at its end and whenever it is rebuilt.

import { errorCode } from '../core/problem.ts';
import type { Report } from '../core/run/report.ts';
import { ScenarioTally } from '../core/scenario/scenario-tally.ts';
import { decodeSampleLine } from '../wire/sample-line.ts';
import { fileLines } from './file-lines.ts';
import { SAMPLE_LINE_BYTES_MAX } from './samples-file.ts';
import { SeenIds } from './seen-ids.ts';

/** Returns the report unchanged if the run has no scenario, or its samples cannot be read any more. */
export const withScenario = async (report: Report, samplesFile: string): Promise<Report> => {
  if (report.run.scenario === undefined) return report;
  const tally = new ScenarioTally();
  const seen = new SeenIds();
  try {
    for await (const line of fileLines(samplesFile, { lineBytesMax: SAMPLE_LINE_BYTES_MAX })) {
      const decoded = line.kind === 'too-long' ? undefined : decodeSampleLine(line.text);
      if (decoded?.kind === 'sample' && seen.add(decoded.sample.sampleId)) tally.ended(decoded.sample);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return report;
  }
  return { ...report, scenario: tally.figures() };
};
