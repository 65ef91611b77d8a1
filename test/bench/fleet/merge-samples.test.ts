import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clockLine } from '../../../src/bench/fleet/clock-offset.ts';
import { mergedSamples } from '../../../src/bench/fleet/fleet-account.ts';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import { shiftedSample } from '../../../src/wire/own-sample-line.ts';
import { encodeSampleLine, encodeSamplesEnd } from '../../../src/wire/sample-line.ts';
import { arbitrarySample } from '../../support/arbitrary-sample.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const HOUR_NS = 3_600e9;
const END = encodeSamplesEnd({ issued: 1, trackedIssued: 1, state: 'complete' });

interface Merged {
  readonly agents: readonly number[];
  readonly samples: readonly EndedSample[];
  readonly text: string;
  readonly unreadable: readonly string[];
}

/** @param files of each agent, whose clock is so many hours ahead as its number */
const merged = async (files: readonly string[]): Promise<Merged> => {
  using folder = temporaryDirectory();
  const unreadable: string[] = [];
  const sources = files.map((text, agent) => {
    const path = join(folder.path, String(agent));
    writeFileSync(path, text);
    const clock = clockLine(
      { atNs: 0, offsetNs: agent * HOUR_NS, errorNs: 1, worstRoundTripNs: 2 },
      undefined,
    );
    const reported = (reason: string): void => void unreadable.push(`${agent}: ${reason}`);
    return {
      path,
      runZeroNs: agent * HOUR_NS + 1_000,
      clock,
      skipped: () => undefined,
      unreadable: reported,
    };
  });
  const agents: number[] = [];
  const samples: EndedSample[] = [];
  let text = '';
  for await (const block of mergedSamples(sources)) {
    agents.push(...block.agents);
    samples.push(...block.samples);
    text += block.lines.toString('utf8');
  }
  return { agents, samples, text, unreadable };
};

const inOrder = (samples: readonly EndedSample[]): readonly EndedSample[] =>
  samples.toSorted((a, b) => a.endNs - b.endNs);

describe('samples of several agents', () => {
  test('come as those of one machine: each once, by their ends in one time, with the lines of a run', async () => {
    const file = fc.array(arbitrarySample, { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 5 }), async files => {
        const sorted = files.map(inOrder);
        const all = sorted.flatMap(samples => samples.map(sample => shiftedSample(sample, 1_000)));
        const seen = await merged(sorted.map(samples => samples.map(encodeSampleLine).join('') + END));
        expect(seen.samples).toEqual(inOrder(all));
        expect(seen.text).toBe(seen.samples.map(encodeSampleLine).join(''));
        for (const [agent, own] of sorted.entries())
          expect(seen.samples.filter((_, at) => seen.agents[at] === agent)).toHaveLength(own.length);
        expect(seen.unreadable).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('also where a line is longer than what is read or written at once', async () => {
    const [one, other] = fc
      .sample(
        arbitrarySample.filter(({ firstContentNs }) => firstContentNs >= 0),
        { numRuns: 2, seed: 7 },
      )
      .map((sample): EndedSample => ({ ...sample, outcome: 'completed', failure: undefined }));
    if (one === undefined || other === undefined) throw new Error('no sample was made');
    const long = { ...one, chunkGapsNs: Array.from({ length: 400_000 }, (_, at) => 9_000_000 + at) };
    const files = [encodeSampleLine(long) + encodeSampleLine({ ...other, endNs: long.endNs + 1 }) + END];
    const { samples, text } = await merged(files);
    expect(samples.map(({ chunkGapsNs }) => chunkGapsNs.length)).toEqual([400_000, other.chunkGapsNs.length]);
    expect(text).toBe(samples.map(encodeSampleLine).join(''));
  });

  test('that cannot be read are reported, and the others counted', async () => {
    const [sample] = fc.sample(arbitrarySample, { numRuns: 1, seed: 3 });
    if (sample === undefined) throw new Error('no sample was made');
    const line = encodeSampleLine(sample);
    const { agents, unreadable } = await merged([`${line}nonsense\n`, `${line.slice(0, 90)}`, '', line]);
    expect(agents.toSorted()).toEqual([0, 3]);
    expect(unreadable.map(text => text.slice(0, 2)).toSorted()).toEqual(['0:', '1:']);
  });
});
