// The load side of a run, ready to start: the server was surveyed, the plan is made, threads are up and connections
// open. It runs in parallel with the start of the child processes, and its few early records wait for them.

import { readdir, readFile } from 'node:fs/promises';
import { counted } from '../../core/figure/figure.ts';
import type { RunRequests } from '../../core/run/run-requests.ts';
import { lastLine } from '../../core/text/single-line.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';
import { type Env, runTool } from '../../process/child.ts';
import { BenchError } from '../bench-error.ts';
import type { FolderImages } from '../dataset/image-folder.ts';
import { type PlannedPrompts, type PromptOptions, plannedPrompts } from '../dataset/planned-prompts.ts';
import { imagesInTurn, madeUpImages, withImages } from '../dataset/synthetic-images.ts';
import { type LoadPlan, loadDigest } from '../load/load-plan.ts';
import { WHOLE_LOAD } from '../schedule/arrivals.ts';
import { awaitServer } from '../target/await-server.ts';
import type { ServerAnswer } from '../target/query-server.ts';
import type { LoadGenerator, LoadSink } from '../threads/load-generator.ts';
import { createLoadGenerator } from '../threads/threaded-load-generator.ts';
import type { BenchParts, PlannedPart, ReadyLoad, RunPart } from './bench-parts.ts';
import type { BenchRequest } from './bench-request.ts';
import { contextNotices } from './context-room.ts';
import { resolveAddresses } from './resolve-addresses.ts';
import { loadPlan } from './run-plan.ts';
import { type ServerSurvey, surveyServer } from './survey-server.ts';
import { shownTarget } from './target-spread.ts';

export interface PreparedLoad extends ReadyLoad, AsyncDisposable {
  readonly server: ServerAnswer;
  readonly plan: LoadPlan;
  readonly dataset: PlannedPrompts;
  readonly calibration: RunRequests['calibration'];
  readonly shortestTokens: RunRequests['shortestTokens'];
  readonly load: LoadGenerator;
  /** Notices for the user about server and connections. */
  readonly notices: readonly string[];
}

interface LoadPreparation {
  readonly request: BenchRequest;
  readonly parts: BenchParts;
  readonly prompts: PromptOptions;
  readonly sink: LoadSink;
  readonly runZeroNs: bigint;
  readonly signal: AbortSignal;
}

/** @throws BenchError when the target is unreachable, or the prompts are too large; the signal's reason. */
export const prepareLoad = async (options: LoadPreparation): Promise<PreparedLoad> => {
  const { request, parts, sink, runZeroNs, signal } = options;
  if (request.waitMs !== undefined && parts.part === undefined)
    await awaitServer(
      { ...request, clock: parts.clock },
      {
        waitMs: request.waitMs,
        problem: `${request.target.shown} did not answer within ${request.waitMs / 1_000} s`,
        advice: 'Start the server, or give it more time: --wait 10m',
      },
      signal,
    );
  const survey =
    parts.part?.survey ??
    (await surveyServer({ ...options, noncePrefix: parts.noncePrefix, settings: parts.settings }));
  const { plan, dataset } = await (parts.part?.planned === undefined
    ? plannedHere(options, survey)
    : plannedElsewhere(parts.part, parts.part.planned, signal));
  const load = createLoadGenerator(plan, sink, {
    clock: parts.clock,
    runZeroNs,
    reportMs: reportMs(parts, parts.isLookedAt ?? true),
    ...(parts.entries === undefined ? {} : { entries: parts.entries }),
  });
  try {
    const opened = await openAll(load, request, signal);
    return {
      server: survey,
      plan,
      dataset,
      calibration: survey.calibration,
      shortestTokens: survey.shortestTokens,
      connectionsOpened: opened.opened,
      stamps: opened.stamps,
      notices: [
        // For a part of a run, the coordinator reports it once for all.
        ...(parts.part === undefined ? contextNotices(survey, dataset) : []),
        ...survey.notices,
        ...opened.notices,
        ...([request.target, ...(request.targets ?? []).map(({ target }) => target)].some(
          ({ server }) => server.tls?.isInsecure === true,
        )
          ? ['the TLS certificate of the server was not verified (--insecure)']
          : []),
        ...(request.hasRealTimeThreads ? [await makeLoadThreadsRealTime({ env: parts.env, signal })] : []),
      ],
      load,
      [Symbol.asyncDispose]: () => load[Symbol.asyncDispose](),
    };
  } catch (error) {
    await load[Symbol.asyncDispose]();
    throw error;
  }
};

