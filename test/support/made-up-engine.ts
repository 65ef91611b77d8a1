// An engine of probes without a wire: a sink is a ticket in a table, a measurement takes a second of the clock and finds
// what the test wants.

import type { Clock } from '../../src/clock/clock.ts';
import { connectionKey } from '../../src/core/link/connection.ts';
import { unknown } from '../../src/core/unknown.ts';
import type { LinkEngine, MeasureRequest, OpenSink, SinkRequest } from '../../src/probe/link-engine.ts';
import type { LinkMeasurement, ProbeOutcome } from '../../src/probe/probe.ts';

export class MadeUpEngine implements LinkEngine {
  readonly #clock: Clock;
  /** "connection key port" to ticket. */
  readonly #sinks = new Map<string, string>();
  #nextPort = 40_000;
  /** How long a measurement takes, ms; Infinity: until its signal. */
  durationMs = 1_000;
  outcome: (request: MeasureRequest) => ProbeOutcome<LinkMeasurement> = () => measured(1e9);
  measuredCount = 0;
  /** What a sink cannot do. */
  listenProblem = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get openSinks(): number {
    return this.#sinks.size;
  }

  async openSink({ connection, ticket, signal }: SinkRequest): Promise<OpenSink> {
    if (this.listenProblem !== '') throw new Error(this.listenProblem);
    const port = this.#nextPort;
    this.#nextPort += 1;
    const key = `${connectionKey(connection)} ${port}`;
    this.#sinks.set(key, ticket);
    const ended = Promise.withResolvers<void>();
    const end = (): void => {
      this.#sinks.delete(key);
      ended.resolve();
    };
    signal.addEventListener('abort', end, { once: true });
    return { port, ended: ended.promise, [Symbol.asyncDispose]: async () => end() };
  }

  async measure(request: MeasureRequest): Promise<ProbeOutcome<LinkMeasurement>> {
    const { connection, port, ticket, signal } = request;
    if (this.#sinks.get(`${connectionKey(connection)} ${port}`) !== ticket)
      return { kind: 'failed', reason: 'nobody listens there with that ticket', bytesUsed: 0 };
    await this.#clock.sleep(Math.min(this.durationMs, 1e9), signal);
    this.measuredCount += 1;
    return this.outcome(request);
  }
}

export const measured = (
  bitsPerSecond: number,
  bytesUsed = bitsPerSecond / 8,
): ProbeOutcome<LinkMeasurement> => ({
  kind: 'measured',
  measurement: {
    uploadBitsPerSecond: bitsPerSecond,
    downloadBitsPerSecond: bitsPerSecond,
    roundTripNsMin: 10_000,
    roundTripNsP50: 20_000,
    roundTripNsP99: 30_000,
    jitterNs: 1_000,
    roundTripCount: 200,
    allReduceNs16Kib: 60_000,
    allReduceNs1Mib: 900_000,
    uploadQueueNs: 400_000,
    downloadQueueNs: 400_000,
    retransmits: unknown('not told here'),
    uploadStreams: 1,
    downloadStreams: 1,
    bytesUsed,
    engine: 'made-up',
    method: 'made up',
  },
});
