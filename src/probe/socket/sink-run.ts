// One measurement at the sink: a set of data connections, from the first that dials in to the last byte counted.

import type { Socket } from 'node:net';
import type { Clock } from '../../clock/clock.ts';
import { pause, unlessAborted } from '../../clock/until-aborted.ts';
import { knownOr } from '../../core/unknown.ts';
import type { ToSink, ToSource } from './control-message.ts';
import { SAMPLE_INTERVAL_MS } from './rate-estimate.ts';
import { CHUNK_BYTES, type Stream, type StreamEngine, type StreamJob } from './stream.ts';
import { bytesOf, endStreams, retransmitsOf, sampleOf } from './stream-totals.ts';

type RunPlan = Extract<ToSink, { kind: 'prepare' }>;

export class SinkRun {
  readonly plan: RunPlan;
  readonly #engine: StreamEngine;
  readonly #clock: Clock;
  readonly #report: (message: ToSource) => void;
  readonly #taken = new Set<number>();
  readonly #streams: Stream[] = [];
  readonly #complete = Promise.withResolvers<void>();
  readonly #stopped = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  constructor(
    plan: RunPlan,
    { engine, clock, report }: { engine: StreamEngine; clock: Clock; report: (message: ToSource) => void },
  ) {
    this.plan = plan;
    this.#engine = engine;
    this.#clock = clock;
    this.#report = report;
  }

  /** Whether this measurement waits for the data connection; takes its place if so. */
  claims(run: number, index: number): boolean {
    const { plan } = this;
    if (run !== plan.run || index >= plan.streams || this.#taken.has(index)) return false;
    if (this.#stopped.signal.aborted) return false;
    this.#taken.add(index);
    return true;
  }

  async adopt(socket: Socket): Promise<void> {
    const stream = await this.#engine.adopt(socket, jobOf(this.plan));
    this.#streams.push(stream);
    if (this.#stopped.signal.aborted) return endStreams([stream]);
    if (this.#streams.length === this.plan.streams) this.#complete.resolve();
  }

  /** Waits for the missing connections. @returns false if they do not arrive in time. */
  async start(): Promise<boolean> {
    const late = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(CONNECTIONS_MS_MAX)]);
    await unlessAborted(this.#complete.promise, late);
    if (this.#streams.length < this.plan.streams || this.#stopped.signal.aborted) return false;
    for (const stream of this.#streams) stream.start();
    this.#report({ kind: 'started', run: this.plan.run });
    this.#watching = this.#watch();
    return true;
  }

  /** Idempotent. `reason` is '' if the source asked. */
  async stop(reason: string): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    this.#stopped.abort();
    for (const stream of this.#streams) stream.stop();
    await Promise.all(this.#streams.map(({ ended }) => ended));
    this.#report({
      kind: 'stopped',
      run: this.plan.run,
      bytes: bytesOf(this.#streams),
      retransmits: knownOr(retransmitsOf(this.#streams), null),
      reason,
    });
    await endStreams(this.#streams);
  }

  /** Ends everything without a message. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await endStreams(this.#streams);
    await this.#watching;
  }

  get bytes(): number {
    return bytesOf(this.#streams);
  }

  /** Reports what has arrived, and stops the run when its time is up. */
  async #watch(): Promise<void> {
    const deadlineMs = this.#clock.nowMs() + this.plan.durationMsMax;
    const { signal } = this.#stopped;
    while (!signal.aborted && this.#clock.nowMs() < deadlineMs) {
      await pause(this.#clock, SAMPLE_INTERVAL_MS, signal);
      if (this.plan.job === 'upload' && !signal.aborted) this.#reportSample();
    }
    await this.stop('its time is up');
  }

  #reportSample(): void {
    const sample = sampleOf(this.#streams);
    if (sample === undefined) return;
    const elapsedUs = Math.round(sample.elapsedMs * 1_000);
    this.#report({ kind: 'sample', run: this.plan.run, elapsedUs, bytes: sample.bytes });
  }
}

const jobOf = ({ job, bytesMaxPerStream, messageBytes = CHUNK_BYTES }: RunPlan): StreamJob => {
  switch (job) {
    case 'echo':
      return { kind: 'echo' };
    case 'upload':
      return { kind: 'receive', bytesMax: bytesMaxPerStream };
    case 'download':
      return { kind: 'send', bytesMax: bytesMaxPerStream };
    case 'exchange':
      return { kind: 'exchange', bytes: messageBytes, count: Number.POSITIVE_INFINITY };
    default:
      return job satisfies never;
  }
};

const CONNECTIONS_MS_MAX = 5_000;
