// The result of a run on several machines: the sample files of all agents collected and merged into one, counted by
// the same code as any run, and each agent's report about itself.

import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { counted } from '../../core/figure/figure.ts';
import { errorCode } from '../../core/problem.ts';
import { pushAll } from '../../core/push-all.ts';
import type { EndedSample } from '../../core/run/ended-sample.ts';
import type { Report } from '../../core/run/report.ts';
import type { ReportAgent } from '../../core/run/report-agent.ts';
import type { SkippedTurn } from '../../core/run/session-outcome.ts';
import { lookUp, type MetricsSnapshot } from '../../core/run/snapshot.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { mergeSnapshots } from '../../metrics/merge-snapshots.ts';
import type { MetricsBody } from '../../metrics/metrics-publisher.ts';
import { isOfClient } from '../../metrics/report-client.ts';
import type { RunMetrics } from '../../metrics/run-metrics.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { encodeSkippedLine } from '../../wire/sample-line.ts';
import { reportFromJson } from '../../wire/stored-json.ts';
import { AgentLostError, type AgentReplyOf, lossText } from './agent-link.ts';
import { type ClockLine, clockLine } from './clock-offset.ts';
import { type FilePart, PartReader } from './file-parts.ts';
import type { PreparedAgent } from './prepare-agents.ts';
import { type AgentSamples, SampleRun } from './sample-run.ts';

/** One agent at the end of a run. */
interface AgentEnd {
  readonly agent: PreparedAgent;
  /** undefined: it was lost, or not awaited. */
  readonly ended: AgentReplyOf<'ended'> | undefined;
  readonly clock: ClockLine;
  /** Path in its folder of the run directory with the samples that arrived. undefined: it could not be created. */
  readonly samplesPath: string | undefined;
  readonly report: Report | undefined;
  readonly problems: readonly string[];
}

/** Measures the clocks once more, then collects the sample files, each into its own folder under `directory`. */
export const collectAgent = async (
  {
    agent,
    ended,
    index,
  }: {
    readonly agent: PreparedAgent;
    readonly ended: AgentReplyOf<'ended'> | undefined;
    readonly index: number;
  },
  directory: string,
  stopNow: AbortSignal,
): Promise<AgentEnd> => {
  const { link } = agent;
  const folder = join(directory, AGENTS_FOLDER, String(index));
  const samplesPath = join(folder, 'samples.jsonl');
  const problems: string[] = [];
  let after: PreparedAgent['clock'] | undefined;
  let hasSamples = false;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await using file = await open(samplesPath, 'wx', 0o600);
    hasSamples = true;
    if (ended !== undefined && !stopNow.aborted) {
      after = await link.reportTime(stopNow);
      await collectSamples(agent, file);
      if (ended.report !== '') await writeFile(join(folder, 'report.json'), ended.report, { mode: 0o600 });
      await link.done();
    }
  } catch (error) {
    // An agent that does not receive this acknowledgement keeps its samples.
    const isOfAgent = error instanceof DecodeError || error instanceof AgentLostError;
    const unkept = isOfAgent || stopNow.aborted ? undefined : errorCode(error);
    if (error instanceof DecodeError)
      problems.push(`${link.name}: its samples cannot be read: ${error.message}`);
    else if (unkept !== undefined)
      problems.push(`${link.name}: its samples could not be kept in ${folder}: ${diskReason(error)}`);
    else if (!(error instanceof AgentLostError) && !stopNow.aborted) throw error;
  }
  const report = reportOf(ended, problems, link.name);
  if (link.loss !== undefined) problems.unshift(`${link.name} was lost: ${lossText(link.loss)}`);
  else if (ended === undefined) problems.push(`${link.name} was not waited for`);
  pushAll(
    problems,
    (ended?.runProblems ?? []).map(problem => `${link.name}: ${problem}`),
  );
  return {
    agent,
    ended,
    clock: clockLine(agent.clock, after),
    samplesPath: hasSamples ? samplesPath : undefined,
    report,
    problems,
  };
};

const collectSamples = async ({ link }: PreparedAgent, file: FileHandle): Promise<void> => {
  const reader = new PartReader('agentSamples');
  await link.collect(async (part: FilePart) => {
    await file.writeFile(await reader.read(part));
  });
};

const reportOf = (
  ended: AgentReplyOf<'ended'> | undefined,
  problems: string[],
  name: string,
): Report | undefined => {
  if (ended === undefined || ended.report === '') return undefined;
  try {
    return reportFromJson(ended.report);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    problems.push(`${name}: its report cannot be read: ${error.message}`);
    return undefined;
  }
};

interface SampleMerge {
  readonly ends: readonly AgentEnd[];
  /** Empty. */
  readonly metrics: RunMetrics;
  /** Takes lines of the merged samples.jsonl, some at a time. */
  readonly append: (lines: Buffer) => Promise<void>;
  readonly sample: (sample: EndedSample) => void;
}

