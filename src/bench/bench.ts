// One run from request to report: the composition of session, load threads, aggregator, event logger and run
// directory. When any part fails, the run still ends, and its report contains what was measured.

import { monotonicNs } from '../clock/system-clock.ts';
import { objectiveFields } from '../core/run/objective.ts';
import { NO_STOP_RULES } from '../core/run/run-stop.ts';
import { firstLine } from '../core/text/single-line.ts';
import { isKnown, isUnknown, unknown } from '../core/unknown.ts';
import { openSocketFolder } from '../messaging/zeromq/socket-folder.ts';
import { OwnProcessError } from '../process/own-process.ts';
import { BenchError } from './bench-error.ts';
import { type AggregatorChild, openAggregator } from './run/aggregator-child.ts';
import type { BenchParts, BenchResult, RunPart } from './run/bench-parts.ts';
import type { BenchRequest } from './run/bench-request.ts';
import { type EventLogChild, openEventLog } from './run/event-log-child.ts';
import { readProcText } from './run/host-watch.ts';
import { MachineConditions } from './run/machine-conditions.ts';
import { measure } from './run/measure.ts';
import { checkOpenFiles } from './run/open-files.ts';
import { BatchRelay, type PreparedLoad, prepareLoad, reportMs } from './run/prepare-load.ts';
import { readPromptOptions } from './run/read-prompt-options.ts';
import { openRunDirectory, type RunDirectory } from './run/run-directory.ts';
import { runConfig } from './run/run-plan.ts';
import { ServerFile } from './run/server-file.ts';
import { mayReportMetrics } from './run/server-watch.ts';
import { StopWatch } from './run/stop-watch.ts';
import { pageNextTo } from './target/find-metrics-page.ts';
import { SLOTS_PAGE } from './target/llama-slots.ts';
import { type ServerAnswer, withApiHeaders } from './target/query-server.ts';
import { pagePath } from './target/server-pages.ts';
import type { LoadGenerator, LoadSink } from './threads/load-generator.ts';

/**
 * @throws BenchError for bad input, an unreachable target, a directory that cannot be used; the reason of `stop` when
 * it aborts before there is anything to measure. Nothing is left running.
 */
