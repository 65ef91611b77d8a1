// One run on several machines, from request to report: what runBench is for one. This process sends no load itself;
// each agent sends its share of one schedule to the target, and their measurements are merged here.

import { monotonicNs } from '../../clock/system-clock.ts';
import { shiftedFailures } from '../../core/run/failure-groups.ts';
import { LIVE_AGENT_TEXT_LENGTH_MAX, type LiveAgent } from '../../core/run/live-agent.ts';
import { judgedObjectives } from '../../core/run/objective.ts';
import type { RunConfig } from '../../core/run/report.ts';
import { RUN_RATES } from '../../core/run/run-rates.ts';
import { isOfSessions, shapeOf } from '../../core/run/run-shape.ts';
import { lookUp, type MetricsSnapshot } from '../../core/run/snapshot.ts';
import { unknown } from '../../core/unknown.ts';
import { type MessagePublisher, NEWEST_WINS } from '../../messaging/publisher.ts';
import { snapshotCodec } from '../../messaging/snapshot-message-codec.ts';
import { openSocketFolder } from '../../messaging/zeromq/socket-folder.ts';
import { openZeromqPublisher } from '../../messaging/zeromq/zeromq-publisher.ts';
import { buildReport } from '../../metrics/build-report.ts';
import { mergeSnapshots } from '../../metrics/merge-snapshots.ts';
import { type FinalState, type MetricsBody, MetricsPublisher } from '../../metrics/metrics-publisher.ts';
import { reportClient } from '../../metrics/report-client.ts';
import { RunMetrics } from '../../metrics/run-metrics.ts';
import { withSampleDetails } from '../../metrics/sample-details.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { renderReport } from '../../render/run/text-report.ts';
import { encodeSamplesEnd } from '../../wire/sample-line.ts';
import { snapshotToJson } from '../../wire/snapshot-codec.ts';
import { BenchError } from '../bench-error.ts';
import type { BenchParts, BenchResult } from '../run/bench-parts.ts';
import type { BenchRequest } from '../run/bench-request.ts';
import { readPromptOptions } from '../run/read-prompt-options.ts';
import { openRunDirectory } from '../run/run-directory.ts';
import { runConfig } from '../run/run-plan.ts';
import type { LoadCounts } from '../threads/load-generator.ts';
import type { AgentChannel } from './agent-channel.ts';
import { AgentLink, lossText } from './agent-link.ts';
import { clockLine } from './clock-offset.ts';
import { collectAgent, fleetMetrics, mergeSamplesOf, reportAgents } from './fleet-account.ts';
import { LiveFacts } from './live-facts.ts';
import { plannedArrivals } from './planned-arrivals.ts';
import { countedWarmup, type PreparedAgent, type PreparedFleet, prepareAgents } from './prepare-agents.ts';
import { runSplitSession, SplitPhases } from './split-session.ts';

/**
 * @param channels one for each agent, open
 * @throws BenchError for bad input, an agent that refuses or is lost before the start, a directory that cannot be
 * used; the reason of `stop` when it aborts before there is anything to measure. Every channel is closed in the end.
 */