/** Number of samples from each agent, in the order of the agents. */
export const mergeSamplesOf = async ({
  ends,
  metrics,
  append,
  sample: reported,
}: SampleMerge): Promise<{ readonly counts: readonly number[]; readonly problems: readonly string[] }> => {
  const unreadable = ends.map(() => 0);
  let skipped: SkippedTurn[] = [];
  const sources = ends.map(
    ({ agent, clock, samplesPath: path }, index): AgentSamples => ({
      path,
      runZeroNs: agent.ready.runZeroNs,
      clock,
      skipped: turn => skipped.push(turn),
      unreadable: () => {
        unreadable[index] = (unreadable[index] ?? 0) + 1;
      },
    }),
  );
  const appendSkipped = async (): Promise<void> => {
    if (skipped.length === 0) return;
    const lines = skipped.map(encodeSkippedLine).join('');
    for (const turn of skipped) metrics.skipped(turn);
    skipped = [];
    await append(Buffer.from(lines));
  };
  const counts = ends.map(() => 0);
  for await (const { samples, agents, lines } of mergedSamples(sources)) {
    for (const agent of agents) counts[agent] = (counts[agent] ?? 0) + 1;
    for (const sample of samples) {
      metrics.issued(sample);
      metrics.ended(sample);
      reported(sample);
    }
    await append(lines);
    await appendSkipped();
  }
  await appendSkipped();
  const problems = ends.flatMap(({ agent }, index) =>
    (unreadable[index] ?? 0) > 0
      ? [`${counted(unreadable[index] ?? 0, 'line')} of the samples of ${agent.link.name} could not be read`]
      : [],
  );
  return { counts, problems };
};

/**
 * Figures of samples are exact, those of clients come from their histograms; `issued` is what agents reported, with
 * samples or without.
 */
export const fleetMetrics = (
  ends: readonly AgentEnd[],
  metrics: RunMetrics,
  measuringSinceNs: number,
): Omit<MetricsBody, 'state'> => {
  const reported = ends.flatMap(({ agent }) => agent.link.snapshot ?? []);
  const merged = lookUp(asSnapshot(mergeSnapshots(reported, { state: 'complete', measuringSinceNs })));
  const { samplesIssued, trackedSamplesIssued, measuringSinceNs: since } = metrics.counters;
  samplesIssued.set(Math.max(samplesIssued.value, merged.counts('all').issued));
  trackedSamplesIssued.set(Math.max(trackedSamplesIssued.value, merged.counts('measured').issued));
  since.set(measuringSinceNs);
  for (const { agent, clock } of ends) {
    const { name, snapshot } = agent.link;
    metrics.bounds.addAgent(snapshot?.boundParts, { name, clockErrorNs: clock.errorNs });
    const { counter } = lookUp(snapshot);
    metrics.bounds.throttled(counter('client.throttledNs'), counter('client.throttleObservedNs'), name);
  }
  const body = mergeSnapshots(reported, { state: 'complete', measuringSinceNs });
  const clients = new Map(
    body.metrics
      .filter(({ name }) => isOfClient(name) || OF_RECORDS.has(name))
      .map(metric => [metric.name, metric]),
  );
  return {
    pendingTasks: body.pendingTasks,
    metrics: metrics.final().map(metric => clients.get(metric.name) ?? metric),
    objectives: metrics.answers(),
    bounds: metrics.bounds.ofRun(),
    ...metrics.failures(),
  };
};

const asSnapshot = (body: MetricsBody): MetricsSnapshot => ({ seq: 1, timestampNs: 0, ...body });

export const reportAgents = (
  ends: readonly AgentEnd[],
  planned: Reported<readonly number[]>,
): readonly ReportAgent[] =>
  ends.map(({ agent, ended, clock, report, problems }, index): ReportAgent => {
    const { link, hello } = agent;
    const counts = report?.counts ?? lookUp(link.snapshot).counts('measured');
    return {
      name: link.name,
      version: hello.version,
      state: link.loss !== undefined || ended === undefined ? 'lost' : ended.state,
      reason: problems.join('; '),
      // Counters of a live snapshot are a moment apart.
      counts: { ...counts, unresolved: Math.max(0, counts.unresolved) },
      errors: report?.errors ?? {},
      verdict: report?.client.verdict ?? 'unknown',
      verdictReasons: report?.client.reasons ?? ['it left the run before it reported on its own machine'],
      stamps: agent.ready.stamps,
      sendLatenessNsP99: latenessOf(report),
      clockErrorMs: clock.errorNs / 1e6,
      clockDriftPpm: clock.drift === 0 ? unknown('measured once') : clock.drift * 1e6,
      planned:
        ended?.state === 'complete'
          ? isUnknown(planned)
            ? planned
            : (planned[index] ?? unknown('no schedule plans it'))
          : unknown('the run was cut short'),
      cpu: hello.environment.cpu,
      cores: hello.environment.cores,
    };
  });

const latenessOf = (report: Report | undefined): Reported<number> => {
  if (report === undefined) return unknown('it left the run before it reported this');
  const { sendLatenessNs } = report.client;
  return isUnknown(sendLatenessNs) ? sendLatenessNs : sendLatenessNs.p99;
};

/** Counted by the aggregator of each agent, from records that no sample contains. */
const OF_RECORDS: ReadonlySet<string> = new Set([
  'recordsReceived',
  'droppedEvents',
  'recordsUndecodable',
  'recordsDuplicate',
  'recordsLate',
  'recordsUnknown',
  'recordsAfterEnd',
  'recordsRefused',
  'samplesNotFollowed',
  'errorsOutsideSamples',
  'tasksFailed',
]);
const AGENTS_FOLDER = 'agents';

// Merges the samples of all agents into those of one run: sorted runs merged by the end of each sample in the
// coordinator's time, together with their lines, some thousands at a time.
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
