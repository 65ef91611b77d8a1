// The agent's side of the protocol with one coordinator, from hello to done. Every request in a message is checked
// here against this machine's own policy. When a coordinator dies or stops sending, the load ends, because nothing
// else would stop it.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pause } from '../../clock/clock.ts';
import { monotonicNs } from '../../clock/system-clock.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { openInputFile } from '../../process/input-file.ts';
import {
  AGENT_ALIVE_MS,
  type AgentMessage,
  type AgentProblem,
  COORDINATOR_SILENCE_MS_MAX,
  type CoordinatorMessage,
} from '../../wire/agent-message.ts';
import type { AgentRequest, AgentShare } from '../../wire/agent-request.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import type { Dataset } from '../dataset/prompt.ts';
import type { CoordinatorChannel } from '../fleet/agent-channel.ts';
import { deflatedParts } from '../fleet/file-parts.ts';
import { arrivedSurvey, travellingSurvey } from '../fleet/travelling-request.ts';
import type { BenchRequest } from '../run/bench-request.ts';
import { readPromptOptions } from '../run/read-prompt-options.ts';
import { surveyServer } from '../run/survey-server.ts';
import { admitRequest, refusalOf } from './admit-request.ts';
import { AgentRun, endedMessage } from './agent-run.ts';
import { ArrivingDataset } from './arriving-dataset.ts';
import type { AgentSessionEnd, AgentSessionParts } from './session-parts.ts';

/** Never rejects because of a coordinator's messages. */
export const serveCoordinator = async (
  channel: CoordinatorChannel,
  parts: AgentSessionParts,
): Promise<AgentSessionEnd> => {
  await using session = new AgentSession(channel, parts);
  return await session.serve();
};

class AgentSession implements AsyncDisposable {
  readonly #channel: CoordinatorChannel;
  readonly #parts: AgentSessionParts;
  readonly #zeroNs = monotonicNs();
  readonly #over = new AbortController();
  readonly #dataset = new ArrivingDataset();
  #hasReceived = true;
  #work: Promise<void> | undefined;
  #run: AgentRun | undefined;
  #runState: 'none' | 'running' | 'ended' | 'collected' | 'done' = 'none';
  #refusal: AgentProblem | undefined;
  #isAbandoned = false;
  #surveys = 0;

  constructor(channel: CoordinatorChannel, parts: AgentSessionParts) {
    this.#channel = channel;
    this.#parts = parts;
  }