export const runFleetBench = async (
  requested: BenchRequest,
  parts: BenchParts,
  channels: readonly AgentChannel[],
): Promise<BenchResult> => {
  const runZeroNs = monotonicNs();
  const nowNs = (): number => Number(monotonicNs() - runZeroNs);
  const phases = new SplitPhases(channels.length);
  let facts: LiveFacts | undefined;
  const links = channels.map(
    (channel, index) =>
      new AgentLink(channel, {
        clock: parts.clock,
        nowNs,
        onPhase: phase => phases.phase(index, phase),
        onFacts: reported => facts?.take(index, reported),
        onNotice: text => parts.observer.notice(text),
      }),
  );
  await using _links: AsyncDisposable = {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(links.map(link => link[Symbol.asyncDispose]()));
    },
  };
  const request = countedWarmup(requested, links.length);
  const prompts = await readPromptOptions(request, parts.stop, parts.noncePrefix);
  if (prompts.file?.sessions !== undefined)
    throw new BenchError({
      code: 'input',
      problem:
        'a trace cannot be split over several machines yet: prompts travel to agents, and its sessions do not',
      advice:
        'Leave out --from and --agents, or use --turns, or --multi-turn with a data set of conversations.',
    });
  if (prompts.file?.prompts.some(({ fields, tokenIds }) => (fields ?? tokenIds) !== undefined) === true)
    throw new BenchError({
      code: 'input',
      problem:
        'requests with fields of their own, or with token ids, cannot be split over several machines yet',
      advice: 'Leave out --from and --agents, or write the fields with --body.',
    });
  if (request.systemPrompt !== undefined)
    throw new BenchError({
      code: 'input',
      problem: 'a system prompt does not travel to other machines yet',
      advice: 'Leave out --system-prompt, or write it into the data set.',
    });
  const directory = await openRunDirectory(parts.directory);
  let isBegun = false;
  try {
    await using sockets = await openSocketFolder(parts.temporaryFolder);
    const fleet = await prepareAgents({ request, parts, prompts, links });
    const samples = await directory.openSamples();
    const config = fleetConfig(request, parts, fleet);
    await directory.writeConfig(config);
    const metrics = new RunMetrics(metricsOptions(config));
    const shiftsNs = agentShiftsNs(fleet);
    const received = liveFacts(config, parts, fleet, shiftsNs);
    facts = received;
    let measuringSinceNs = 0;
    let final: Omit<MetricsBody, 'state'> = { pendingTasks: 0, metrics: [] };
    let reported: MetricsSnapshot | undefined;
    const endpoint = sockets.endpoint('snapshots');
    const zeromq = await openZeromqPublisher(endpoint, snapshotCodec, NEWEST_WINS);
    const seen: MessagePublisher<MetricsSnapshot> = observed(zeromq, snapshot => {
      reported = snapshot;
      parts.observer.snapshot(snapshot);
    });
    await using _publisher = seen;
    const publisher = new MetricsPublisher({
      clock: parts.clock,
      publisher: seen,
      monotonicNs,
      writeFile: snapshot => writeFileAtomic(directory.files.finalSnapshot, snapshotToJson(snapshot)),
      live: () => {
        const reported = fleet.agents.flatMap(({ link }, index) =>
          onOurClock(link.snapshot, shiftsNs[index]),
        );
        const objectives = received.answers();
        return {
          ...mergeSnapshots(reported, { state: 'live', measuringSinceNs }),
          ...(objectives === undefined ? {} : { objectives }),
          bounds: unknown('of a run from many machines they are counted at its end'),
          agents: liveAgents(fleet.agents, config),
        };
      },
      final: state => ({ state, ...final }),
    });
    isBegun = true;
    for (const notice of fleet.notices) parts.observer.notice(notice);
    parts.observer.started({
      config,
      directory: parts.directory,
      snapshotsEndpoint: endpoint,
      runZeroNs,
      counts: () => countsOf(reported),
    });
    publisher.start();
    const ends = await runSplitSession({
      parts,
      agents: fleet.agents,
      nowNs,
      unmeasuredNs: fleet.plan.course?.measuredFromNs ?? 0,
      phases,
      onStart: fromNs => {
        measuringSinceNs = Math.round(Number(runZeroNs) + fromNs);
        received.started(fromNs, nowNs);
      },
    });
    const isInterrupted = parts.stop.aborted;
    const collected = [];
    for (const [index, agent] of fleet.agents.entries())
      collected.push(await collectAgent({ agent, ended: ends[index], index }, directory.path, parts.stopNow));
    const merged = await mergeSamplesOf({
      ends: collected,
      metrics,
      append: async lines => {
        samples.append(lines);
        await samples.settled();
      },
      sample: sample => received.sample(sample),
    });
    received.end();
    const problems = [...collected.flatMap(end => end.problems), ...merged.problems];
    final = fleetMetrics(collected, metrics, measuringSinceNs);
    const { samplesIssued, trackedSamplesIssued } = metrics.counters;
    samples.append(
      Buffer.from(
        encodeSamplesEnd({
          issued: samplesIssued.value,
          trackedIssued: trackedSamplesIssued.value,
          state: isInterrupted ? 'interrupted' : 'complete',
          problems,
        }),
      ),
    );
    await samples.close(AbortSignal.timeout(parts.settings.diskMsMax));
    const state: FinalState = isInterrupted ? 'interrupted' : 'complete';
    const delivery = await publisher.publishFinal({ state, lingerMs: parts.settings.lingerMs });
    parts.observer.phase('ended');
    const isEndedEarly = parts.early?.drain.aborted === true || parts.early?.cancel.aborted === true;
    const planned =
      isInterrupted || isEndedEarly
        ? unknown('the load was ended before its time')
        : isOfSessions(request.shape)
          ? unknown('a schedule plans sessions, and each has turns of its own')
          : plannedArrivals(fleet.plan, links.length);
    const counted = buildReport({
      config,
      snapshot: { seq: (reported?.seq ?? 0) + 1, timestampNs: Number(monotonicNs()), state, ...final },
      source: delivery.disk.kind === 'done' ? 'final-snapshot-file' : 'complete-message',
      droppedEvents: 0,
      eventLogDropped: 0,
      isInterrupted,
      runProblems: [...problems, ...(samples.problem === undefined ? [] : [samples.problem])],
      sourceProblems: [],
      notices: fleet.notices,
      agents: reportAgents(collected, planned),
    });
    const whole = await withSampleDetails(counted, directory.files.samples);
    const report = parts.judge === undefined ? whole : { ...whole, ...(await parts.judge(whole)) };
    const full = renderReport(report, { isUnicode: true, isFull: true });
    const diskProblems = await directory.writeReport(report, `${full.join('\n')}\n`);
    return { report, diskProblems };
  } finally {
    if (!isBegun) await directory.discard();
  }
};