const plannedHere = async (
  { request, parts, prompts, signal }: LoadPreparation,
  survey: ServerSurvey,
): Promise<Pick<PlannedPart, 'plan' | 'dataset'>> => {
  const dataset = illustrated(plannedPrompts(prompts, survey.costs), request, prompts.images);
  // Several machines would each number them separately.
  const addresses =
    request.targets === undefined && parts.part === undefined
      ? await resolveAddresses(request.target.server, { ...parts, signal })
      : undefined;
  const plan = loadPlan({
    addresses,
    request,
    dataset,
    server: survey,
    cores: parts.environment.cores,
    noncePrefix: parts.noncePrefix,
    heartbeatMsMax: parts.settings.heartbeatMsMax,
    share: parts.part?.share ?? WHOLE_LOAD,
    ...(parts.part?.connectionsMax === undefined ? {} : { connectionsMax: parts.part.connectionsMax }),
  });
  if (parts.part !== undefined) checkBodies(loadDigest(plan), parts.part);
  return { plan, dataset };
};

const plannedElsewhere = async (
  part: RunPart,
  planned: NonNullable<RunPart['planned']>,
  signal: AbortSignal,
): Promise<Pick<PlannedPart, 'plan' | 'dataset'>> => {
  const { plan, dataset, bodiesDigest } = await planned(signal);
  checkBodies(bodiesDigest, part);
  return { plan, dataset };
};

const illustrated = (
  dataset: PlannedPrompts,
  { images: options, seed }: BenchRequest,
  folder: FolderImages | undefined,
): PlannedPrompts => {
  if (options === undefined) return dataset;
  const { count, source } = options;
  if (source.kind === 'made-up')
    return {
      ...dataset,
      prompts: withImages(dataset.prompts, count, madeUpImages(source, seed)),
      description: `${dataset.description}, each with ${count} of ${source.width}x${source.height} pixels`,
    };
  if (folder === undefined) throw new Error('the pictures of a folder were not read');
  const { shownPath, dataUrls, sha256 } = folder;
  return {
    ...dataset,
    prompts: withImages(dataset.prompts, count, imagesInTurn(dataUrls)),
    description: `${dataset.description}, each with ${count} of the ${dataUrls.length} pictures of ${shownPath} (digest 2: ${sha256.slice(0, 12)})`,
  };
};

/** Another version of Plimsoll may generate other prompts from the same seed. */
const checkBodies = (digest: string, { bodiesDigest: expected }: RunPart): void => {
  if (digest === expected) return;
  throw new BenchError({
    code: 'prompts-differ',
    problem: 'this machine would send other requests than the coordinator has planned',
    advice: 'Use the same version of Plimsoll on all machines of the run.',
  });
};

