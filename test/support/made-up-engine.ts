// An engine of probes without a wire: a sink is a ticket in a table, a measurement takes a second of the clock and has
// the result that the test gives. A sink ends with its measurement, as a real one does on its source's goodbye.

import type { Clock } from '../../src/clock/clock.ts';
import { connectionKey } from '../../src/core/link/connection.ts';
import { noLinkFigures } from '../../src/core/link/link-profile.ts';
import { unknown } from '../../src/core/unknown.ts';
import type {
  LinkEngine,
  MeasureRequest,
  OpenSink,
  SinkPayload,
  SinkRequest,
} from '../../src/probe/link-engine.ts';
import type { LinkMeasurement, ProbeOutcome } from '../../src/probe/probe.ts';

export class MadeUpEngine implements LinkEngine {
  readonly #clock: Clock;
  /** By "connection key port". */
  readonly #sinks = new Map<string, MadeUpSink>();
  #nextPort = 40_000;
  /** How long a measurement takes, ms; Infinity: until its signal. */
  durationMs = 1_000;
  outcome: (request: MeasureRequest) => ProbeOutcome<LinkMeasurement> = () => measured(1e9);
  /** Undefined: it can only measure. */
  load: LinkEngine['load'];
  measuredCount = 0;
  /** How long after a measurement its sink ends, ms. */
  goodbyeMs = 0;
  /** What the sink of a measurement has counted. */
  payload: (outcome: ProbeOutcome<LinkMeasurement>) => SinkPayload = exactly;
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
    const ended = Promise.withResolvers<SinkPayload>();
    const end = (payload: SinkPayload): void => {
      this.#sinks.delete(key);
      ended.resolve(payload);
    };
    this.#sinks.set(key, { ticket, end });
    signal.addEventListener('abort', () => end(NOTHING), { once: true });
    return { port, ended: ended.promise, [Symbol.asyncDispose]: async () => end(NOTHING) };
  }

  async measure(request: MeasureRequest): Promise<ProbeOutcome<LinkMeasurement>> {
    const { connection, port, ticket, signal } = request;
    const sink = this.#sinks.get(`${connectionKey(connection)} ${port}`);
    if (sink?.ticket !== ticket)
      return { kind: 'failed', reason: 'nobody listens there with that ticket', bytesUsed: 0 };
    await this.#clock.sleep(Math.min(this.durationMs, 1e9), signal);
    this.measuredCount += 1;
    const outcome = this.outcome(request);
    const payload = this.payload(outcome);
    if (this.goodbyeMs === 0) sink.end(payload);
    else void this.#clock.sleep(this.goodbyeMs, NEVER).then(() => sink.end(payload));
    return outcome;
  }
}

interface MadeUpSink {
  readonly ticket: string;
  readonly end: (payload: SinkPayload) => void;
}

const exactly = (outcome: ProbeOutcome<LinkMeasurement>): SinkPayload => ({
  bytes: outcome.kind === 'measured' ? outcome.measurement.bytesUsed : outcome.bytesUsed,
  isExact: true,
});

const NEVER = new AbortController().signal;
const NOTHING: SinkPayload = { bytes: 0, isExact: true };

export const measured = (
  bitsPerSecond: number,
  bytesUsed = bitsPerSecond / 8,
): ProbeOutcome<LinkMeasurement> => ({
  kind: 'measured',
  measurement: {
    ...noLinkFigures(unknown('not reported here')),
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
    uploadStreams: 1,
    downloadStreams: 1,
    bytesUsed,
    extrasBytes: 0,
    engine: 'made-up',
    method: 'made up',
  },
});