const fleetConfig = (
  request: BenchRequest,
  parts: BenchParts,
  { plan, dataset, survey, agents }: PreparedFleet,
): RunConfig => {
  const config = runConfig({
    ...parts,
    request,
    plan,
    dataset,
    calibration: survey.calibration,
    shortestTokens: survey.shortestTokens,
    server: survey,
    stamps: unknown('of each machine in `agents`'),
  });
  return { ...config, run: { ...config.run, from: agents.map(({ link }) => link.name) } };
};

/** Created before the start, so that it uses the clock offsets of that moment. */
const liveFacts = (
  config: RunConfig,
  { tap }: BenchParts,
  { agents }: PreparedFleet,
  shiftsNs: readonly number[],
): LiveFacts =>
  new LiveFacts({
    tap,
    judged: judgedObjectives(config),
    isStreaming: config.run.streaming,
    shiftsNs,
    isLost: agent => agents[agent]?.link.loss !== undefined,
  });

/** By how much the zero of each agent is later than the coordinator's, ns. */
const agentShiftsNs = ({ agents }: PreparedFleet): readonly number[] =>
  agents.map(({ clock, ready }) => Math.round(clockLine(clock, undefined).toCoordinatorNs(ready.runZeroNs)));

/** Times are converted to the coordinator's clock before snapshots are merged. */
const onOurClock = (
  snapshot: MetricsSnapshot | undefined,
  shiftNs: number | undefined,
): readonly MetricsSnapshot[] => {
  if (snapshot?.failures === undefined) return snapshot === undefined ? [] : [snapshot];
  return [{ ...snapshot, failures: shiftedFailures(snapshot.failures, shiftNs ?? 0) }];
};

const metricsOptions = ({ run, ...config }: RunConfig): ConstructorParameters<typeof RunMetrics>[0] => ({
  pattern: run.pattern,
  shape: shapeOf(run),
  isStreaming: run.streaming,
  objectives: config.objectives,
  judged: judgedObjectives(config),
});

const observed = <T>(publisher: MessagePublisher<T>, see: (item: T) => void): MessagePublisher<T> => ({
  endpoint: publisher.endpoint,
  publish: item => {
    see(item);
    return publisher.publish(item);
  },
  waitForSubscribers: (count, signal) => publisher.waitForSubscribers(count, signal),
  get subscriberCount() {
    return publisher.subscriberCount;
  },
  get droppedCount() {
    return publisher.droppedCount;
  },
  get queuedBytes() {
    return publisher.queuedBytes;
  },
  close: lingerMs => publisher.close(lingerMs),
  [Symbol.asyncDispose]: () => publisher[Symbol.asyncDispose](),
});

const countsOf = (snapshot: MetricsSnapshot | undefined): LoadCounts => {
  const metrics = lookUp(snapshot);
  const all = metrics.counts('all');
  const measured = metrics.counts('measured');
  return {
    issued: all.issued,
    warmup: all.issued - measured.issued,
    ended: all.completed + all.failed + all.cancelled,
  };
};

// Each agent's state from its newest snapshot, for views of a run in progress: judged as its report will be.
const liveAgents = (agents: readonly PreparedAgent[], { run }: RunConfig): readonly LiveAgent[] =>
  agents.map(({ link: { name, loss, snapshot }, ready: { stamps } }): LiveAgent => {
    const metrics = lookUp(snapshot);
    const { pattern, streaming: isStreaming } = run;
    const droppedEvents = metrics.counter('droppedEvents');
    const { verdict, reasons } = reportClient(metrics, { pattern, stamps, droppedEvents });
    const [reason = ''] = verdict === 'client-bound' ? reasons : [];
    return {
      agent: name.slice(0, LIVE_AGENT_TEXT_LENGTH_MAX),
      state: loss === undefined ? 'loading' : 'lost',
      counts: metrics.counts('measured'),
      requestsPerSecond: RUN_RATES.requestsPerSecond.of({
        metrics,
        run: { pattern, isStreaming },
        objectives: [],
      }),
      verdict,
      reason: (loss === undefined ? reason : lossText(loss)).slice(0, LIVE_AGENT_TEXT_LENGTH_MAX),
    };
  });
