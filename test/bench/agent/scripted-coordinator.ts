// A coordinator that sends what a test specifies, over an open channel or over transports in memory, where it records
// every frame that crosses.

import type { AgentPolicy } from '../../../src/bench/agent/agent-policy.ts';
import { serveCoordinator } from '../../../src/bench/agent/agent-session.ts';
import { systemNames } from '../../../src/bench/agent/reach-target.ts';
import type { AgentSessionEnd, AgentSessionParts } from '../../../src/bench/agent/session-parts.ts';
import { plannedPrompts } from '../../../src/bench/dataset/planned-prompts.ts';
import { WORDS_AS_TOKENS } from '../../../src/bench/dataset/word-costs.ts';
import type { AgentChannel } from '../../../src/bench/fleet/agent-channel.ts';
import { PartReader } from '../../../src/bench/fleet/file-parts.ts';
import { channelToAgent, channelToCoordinator } from '../../../src/bench/fleet/framed-channel.ts';
import { arrivedRequest, arrivedSurvey } from '../../../src/bench/fleet/travelling-request.ts';
import { BENCH_SETTINGS } from '../../../src/bench/run/bench-parts.ts';
import { readPromptOptions } from '../../../src/bench/run/read-prompt-options.ts';
import { loadPlan } from '../../../src/bench/run/run-plan.ts';
import { bodiesDigest } from '../../../src/bench/target/request-bodies.ts';
import type { FramePipe } from '../../../src/channel/frame-pipe.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { unknown } from '../../../src/core/unknown.ts';
import type { AgentMessage, CoordinatorMessage } from '../../../src/wire/agent-message.ts';
import type { AgentRequest, AgentSurvey } from '../../../src/wire/agent-request.ts';
import { type MemoryLines, memoryLines } from '../../support/memory-line.ts';

export const POLICY: AgentPolicy = {
  isAgent: true,
  targets: [],
  keys: [],
  requestsPerSecondMax: 1_000,
  connectionsMax: 64,
  durationMsMax: 60_000,
  samplesMax: 10_000,
};

export const requestTo = (target: string, changes: Partial<AgentRequest> = {}): AgentRequest => ({
  runId: '20261120-120501-a1b2',
  startedAt: '2026-11-20T12:05:01.000Z',
  target,
  api: 'chat',
  pattern: { kind: 'constant', requestsPerSecond: 50 },
  shape: PLAIN_SHAPE,
  samplesMax: 20,
  warmupRequests: 1,
  seed: 7,
  documents: undefined,
  hasNonce: true,
  noncePrefix: '01234567',
  isStreaming: true,
  timeouts: { connectMs: 5_000, firstByteMs: 30_000, idleMs: 30_000, totalMs: 30_000 },
  bodyFields: '{}',
  objectives: [],
  attainment: unknown('no objectives'),
  runObjectives: unknown('no objectives'),
  ...changes,
});

/** As the coordinator plans it for all. */
export const digestOf = async (requested: AgentRequest, survey: AgentSurvey): Promise<string> => {
  const request = arrivedRequest(requested, { headers: [], dataset: undefined });
  const prompts = await readPromptOptions(request, new AbortController().signal, requested.noncePrefix);
  const plan = loadPlan({
    request,
    dataset: plannedPrompts(prompts, WORDS_AS_TOKENS),
    server: arrivedSurvey(survey),
    cores: 2,
    noncePrefix: requested.noncePrefix,
    heartbeatMsMax: 20_000,
    share: { index: 0, of: 1 },
  });
  return bodiesDigest(plan.bodies);
};

export class CoordinatorScript implements AsyncDisposable {
  readonly channel: AgentChannel;
  readonly received: AgentMessage[] = [];
  readonly #pinging: NodeJS.Timeout;
  readonly #reading: Promise<void>;
  #wake = Promise.withResolvers<void>();
  #isOver = false;

  constructor(channel: AgentChannel) {
    this.channel = channel;
    this.#pinging = setInterval(() => void channel.send({ kind: 'ping', id: 0 }), 200);
    this.#reading = this.#read();
  }

