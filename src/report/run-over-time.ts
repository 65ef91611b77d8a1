// A run over time for its charts, from samples.jsonl line by line, for any size of the file.

import { errorCode } from '../core/problem.ts';
import { fileLines } from '../metrics/file-lines.ts';
import type { RunFiles } from '../metrics/run-files.ts';
import { RunTimeSeries } from '../metrics/run-time-series.ts';
import { SAMPLE_LINE_BYTES_MAX } from '../metrics/samples-file.ts';
import { withPowerColumns, withServerColumns } from '../metrics/server-columns.ts';
import type { TimeSeries } from '../wire/api/run-answers.ts';
import { decodeSampleTimes } from '../wire/sample-times.ts';

/** undefined if there are no readable samples: a report without charts over time is still a report. */
export const runOverTime = async (
  { samples, server, power }: Pick<RunFiles, 'samples' | 'server' | 'power'>,
  { isStreaming }: { readonly isStreaming: boolean },
): Promise<TimeSeries | undefined> => {
  const series = new RunTimeSeries(isStreaming);
  try {
    for await (const line of fileLines(samples, { lineBytesMax: SAMPLE_LINE_BYTES_MAX })) {
      const sample = line.kind === 'too-long' ? undefined : decodeSampleTimes(line.text);
      if (sample !== undefined) series.add(sample);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
  return await withPowerColumns(power, await withServerColumns(server, series.series()));
};