export const runBench = async (request: BenchRequest, parts: BenchParts): Promise<BenchResult> => {
  const prompts = await readPromptOptions(request, parts.stop, parts.noncePrefix);
  const tokenizer =
    request.tokenizer === undefined
      ? undefined
      : await (await loadCounter()).answerCounter(request, request.tokenizer, parts.stop);
  await checkOpenFiles(request, parts.environment.cores, parts.part?.share);
  const directory = await openRunDirectory(parts.directory);
  let isBegun = false;
  try {
    await using sockets = await openSocketFolder(parts.temporaryFolder);
    const endpoints = {
      events: sockets.endpoint('events'),
      log: sockets.endpoint('log'),
      snapshots: sockets.endpoint('snapshots'),
    };
    await using samples = await directory.openSamples();
    const answers = tokenizer === undefined ? undefined : await directory.openAnswers();
    await using _answers = answers ?? NOTHING;
    const runZeroNs = monotonicNs();
    const relay = new BatchRelay();
    const publish = (batch: Uint8Array): void => relay.publish(batch);
    // Children and threads start in parallel. The first failure ends the others.
    const failed = new AbortController();
    const signal = AbortSignal.any([parts.stop, failed.signal]);
    let load: LoadGenerator | undefined;
    const stopping = new StopWatch(request.stopRules ?? NO_STOP_RULES, () => inFlightOf(load));
    const sink = tapped(
      {
        batch: publish,
        outcomes: news => stopping.add(news),
        sampleLines: (lines: Uint8Array) => samples.append(lines),
        answerLines: (lines: Uint8Array) => answers?.append(lines),
      },
      parts.tap,
    );
    const preparing = prepareLoad({ request, parts, prompts, sink, runZeroNs, signal });
    const onLookedAt = (isLookedAt: boolean): void =>
      void preparing.then(
        ({ load }) => load.reportEvery(reportMs(parts, isLookedAt)),
        () => undefined, // reported where it is awaited
      );
    const opening = [
      preparing,
      openAggregatorFor({ request, parts, directory, endpoints, signal, onLookedAt }),
      request.hasEventLog ? openEventLogFor({ parts, directory, endpoints, signal }) : undefined,
    ] as const;
    const [prepared, aggregator, eventLog] = await allOrNone(opening, failed);
    await using _aggregator = aggregator;
    await using _eventLog = eventLog ?? NOTHING;
    await using _prepared = prepared;
    const { server, plan, dataset, calibration, shortestTokens, stamps, notices } = prepared;
    load = prepared.load;
    const config = runConfig({
      ...parts,
      ...{ request, plan, dataset, calibration, shortestTokens, server, stamps },
    });
    await directory.writeConfig(config);
    relay.attach(batch => {
      aggregator.publish(batch);
      eventLog?.publish(batch);
    });
    isBegun = true;
    for (const notice of notices) parts.observer.notice(notice);
    parts.observer.started({
      config,
      directory: parts.directory,
      snapshotsEndpoint: endpoints.snapshots,
      runZeroNs,
      counts: () => prepared.load.counts,
    });
    const conditions = conditionsOf(request, parts);
    const serverFile = new ServerFile(directory.files.server);
    const run = await measure({
      parts,
      load,
      stopping,
      graceMs: request.shape.graceMs,
      aggregator,
      runZeroNs,
      publish,
      hasWarmup: plan.warmupRequests > 0,
      unmeasuredNs: plan.course?.measuredFromNs ?? 0,
      zero: parts.part === undefined ? undefined : zeroOf(parts.part, prepared),
      // An agent has only its share in flight, and each agent would request it.
      server:
        parts.part === undefined && request.targets === undefined
          ? metricsSource(request, server)
          : unknown('a run from many machines or against several servers does not read them'),
      serverFile,
      probes: probesOf(request, server, parts),
    });
    const { stop: stopped } = stopping;
    if (stopped?.cause === 'rejected' && parts.part !== undefined)
      throw new BenchError({ code: 'rejected', problem: stopped.problem, advice: stopped.advice });
    return await (await loadFinish()).finishRun({
      ...run,
      stopped,
      parts,
      config,
      directory,
      samples,
      tokenizer:
        answers === undefined || tokenizer === undefined ? undefined : { counter: tokenizer, answers },
      aggregator,
      eventLog,
      machine: conditions.figures(),
      notices: [
        ...notices,
        ...(parts.reported ?? []),
        ...conditions.sentences(),
        ...(await serverFile.close(SERVER_FILE_MS)),
      ],
    });
  } finally {
    if (!isBegun) await directory.discard();
  }
};

/** Needed at its end only. Not next to an `await using`: TypeScript 6.0 does not rewrite the path there. */
const loadFinish = () => import('./run/finish-run.ts');

const loadCounter = () => import('./run/count-answers.ts');

/** Unknown if it has none, or if the page of this server cannot be determined. */
const metricsSource = (
  { target, headers, api }: BenchRequest,
  { serverKind, metricsPath = pagePath(target, '/metrics', api) }: ServerAnswer,
): Parameters<typeof measure>[0]['server'] => {
  if (isKnown(serverKind) && !mayReportMetrics(serverKind))
    return unknown(`${serverKind} is not known to publish any`);
  if (isUnknown(metricsPath)) return metricsPath;
  return {
    server: target.server,
    headers,
    path: metricsPath,
    slotsPath: serverKind === 'llama.cpp' ? pageNextTo(metricsPath, SLOTS_PAGE) : undefined,
  };
};

/** Only of the machine that was started: its agents are not sent the option. */
const probesOf = (
  { probeRate, seed, api, target, headers, hasNonce }: BenchRequest,
  { model }: ServerAnswer,
  { noncePrefix }: BenchParts,
): Parameters<typeof measure>[0]['probes'] =>
  probeRate === undefined
    ? undefined
    : {
        requestsPerSecond: probeRate,
        seed,
        noncePrefix: hasNonce ? noncePrefix : undefined,
        request: { api, target, headers: withApiHeaders(headers, api), model },
      };

