// One agent as the coordinator sees it: the messages received so far, the time since the last one, and the offset of
// its clock. An agent that refuses, disconnects or stops sending is out of the run for good, and the reason is
// recorded once.

import { type Clock, pause } from '../../clock/clock.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import {
  AGENT_SILENCE_MS_MAX,
  type AgentMessage,
  type AgentPhase,
  type AgentProblem,
  COORDINATOR_PING_MS,
  type CoordinatorMessage,
} from '../../wire/agent-message.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { decodeSnapshotPacked } from '../../wire/snapshot-codec.ts';
import type { AgentChannel } from './agent-channel.ts';
import { CLOCK_ROUND_TRIPS, type ClockOffset, clockOffset, type RoundTrip } from './clock-offset.ts';
import type { FilePart } from './file-parts.ts';

interface AgentLinkParts {
  readonly clock: Clock;
  /** CLOCK_MONOTONIC since the run's zero, ns. */
  readonly nowNs: () => number;
  readonly onPhase: (phase: AgentPhase) => void;
  readonly onFacts: (facts: AgentMessage & { readonly kind: 'facts' }) => void;
  readonly onNotice: (text: string) => void;
}

/** Messages that an agent sends once. */
type AgentReply = Extract<AgentMessage, { readonly kind: 'hello' | 'surveyed' | 'ready' | 'ended' }>;
export type AgentReplyOf<K extends AgentReply['kind']> = Extract<AgentReply, { readonly kind: K }>;

type AgentLoss =
  | { readonly kind: 'refused'; readonly problem: AgentProblem }
  | { readonly kind: 'silent'; readonly reason: string }
  | { readonly kind: 'gone'; readonly reason: string };

/** The agent is out of the run. */
export class AgentLostError extends Error {
  override readonly name = 'AgentLostError';
  readonly loss: AgentLoss;

  constructor(agent: string, loss: AgentLoss) {
    super(`${agent}: ${lossText(loss)}`);
    this.loss = loss;
  }
}

export const lossText = (loss: AgentLoss): string =>
  loss.kind === 'refused' ? loss.problem.problem : loss.reason;

export class AgentLink implements AsyncDisposable {
  readonly #channel: AgentChannel;
  readonly #parts: AgentLinkParts;
  readonly #reported = new Map<AgentReply['kind'], PromiseWithResolvers<AgentReply>>();
  readonly #pongs = new Map<number, (agentNs: number) => void>();
  readonly #over = new AbortController();
  readonly #losing = Promise.withResolvers<AgentLoss>();
  readonly #tasks: readonly Promise<void>[];
  #loss: AgentLoss | undefined;
  #isDone = false;
  #hasReplied = false;
  #isTaking = false;
  #pingId = 0;
  #takePart: ((part: FilePart) => Promise<void>) | undefined;
  /** The newest of its live snapshots, and in the end the final one. */
  snapshot: MetricsSnapshot | undefined;

  constructor(channel: AgentChannel, parts: AgentLinkParts) {
    this.#channel = channel;
    this.#parts = parts;
    this.#tasks = [this.#read(), this.#listen()];
  }

  get name(): string {
    return this.#channel.peer;
  }

  get loss(): AgentLoss | undefined {
    return this.#loss;
  }

  /** Resolves when it is out of the run; not when the run is over. */
  get lost(): Promise<AgentLoss> {
    return this.#losing.promise;
  }