  async serve(): Promise<AgentSessionEnd> {
    const channel = this.#channel;
    const stop = (): void => void channel.close('done', 'the agent was stopped');
    this.#parts.signal.addEventListener('abort', stop, { once: true });
    if (this.#parts.signal.aborted) stop();
    const watching: Promise<void>[] = [];
    try {
      await this.#report(this.#hello());
      watching.push(this.#reportAlive(), this.#watchSilence());
      for await (const message of channel.messages) {
        this.#hasReceived = true;
        await this.#take(message);
      }
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      await channel.close('malformed', error.message);
    } finally {
      this.#parts.signal.removeEventListener('abort', stop);
      this.#over.abort();
      await this.#abandon('the coordinator is gone');
      await Promise.all([...watching, this.#work]);
    }
    const { reason, detail } = await channel.closed;
    return {
      peer: channel.peer,
      ...this.#ending(reason),
      detail: this.#refusal?.problem ?? detail,
      keptIn: await this.#leave(),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#channel.close('done');
  }

  async #abandon(reason: string): Promise<void> {
    if (this.#runState !== 'running') return;
    this.#isAbandoned = true;
    await this.#run?.abandon(reason);
  }

  #ending(reason: string): Pick<AgentSessionEnd, 'kind'> {
    if (this.#refusal !== undefined) return { kind: 'refused' };
    if (this.#runState === 'none') return { kind: 'nothing' };
    return { kind: this.#runState === 'done' && reason === 'done' ? 'done' : 'lost' };
  }

  /** A completed run keeps its samples until they are acknowledged; files of any other run are removed. */
  async #leave(): Promise<string | undefined> {
    if (this.#run === undefined) return undefined;
    const isWhole = this.#runState === 'ended' || this.#runState === 'collected';
    if (isWhole && !this.#isAbandoned) return this.#run.directory;
    await this.#run.discard();
    return undefined;
  }

  async #take(message: CoordinatorMessage): Promise<void> {
    switch (message.kind) {
      case 'ping':
        await this.#report({ kind: 'pong', id: message.id, atNs: Number(monotonicNs() - this.#zeroNs) });
        return;
      case 'dataset':
        this.#expect(this.#work === undefined, message.kind);
        await this.#dataset.take(message);
        return;
      case 'survey':
        this.#surveys += 1;
        this.#expect(this.#work === undefined && this.#surveys <= SURVEYS_MAX, message.kind);
        this.#begin(() => this.#survey(message.request));
        return;
      case 'prepare':
        this.#expect(this.#work === undefined && this.#runState === 'none', message.kind);
        this.#begin(() => this.#perform(message));
        return;
      case 'start':
        this.#expect(this.#run?.isReady === true && this.#run.start(message.atNs), message.kind);
        return;
      case 'stop':
        this.#run?.stop(message.how);
        return;
      case 'collect':
        this.#expect(this.#runState === 'ended', message.kind);
        this.#runState = 'collected';
        this.#begin(() => this.#sendSamples());
        return;
      case 'done':
        if (this.#runState === 'ended' || this.#runState === 'collected') this.#runState = 'done';
        await this.#channel.close('done');
        return;
      default:
        message satisfies never;
    }
  }

  /** @throws DecodeError for a message out of order: our coordinators send none. */
  #expect(isDue: boolean, kind: CoordinatorMessage['kind']): void {
    if (!isDue) throw new DecodeError(`'${kind}' came when it was not due`);
  }

  /** Runs next to the reader, which answers pings meanwhile. One at a time. */
  #begin(work: () => Promise<void>): void {
    this.#work = work()
      .catch((error: unknown) => this.#refuse(error))
      .finally(() => {
        this.#work = undefined;
      });
  }

  async #refuse(error: unknown): Promise<void> {
    this.#refusal = refusalOf(error);
    await this.#report({ kind: 'refused', problem: this.#refusal });
    await this.#channel.close('done', this.#refusal.problem);
  }

  #hello(): AgentMessage {
    const { bench, name, policy } = this.#parts;
    const { requestsPerSecondMax, connectionsMax, durationMsMax } = policy();
    const { version, environment } = bench;
    return {
      kind: 'hello',
      version,
      name,
      environment,
      caps: { requestsPerSecondMax, connectionsMax, durationMsMax },
    };
  }

  /** The request as this machine runs it, by its current policy. */
  async #admitted(
    requested: AgentRequest,
    dataset: Dataset | undefined,
    share: AgentShare | undefined,
  ): Promise<BenchRequest> {
    const { policy, env, resolve, signal } = this.#parts;
    return await admitRequest({
      requested,
      dataset,
      share,
      policy: policy(),
      env,
      resolve,
      signal: AbortSignal.any([this.#over.signal, signal]),
    });
  }

  async #survey(requested: AgentRequest): Promise<void> {
    const request = await this.#admitted(
      requested,
      await this.#dataset.for(requested, this.#over.signal),
      undefined,
    );
    const { bench } = this.#parts;
    const survey = await surveyServer({
      request,
      prompts: await readPromptOptions(request, this.#over.signal, requested.noncePrefix),
      noncePrefix: requested.noncePrefix,
      settings: bench.settings,
      signal: AbortSignal.any([this.#over.signal, this.#parts.signal]),
    });
    await this.#report({ kind: 'surveyed', survey: travellingSurvey(survey) });
  }

  async #perform(message: CoordinatorMessage & { readonly kind: 'prepare' }): Promise<void> {
    const { request: requested, share, survey, promptsDigest, facts } = message;
    const { bench, folder, onLoad } = this.#parts;
    const caps = this.#parts.policy();
    const dataset = this.#dataset.linesFor(requested);
    // Its prompts are read where the plan is made.
    const request = await this.#admitted(requested, undefined, share);
    if (this.#over.signal.aborted) return;
    const { runId, startedAt, noncePrefix } = requested;
    const run = new AgentRun({
      request,
      part: { share, survey: arrivedSurvey(survey), bodiesDigest: promptsDigest },
      planning: { requested, dataset },
      run: { runId, startedAt, noncePrefix },
      bench,
      directory: join(folder, randomBytes(8).toString('hex')),
      caps,
      facts,
      zeroNs: this.#zeroNs,
      report: reported => this.#report(reported),
    });
    this.#run = run;
    this.#runState = 'running';
    onLoad?.({ target: request.target.shown, runId });
    try {
      const end = await run.perform();
      this.#runState = 'ended';
      await this.#report(endedMessage(end));
    } finally {
      onLoad?.(undefined);
    }
  }

  async #sendSamples(): Promise<void> {
    const { samples } = runFiles(this.#run?.directory ?? '');
    for await (const part of deflatedParts((await openInputFile(samples, 'runLines')).createReadStream()))
      if (!(await this.#report({ kind: 'samples', ...part }))) return;
  }

  #report(message: AgentMessage): Promise<boolean> {
    return this.#channel.send(message);
  }

  async #reportAlive(): Promise<void> {
    const { clock } = this.#parts.bench;
    for (; !this.#over.signal.aborted; await pause(clock, AGENT_ALIVE_MS, this.#over.signal))
      void this.#report({ kind: 'alive' });
  }

  /** Counted in turns of this loop, so that a stall of the agent itself is not taken for a silent coordinator. */
  async #watchSilence(): Promise<void> {
    let silentMs = 0;
    while (!this.#over.signal.aborted) {
      await pause(this.#parts.bench.clock, SILENCE_LOOK_MS, this.#over.signal);
      silentMs = this.#hasReceived ? 0 : silentMs + SILENCE_LOOK_MS;
      this.#hasReceived = false;
      const isLoading = this.#runState === 'running';
      if (silentMs < (isLoading ? COORDINATOR_SILENCE_MS_MAX - SILENCE_LOOK_MS : IDLE_MS_MAX)) continue;
      void this.#abandon('the coordinator stopped sending');
      void this.#channel.close('silent', `nothing was received for ${Math.round(silentMs / 1_000)} s`);
      return;
    }
  }
}

/** For a coordinator without a load: it may be waiting for another agent. */
const IDLE_MS_MAX = 120_000;
const SILENCE_LOOK_MS = 250;
/** Each costs the server some requests that no cap counts. */
const SURVEYS_MAX = 4;
