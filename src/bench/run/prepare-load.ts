// The load side of a run, ready to start: the server was asked, the plan is made, threads are up and connections open. It
// goes on beside the start of the child processes, and its few early records wait for them.

import type { RunRequests } from '../../core/run/run-requests.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';
import { BenchError } from '../bench-error.ts';
import type { PlannedPrompts, PromptWish } from '../dataset/planned-prompts.ts';
import { plannedPrompts, sizedWish } from '../dataset/planned-prompts.ts';
import type { LoadPlan } from '../load/load-plan.ts';
import type { ServerAnswer } from '../target/ask-server.ts';
import { askServer } from '../target/ask-server.ts';
import type { CalibratedWords } from '../target/calibrate-words.ts';
import { calibrateWords, uncalibrated } from '../target/calibrate-words.ts';
import type { LoadGenerator, LoadSink } from '../threads/load-generator.ts';
import { createLoadGenerator } from '../threads/threaded-load-generator.ts';
import type { BenchParts } from './bench-parts.ts';
import type { BenchRequest } from './bench-request.ts';
import { loadPlan } from './run-plan.ts';

export interface PreparedLoad extends AsyncDisposable {
  readonly server: ServerAnswer;
  readonly plan: LoadPlan;
  readonly dataset: PlannedPrompts;
  readonly calibration: RunRequests['calibration'];
  readonly load: LoadGenerator;
  /** What a person should know of server and connections. */
  readonly notices: readonly string[];
}

export interface LoadPreparation {
  readonly request: BenchRequest;
  readonly parts: BenchParts;
  readonly prompts: PromptWish;
  readonly sink: LoadSink;
  readonly runZeroNs: bigint;
  readonly signal: AbortSignal;
}

/** @throws BenchError when the target is not there, or the prompts are too large; the signal's reason. */
export const prepareLoad = async (options: LoadPreparation): Promise<PreparedLoad> => {
  const { request, parts, sink, runZeroNs, signal } = options;
  const server = await findServer(options);
  const words = await findWordCosts(options, server);
  const dataset = plannedPrompts(options.prompts, words.costs);
  const plan = loadPlan({
    request,
    dataset,
    server,
    cores: parts.environment.cores,
    noncePrefix: parts.noncePrefix,
    heartbeatMsMax: parts.settings.heartbeatMsMax,
  });
  const load = createLoadGenerator(plan, sink, {
    clock: parts.clock,
    runZeroNs,
    ...(parts.entries === undefined ? {} : { entries: parts.entries }),
  });
  try {
    const opened = await openAll(load, request, signal);
    const notices = [...server.notices, ...words.notices, ...opened];
    return {
      server,
      plan,
      dataset,
      calibration: words.told,
      load,
      notices,
      [Symbol.asyncDispose]: () => load[Symbol.asyncDispose](),
    };
  } catch (error) {
    await load[Symbol.asyncDispose]();
    throw error;
  }
};

/** Without a warm-up no request goes out before time zero, so that the server is not asked either. */
const findServer = async ({ request, parts, signal }: LoadPreparation): Promise<ServerAnswer> => {
  const { target, api, headers, model, warmup, timeouts } = request;
  if (warmup.kind === 'none' && model !== undefined) {
    return { model, serverKind: unknown('not asked, because of --no-warmup'), notices: [] };
  }
  const timeoutMs = Math.min(parts.settings.askMsMax, timeouts.totalMs);
  return await askServer({ api, target, headers, model, timeoutMs, signal });
};

/** Only where tokens are asked for of generated prompts: else nothing depends on what words cost. */
const findWordCosts = async (
  { request, parts, prompts, signal }: LoadPreparation,
  { model }: ServerAnswer,
): Promise<CalibratedWords & { readonly notices: readonly string[] }> => {
  const wish = sizedWish(prompts);
  if (wish === undefined)
    return { ...uncalibrated('no prompts of a length in tokens were asked for'), notices: [] };
  const words =
    request.warmup.kind === 'none'
      ? uncalibrated('--no-warmup lets no request go out before time zero')
      : await calibrateWords({
          ...request,
          model,
          wish,
          added: request.requests.fields,
          noncePrefix: request.hasNonce ? parts.noncePrefix : undefined,
          timeoutMs: Math.min(parts.settings.calibrationMsMax, request.timeouts.totalMs),
          signal,
        });
  const notice = isUnknown(words.told)
    ? [
        `prompts have a word for each token, because the server's count of words is not known: ${words.told.reason}`,
      ]
    : [];
  return { ...words, notices: notice };
};

/** One that could be opened is enough to begin: what fails then is a sample's failure. */
const openAll = async (
  load: LoadGenerator,
  { target }: BenchRequest,
  stop: AbortSignal,
): Promise<readonly string[]> => {
  const stopLoad = (): void => load.stop();
  stop.addEventListener('abort', stopLoad, { once: true });
  const { opened, failed, problem } = await load.open();
  stop.removeEventListener('abort', stopLoad);
  stop.throwIfAborted();
  if (opened === 0 && failed === 0) {
    throw new BenchError({
      code: 'failed',
      problem: `the load could not start: ${problem?.problem ?? 'no connection was asked for'}`,
      advice: 'The fault is in Plimsoll or on this machine, not in the target.',
    });
  }
  if (opened === 0) {
    throw new BenchError({
      code: 'unreachable',
      problem: `${target.shown} cannot be reached: ${problem?.problem ?? 'no connection could be opened'}`,
      advice: problem?.advice ?? 'Start the server, or check host and port.',
    });
  }
  return failed === 0
    ? []
    : [
        `${failed} of ${opened + failed} connections could not be opened: ${problem?.problem ?? 'no reason given'}`,
      ];
};

/** Takes batches at any time; those that come before somebody is there to have them wait. */
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