  /** No more pings: from now on only the test's own messages are sent. */
  fallQuiet(): void {
    clearInterval(this.#pinging);
  }

  async send(...messages: readonly CoordinatorMessage[]): Promise<void> {
    for (const message of messages) await this.channel.send(message);
  }

  /**
   * The first of that kind, as soon as it has come.
   * @throws when the session ends without it.
   */
  async next<K extends AgentMessage['kind']>(kind: K): Promise<AgentMessage & { readonly kind: K }> {
    const isKind = (message: AgentMessage): message is AgentMessage & { readonly kind: K } =>
      message.kind === kind;
    for (;;) {
      const found = this.received.find(isKind);
      if (found !== undefined) return found;
      const refused = this.received.find(message => message.kind === 'refused');
      if (refused !== undefined) throw new Error(`refused: ${JSON.stringify(refused)}`);
      if (this.#isOver)
        throw new Error(`the session ended without ${kind}: ${JSON.stringify(await this.channel.closed)}`);
      await this.#wake.promise;
    }
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** So many of that kind have come, or the session is over. */
  async settled(kind: AgentMessage['kind'], count: number): Promise<void> {
    while (!this.#isOver && this.received.filter(message => message.kind === kind).length < count)
      await this.#wake.promise;
  }

  /** From survey to ready. */
  async prepare(requested: AgentRequest): Promise<AgentMessage & { readonly kind: 'ready' }> {
    await this.requestPrepare(requested);
    return await this.next('ready');
  }

  async requestPrepare(requested: AgentRequest): Promise<void> {
    await this.send({ kind: 'survey', request: requested });
    const { survey } = await this.next('surveyed');
    const promptsDigest = await digestOf(requested, survey);
    await this.send({
      kind: 'prepare',
      request: requested,
      share: { index: 0, of: 1 },
      survey,
      promptsDigest,
    });
  }

  async start(): Promise<void> {
    await this.send({ kind: 'ping', id: 99 });
    for (;;) {
      const pong = this.received.find(message => message.kind === 'pong' && message.id === 99);
      if (pong?.kind === 'pong') return await this.send({ kind: 'start', atNs: pong.atNs + 100e6 });
      await this.#wake.promise;
    }
  }

  /** The sample file, whole. */
  async collect(): Promise<string> {
    await this.send({ kind: 'collect' });
    const reader = new PartReader('agentSamples');
    const parts: Buffer[] = [];
    for (let from = 0; !reader.isOver; ) {
      const found = this.received.findIndex((message, index) => index >= from && message.kind === 'samples');
      const part = this.received[found];
      if (part?.kind !== 'samples') {
        await this.#wake.promise;
        continue;
      }
      from = found + 1;
      parts.push(await reader.read(part));
    }
    return Buffer.concat(parts).toString('utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#pinging);
    await this.channel.close('done');
    await this.#reading;
  }

  async #read(): Promise<void> {
    for await (const message of this.channel.messages) {
      this.received.push(message);
      this.#stir();
    }
    this.#isOver = true;
    this.#stir();
  }

  #stir(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}

/** With its agent at the other end, in this process. */
export class ScriptedCoordinator extends CoordinatorScript {
  readonly lines: MemoryLines;
  /** Everything that crossed, both ways. */
  readonly frames: readonly Uint8Array[];
  readonly end: Promise<AgentSessionEnd>;
  readonly #stop = new AbortController();

  constructor(folder: string, policy: Partial<AgentPolicy>, changes: Partial<AgentSessionParts> = {}) {
    const lines = memoryLines();
    const frames: Uint8Array[] = [];
    const kept = (pipe: FramePipe): FramePipe => ({
      get queuedBytes() {
        return pipe.queuedBytes;
      },
      listen: events => pipe.listen(events),
      write: (kind, payload) => {
        frames.push(payload.slice());
        pipe.write(kind, payload);
      },
      pause: () => pipe.pause(),
      resume: () => pipe.resume(),
      end: () => pipe.end(),
      destroy: () => pipe.destroy(),
    });
    super(channelToAgent(kept(lines.coordinator), 'juno'));
    this.lines = lines;
    this.frames = frames;
    this.end = serveCoordinator(channelToCoordinator(kept(lines.agent), 'atlas'), {
      policy: () => ({ ...POLICY, ...policy }),
      name: 'juno',
      env: {},
      folder,
      resolve: systemNames,
      signal: this.#stop.signal,
      ...changes,
      bench: {
        clock: systemClock,
        env: process.env,
        nodePath: process.execPath,
        temporaryFolder: folder,
        version: '1.2.3',
        environment: { node: '24', os: 'test', cpu: 'test', cores: 2 },
        settings: { ...BENCH_SETTINGS, heartbeatMsMax: 20_000 },
        ...changes.bench,
      },
    });
  }

  stopAgent(): void {
    this.#stop.abort(new Error('stopped'));
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.fallQuiet();
    this.lines.cut();
    await this.end;
    await super[Symbol.asyncDispose]();
  }
}