/** Of the last line. */
const SERVER_FILE_MS = 500;

const conditionsOf = (request: BenchRequest, { environment }: BenchParts): MachineConditions =>
  new MachineConditions({
    read: readProcText,
    platform: environment.os.split(' ')[0] ?? 'unknown',
    cores: environment.cores,
    host: request.target.server.host,
    nowNs: () => Number(monotonicNs()),
  });

const inFlightOf = (load: LoadGenerator | undefined): number =>
  load === undefined ? 0 : load.counts.issued - load.counts.ended;

const zeroOf =
  ({ zero }: RunPart, load: PreparedLoad) =>
  (): Promise<number | undefined> =>
    zero(load);

const tapped = (sink: LoadSink, tap: LoadSink | undefined): LoadSink =>
  tap === undefined
    ? sink
    : {
        ...sink,
        batch: records => {
          sink.batch(records);
          tap.batch(records);
        },
        sampleLines: lines => {
          sink.sampleLines(lines);
          tap.sampleLines(lines);
        },
      };

interface ChildOptions {
  readonly parts: BenchParts;
  readonly directory: RunDirectory;
  readonly endpoints: Readonly<Record<'events' | 'log' | 'snapshots', string>>;
  readonly signal: AbortSignal;
}

const openEventLogFor = ({ parts, directory, endpoints, signal }: ChildOptions): Promise<EventLogChild> =>
  openEventLog({
    endpoint: endpoints.log,
    file: directory.files.events,
    nodePath: parts.nodePath,
    env: parts.env,
    settings: parts.settings,
    signal,
  });

const openAggregatorFor = ({
  request,
  parts,
  directory,
  endpoints,
  signal,
  onLookedAt,
}: ChildOptions & {
  readonly request: BenchRequest;
  readonly onLookedAt: (isLookedAt: boolean) => void;
}): Promise<AggregatorChild> =>
  openAggregator({
    clock: parts.clock,
    eventsEndpoint: endpoints.events,
    arguments: {
      snapshotsEndpoint: endpoints.snapshots,
      file: directory.files.finalSnapshot,
      pattern: request.pattern,
      shape: request.shape,
      isStreaming: request.isStreaming,
      hasCells: parts.part !== undefined,
      isLookedAt: parts.isLookedAt ?? true,
      ...objectiveFields(request.objectives, request.attainment),
    },
    directory: directory.path,
    nodePath: parts.nodePath,
    env: parts.env,
    settings: parts.settings,
    signal,
    onSnapshot: snapshot => parts.observer.snapshot(snapshot),
    onLookedAt,
  });

/** All of them, or the first failure after the others were closed. */
const allOrNone = async <A, B, C>(
  opening: readonly [Promise<A>, Promise<B>, Promise<C> | undefined],
  failed: AbortController,
): Promise<[A, B, C | undefined]> => {
  try {
    return await Promise.all(opening);
  } catch (error) {
    failed.abort(error);
    for (const result of await Promise.allSettled(opening)) {
      if (result.status === 'fulfilled' && isDisposable(result.value))
        await result.value[Symbol.asyncDispose]();
    }
    throw error instanceof OwnProcessError ? cannotBegin(error) : error;
  }
};

const cannotBegin = (cause: OwnProcessError): BenchError =>
  new BenchError(
    {
      code: 'failed',
      problem: `the run could not start: ${firstLine(cause.message)}`,
      advice: 'A process that the run needs did not start. Is this machine out of memory, or was it killed?',
    },
    { cause },
  );

const isDisposable = (value: unknown): value is AsyncDisposable =>
  typeof value === 'object' && value !== null && Symbol.asyncDispose in value;

const NOTHING: AsyncDisposable = { [Symbol.asyncDispose]: async () => undefined };
