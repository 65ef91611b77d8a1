// The measured samples of a run for the formats of other tools, read from samples.jsonl line by line: a run of millions is
// never whole in memory. Each sample once, and only those whose stamps agree.

import { type EndedSample, OUTSIDE_WINDOWS } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import { fileLines } from '../../metrics/file-lines.ts';
import { sampleFigures } from '../../metrics/sample-figures.ts';
import { SAMPLE_LINE_BYTES_MAX } from '../../metrics/samples-file.ts';
import { SeenIds } from '../../metrics/seen-ids.ts';
import { decodeSampleLine } from '../../wire/sample-line.ts';

/** The measured samples from the first on, each time it is called. */
export type SampleReading = () => AsyncIterable<EndedSample>;

/** In the order in which they ended. @throws the system's error */
export async function* measuredSamples(samplesPath: string): AsyncGenerator<EndedSample, void, void> {
  const seen = new SeenIds();
  for await (const line of fileLines(samplesPath, { lineBytesMax: SAMPLE_LINE_BYTES_MAX })) {
    const decoded = line.kind === 'too-long' ? undefined : decodeSampleLine(line.text);
    if (decoded?.kind !== 'sample') continue;
    const { sample } = decoded;
    if (sample.window === OUTSIDE_WINDOWS || !seen.add(sample.sampleId)) continue;
    if (sample.outcome === 'completed' && sampleFigures(sample, true) === undefined) continue;
    yield sample;
  }
}

/** Nanoseconds since the run's zero; the end if no content came. */
export const lastContentNs = ({ firstContentNs, chunkGapsNs, endNs }: EndedSample): number =>
  firstContentNs === NO_FIGURE ? endNs : chunkGapsNs.reduce((sum, gap) => sum + gap, firstContentNs);