/** One open connection is enough to begin: later failures are failures of samples. */
const openAll = async (
  load: LoadGenerator,
  request: BenchRequest,
  stop: AbortSignal,
): Promise<{
  readonly opened: number;
  readonly stamps: ReadyLoad['stamps'];
  readonly notices: readonly string[];
}> => {
  const stopLoad = (): void => load.stop();
  stop.addEventListener('abort', stopLoad, { once: true });
  const { opened, failed, problem, dead = [], stamps = NOT_STATED } = await load.open();
  stop.removeEventListener('abort', stopLoad);
  stop.throwIfAborted();
  if (opened === 0 && failed === 0) {
    throw new BenchError({
      code: 'failed',
      problem: `the load could not start: ${problem?.problem ?? 'no connection was requested'}`,
      advice: 'Nothing was sent, so the target is not the cause: the sentence above names it.',
    });
  }
  if (opened === 0) {
    throw new BenchError({
      code: 'unreachable',
      problem: `${shownTarget(request)} cannot be reached: ${problem?.problem ?? 'no connection could be opened'}`,
      advice: problem?.advice ?? 'Start the server, or check host and port.',
    });
  }
  const notices =
    failed === 0
      ? []
      : [
          `${failed} of ${counted(opened + failed, 'connection')} could not be opened: ${problem?.problem ?? 'no reason given'}`,
        ];
  return {
    opened,
    stamps,
    notices: [
      ...notices,
      ...dead.map(
        address =>
          `${address}, an address of ${request.target.server.host}, took no connection: it was left out`,
      ),
    ],
  };
};

const NOT_STATED: Unknown = unknown('no load thread reported it');

/** How long records may be buffered: a stage or a live view needs them soon; each flush wakes three processes. */
export const reportMs = ({ part, tap }: Pick<BenchParts, 'part' | 'tap'>, isLookedAt: boolean): number => {
  if (part !== undefined || tap !== undefined) return AS_FACTS_MS;
  return isLookedAt ? LIVE_MS : UNSEEN_MS;
};

/** Accepts batches at any time; those that arrive before there is a receiver wait. */
export class BatchRelay {
  #waiting: Uint8Array[] = [];
  #take: ((batch: Uint8Array) => void) | undefined;

  publish(batch: Uint8Array): void {
    if (this.#take === undefined) this.#waiting.push(batch);
    else this.#take(batch);
  }

  attach(take: (batch: Uint8Array) => void): void {
    this.#take = take;
    for (const batch of this.#waiting) take(batch);
    this.#waiting = [];
  }
}

/** DESIGN §4: batches go by size and by time. */
const AS_FACTS_MS = 20;
/** A sample is shown within 300 ms: there is a snapshot every 200 ms. */
const LIVE_MS = 40;
/** How much of samples.jsonl a killed run may lose. */
const UNSEEN_MS = 200;

// Load threads that run before every program of ordinary priority: Linux's real-time class "round robin". The kernel
// reserves a twentieth of each second for other programs (sched(7), sched_rt_runtime_us), so a busy load thread
// cannot block a machine.

/** @returns one sentence for the report: that they have it, or why not. @throws only the signal's reason */
const makeLoadThreadsRealTime = async (options: {
  readonly env: Env;
  readonly signal: AbortSignal;
}): Promise<string> => {
  const refused = (reason: string): string =>
    `the load threads ran as every program does, although --real-time was given: ${reason}`;
  const threads = await loadThreads();
  if (threads.length === 0)
    return refused('the system does not name the threads of a process, as Linux does');
  for (const thread of threads) {
    const result = await runTool('chrt', ['--rr', '--pid', '1', thread], {
      ...options,
      timeoutMs: CHRT_MS_MAX,
    });
    if (result.kind !== 'exited') return refused(result.reason);
    if (result.code !== 0) return refused(lastLine(result.stderr) || `chrt ended with ${result.code}`);
  }
  return 'the load threads ran before every other program of this machine (--real-time, SCHED_RR)';
};

/** Linux keeps 15 bytes of a thread's name. */
const loadThreads = async (): Promise<readonly string[]> => {
  const tasks = await readdir('/proc/self/task').catch(() => []);
  const named = await Promise.all(
    tasks.map(async task => {
      const name = await readFile(`/proc/self/task/${task}/comm`, 'utf8').catch(() => '');
      return name.startsWith(LOAD_THREAD_NAME) ? [task] : [];
    }),
  );
  return named.flat();
};

/** Name of the worker in src/bench/threads. */
const LOAD_THREAD_NAME = 'plimsoll load ';
const CHRT_MS_MAX = 2_000;
