// Merges the samples of all agents into those of one run: sorted runs merged by the end of each sample in the
// coordinator's time, together with their lines, some thousands at a time.

import type { EndedSample } from '../../core/run/ended-sample.ts';
import { type AgentSamples, SampleRun } from './sample-run.ts';

interface MergedBlock {
  readonly samples: readonly EndedSample[];
  /** For each sample, the agent that sent it. */
  readonly agents: readonly number[];
  /** Their lines of samples.jsonl. */
  readonly lines: Buffer;
}

/**
 * Yields every sample once, in the order of their ends as far as each file is sorted; stamps since the coordinator's
 * zero.
 */
export async function* mergedSamples(
  agents: readonly AgentSamples[],
): AsyncGenerator<MergedBlock, void, void> {
  const runs: SampleRun[] = [];
  for (const [agent, source] of agents.entries()) {
    const run = new SampleRun(agent, source);
    if (await run.load()) runs.push(run);
  }
  let block: { readonly samples: EndedSample[]; readonly agents: number[] } = { samples: [], agents: [] };
  let lines: Buffer = Buffer.allocUnsafe(LINES_BYTES);
  let filled = 0;
  while (runs.length > 0) {
    const least = leastOf(runs);
    const run = runs[least];
    const sample = run?.sample;
    if (run === undefined || sample === undefined) return;
    const room = run.lineBytesMax;
    if (filled > 0 && filled + room > lines.length) {
      yield { ...block, lines: lines.subarray(0, filled) };
      block = { samples: [], agents: [] };
      lines = Buffer.allocUnsafe(LINES_BYTES);
      filled = 0;
    }
    if (room > lines.length) lines = Buffer.allocUnsafe(room);
    filled = run.writeLine(lines, filled);
    block.samples.push(sample);
    block.agents.push(run.agent);
    if (!(run.next() || (await run.load()))) runs.splice(least, 1);
  }
  if (filled > 0) yield { ...block, lines: lines.subarray(0, filled) };
}

/** For a few agents a linear search is faster than a heap. */
const leastOf = (runs: readonly SampleRun[]): number => {
  let least = 0;
  let leastNs = runs[0]?.sample?.endNs ?? 0;
  for (let at = 1; at < runs.length; at += 1) {
    const endNs = runs[at]?.sample?.endNs ?? 0;
    if (endNs >= leastNs) continue;
    least = at;
    leastNs = endNs;
  }
  return least;
};

const LINES_BYTES = 262_144;
