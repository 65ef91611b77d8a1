// The samples of all agents as those of one machine: sorted runs merged by the moment of each sample's end in the coordinator's
// time. A sample's stamps move together, by whole nanoseconds, so that nothing measured of it changes.

import type { EndedSample } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import { fileLines } from '../../metrics/file-lines.ts';
import { SAMPLE_LINE_BYTES_MAX } from '../../metrics/samples-file.ts';
import { decodeSampleLine } from '../../wire/sample-line.ts';
import type { ClockLine } from './clock-offset.ts';

export interface AgentSamples {
  /** Its sample file, as it came. */
  readonly path: string;
  /** Its run's zero on its own clock: stamps are counted from there. */
  readonly runZeroNs: number;
  readonly clock: ClockLine;
  /** Told of what is no sample of a whole file. */
  readonly unreadable: (reason: string) => void;
}

/** Every sample once, in the order of their ends as far as each file has them in order; stamps since the coordinator's zero. */
export async function* mergedSamples(
  agents: readonly AgentSamples[],
): AsyncGenerator<{ readonly agent: number; readonly sample: EndedSample }, void, void> {
  const heads: Head[] = [];
  for (const [agent, own] of agents.entries()) {
    const samples = samplesOf(own);
    const first = await samples.next();
    if (first.done !== true) heads.push({ agent, samples, sample: first.value });
  }
  // A few agents: the least of their heads is found sooner than a heap is kept.
  while (heads.length > 0) {
    let least = 0;
    for (let at = 1; at < heads.length; at += 1)
      if ((heads[at]?.sample.endNs ?? 0) < (heads[least]?.sample.endNs ?? 0)) least = at;
    const head = heads[least];
    if (head === undefined) return;
    yield { agent: head.agent, sample: head.sample };
    const next = await head.samples.next();
    if (next.done === true) heads.splice(least, 1);
    else head.sample = next.value;
  }
}

interface Head {
  readonly agent: number;
  readonly samples: AsyncGenerator<EndedSample, void, void>;
  sample: EndedSample;
}

async function* samplesOf({
  path,
  runZeroNs,
  clock,
  unreadable,
}: AgentSamples): AsyncGenerator<EndedSample, void, void> {
  for await (const line of fileLines(path, { lineBytesMax: SAMPLE_LINE_BYTES_MAX })) {
    if (line.kind === 'too-long') {
      unreadable('a line is too long');
      continue;
    }
    const decoded = decodeSampleLine(line.text);
    if (decoded.kind === 'sample') {
      const { sentNs } = decoded.sample;
      yield shifted(decoded.sample, Math.round(clock.toCoordinatorNs(runZeroNs + sentNs)) - sentNs);
    } else if (decoded.kind === 'unreadable') unreadable(decoded.reason);
  }
}

const shifted = (sample: EndedSample, byNs: number): EndedSample => ({
  ...sample,
  intendedNs: sample.intendedNs + byNs,
  sentNs: sample.sentNs + byNs,
  firstByteNs: shiftedStamp(sample.firstByteNs, byNs),
  firstContentNs: shiftedStamp(sample.firstContentNs, byNs),
  firstAnswerNs: shiftedStamp(sample.firstAnswerNs, byNs),
  endNs: sample.endNs + byNs,
});

const shiftedStamp = (stampNs: number, byNs: number): number =>
  stampNs === NO_FIGURE ? NO_FIGURE : stampNs + byNs;