  /** @throws AgentLostError */
  async receive<K extends AgentReply['kind']>(kind: K): Promise<AgentReplyOf<K>> {
    const message = await Promise.race([this.#saying(kind).promise, this.#orLost()]);
    if (!isOfKind(message, kind)) throw new TypeError(`${message.kind} was kept as ${kind}`);
    return message;
  }

  /**
   * To an agent that is out of the run nothing is sent, and nothing is thrown: pending requests have been rejected.
   */
  async send(message: CoordinatorMessage): Promise<void> {
    await this.#channel.send(message);
  }

  /** @throws AgentLostError */
  async reportTime(signal: AbortSignal): Promise<ClockOffset> {
    const trips: RoundTrip[] = [];
    for (let trip = 0; trip < CLOCK_ROUND_TRIPS; trip += 1) {
      signal.throwIfAborted();
      this.#pingId += 1;
      const id = this.#pingId;
      const { promise, resolve } = Promise.withResolvers<RoundTrip>();
      const sentNs = this.#parts.nowNs();
      this.#pongs.set(id, agentNs => resolve({ sentNs, receivedNs: this.#parts.nowNs(), agentNs }));
      await this.send({ kind: 'ping', id });
      trips.push(await Promise.race([promise, this.#orLost()]));
    }
    return clockOffset(trips);
  }

  /** Requests the sample file and passes on each part of it in order. @throws AgentLostError; errors of `take`. */
  async collect(take: (part: FilePart) => Promise<void>): Promise<void> {
    const all = Promise.withResolvers<void>();
    this.#takePart = async part => {
      try {
        await take(part);
        if (part.isLast) all.resolve();
      } catch (error) {
        all.reject(error);
      }
    };
    await this.send({ kind: 'collect' });
    await Promise.race([all.promise, this.#orLost()]);
    this.#takePart = undefined;
  }

  /** The run is over: the agent may delete its files. */
  async done(): Promise<void> {
    this.#isDone = true;
    await this.send({ kind: 'done' });
    await this.#channel.close('done');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDone = true;
    this.#over.abort();
    await this.#channel.close('done');
    await Promise.all(this.#tasks);
  }

  async #orLost(): Promise<never> {
    throw new AgentLostError(this.name, await this.lost);
  }

  #saying(kind: AgentReply['kind']): PromiseWithResolvers<AgentReply> {
    const waiting = this.#reported.get(kind) ?? Promise.withResolvers<AgentReply>();
    this.#reported.set(kind, waiting);
    return waiting;
  }

  async #read(): Promise<void> {
    for await (const message of this.#channel.messages) {
      this.#hasReplied = true;
      try {
        await this.#take(message);
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        this.#lose({ kind: 'gone', reason: `it sent what cannot be read: ${error.message}` });
        await this.#channel.close('malformed', error.message);
      }
    }
    const { reason, detail } = await this.#channel.closed;
    const text = reason === 'done' ? 'it left before the run was over' : 'the connection to it broke';
    this.#lose({ kind: 'gone', reason: detail === '' ? text : `${text}: ${detail}` });
    this.#over.abort();
  }

  async #take(message: AgentMessage): Promise<void> {
    switch (message.kind) {
      case 'hello':
      case 'surveyed':
      case 'ready':
        this.#saying(message.kind).resolve(message);
        return;
      case 'ended':
        if (message.snapshot.length > 0) this.snapshot = decodeSnapshotPacked(message.snapshot);
        this.#saying(message.kind).resolve(message);
        return;
      case 'live':
        this.snapshot = decodeSnapshotPacked(message.snapshot);
        return;
      case 'facts':
        this.#parts.onFacts(message);
        return;
      case 'pong':
        this.#pongs.get(message.id)?.(message.atNs);
        this.#pongs.delete(message.id);
        return;
      case 'refused':
        this.#lose({ kind: 'refused', problem: message.problem });
        return;
      case 'phase':
        this.#parts.onPhase(message.phase);
        return;
      case 'notice':
        this.#parts.onNotice(`${this.name}: ${message.text}`);
        return;
      case 'samples':
        // Until this part is on disk nothing more is read, so silence in that time is ours.
        this.#isTaking = true;
        await this.#takePart?.(message);
        this.#isTaking = false;
        return;
      case 'alive':
        return;
      default:
        message satisfies never;
    }
  }

  /** Counted in turns of this loop, so that a stall of the coordinator itself is not taken for a silent agent. */
  async #listen(): Promise<void> {
    let silentMs = 0;
    while (!this.#over.signal.aborted) {
      await pause(this.#parts.clock, LISTEN_MS, this.#over.signal);
      // Keeps the agent's load running: it ends when its coordinator is silent. The reply is ignored.
      this.#pingId += 1;
      void this.send({ kind: 'ping', id: this.#pingId });
      silentMs = this.#hasReplied || this.#isTaking ? 0 : silentMs + LISTEN_MS;
      this.#hasReplied = false;
      if (silentMs < AGENT_SILENCE_MS_MAX) continue;
      const reason = `it said nothing for ${AGENT_SILENCE_MS_MAX / 1_000} s`;
      this.#lose({ kind: 'silent', reason });
      await this.#channel.close('silent', reason);
      return;
    }
  }

  #lose(loss: AgentLoss): void {
    if (this.#isDone || this.#loss !== undefined) return;
    this.#loss = loss;
    this.#losing.resolve(loss);
  }
}

const isOfKind = <K extends AgentReply['kind']>(message: AgentReply, kind: K): message is AgentReplyOf<K> =>
  message.kind === kind;

const LISTEN_MS = COORDINATOR_PING_MS;
