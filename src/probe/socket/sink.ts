// The end of a probe that is dialled. It serves one source, which proves the ticket, and then ends; strangers cost it a
// short wait and get nothing.

import type { Socket } from 'node:net';
import { type Clock, pause, unlessAborted } from '../../clock/clock.ts';
import { shortReason } from '../../core/problem.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import type { Sockets } from '../../native/sockets.ts';
import { ControlChannel } from './control-channel.ts';
import { STREAMS_MAX, type ToSink, type ToSource, toSinkSchema } from './control-message.ts';
import { DatagramEnd, TRAINS_MAX, type Train } from './datagram-end.ts';
import { ProbeError } from './probe-error.ts';
import { SAMPLE_INTERVAL_MS } from './rate-estimate.ts';
import { CHUNK_BYTES, STREAMS_READY, type Stream, type StreamEngine, type StreamJob } from './stream.ts';
import { bytesOf, endStreams, retransmitsOf, sampleOf } from './stream-totals.ts';
import { type DataConnection, TicketListener } from './ticket-listener.ts';

export interface SinkOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly ticket: string;
  /** Where the source may connect from, as far as known: see the ticket listener. */
  readonly sourceAddresses: readonly string[];
  /** For the source to connect; Infinity for no limit. */
  readonly waitMsMax: number;
  /** From the source's arrival on. */
  readonly durationMsMax: number;
  readonly engine: StreamEngine;
  readonly clock: Clock;
  /** Streams that this machine's processor can drive. */
  readonly streamsMax: number;
  /** Without them no MTU can be measured. */
  readonly sockets: Sockets | undefined;
  readonly signal: AbortSignal;
}

export type SinkEnding =
  | {
      readonly kind: 'served';
      readonly from: string;
      readonly bytesReceived: number;
      readonly bytesSent: number;
      /** Connections of others, or of the same without proof. */
      readonly strangers: number;
    }
  | { readonly kind: 'unused'; readonly reason: string; readonly strangers: number }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly strangers: number;
      /** Both directions. */
      readonly bytesUsed: number;
    };

export class Sink {
  readonly #options: SinkOptions;
  readonly #door: TicketListener;
  #run: SinkRun | undefined;
  #datagrams: DatagramEnd | undefined;
  #bytesReceived = 0;
  #bytesSent = 0;

  constructor(options: SinkOptions) {
    this.#options = options;
    this.#door = new TicketListener({ ...options, onData: connection => this.#adopt(connection) });
  }

  /** Connections refused so far. */
  get strangers(): number {
    return this.#door.strangers;
  }

  /** Payload of both directions so far, that of the current measurement included. */
  get bytesUsed(): number {
    const { received, sent } = this.#run === undefined ? NO_PAYLOAD : payloadOf(this.#run);
    return this.#bytesReceived + this.#bytesSent + received + sent;
  }

  /** The port. @throws the system's error when the address cannot be listened on. */
  async listen(): Promise<number> {
    const { host, port, engine } = this.#options;
    await engine.prepare(STREAMS_READY);
    return await this.#door.listen(host, port);
  }

  /** Serves one source to the end. Never rejects. */
  async serve(): Promise<SinkEnding> {
    const door = this.#door;
    try {
      const source = await door.source(this.#options);
      if (source === undefined) {
        const reason = this.#options.signal.aborted ? 'it was stopped' : 'no connection arrived in time';
        return { kind: 'unused', reason, strangers: door.strangers };
      }
      const from = source.remoteAddress ?? 'an unknown address';
      let failure: string | undefined;
      try {
        await this.#handleCommands(new ControlChannel<ToSource, ToSink>(source, toSinkSchema), source);
      } catch (error) {
        failure = `${from}: ${shortReason(error)}`;
      } finally {
        await this.#endRun();
        await this.#endDatagrams();
        source.destroySoon();
      }
      if (failure !== undefined)
        return { kind: 'failed', reason: failure, strangers: door.strangers, bytesUsed: this.bytesUsed };
      return {
        kind: 'served',
        from,
        bytesReceived: this.#bytesReceived,
        bytesSent: this.#bytesSent,
        strangers: door.strangers,
      };
    } finally {
      door.close();
    }
  }

  async #adopt({ socket, run: number, index, accept }: DataConnection): Promise<void> {
    const run = this.#run;
    if (run?.claims(number, index) !== true) {
      throw new ProbeError('protocol', 'an unexpected data connection');
    }
    await accept();
    await run.adopt(socket);
  }

  /**
   * Serves the source's requests until it ends the session. @throws ProbeError, or the reason of the signal.
   */
  async #handleCommands(channel: ControlChannel<ToSource, ToSink>, source: Socket): Promise<void> {
    const { engine, clock, streamsMax, signal, durationMsMax } = this.#options;
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(durationMsMax)]);
    channel.send({
      kind: 'hello',
      engine: engine.name,
      reason: engine.reason.slice(0, REASON_LENGTH_MAX),
      streamsMax: Math.min(STREAMS_MAX, Math.max(1, streamsMax)),
      hasDatagrams: true,
    });
    let trains = 0;
    for (let runs = 0; runs <= RUNS_MAX; ) {
      const message = await channel.next(AbortSignal.any([deadline, AbortSignal.timeout(IDLE_MS_MAX)]));
      switch (message.kind) {
        case 'prepare':
          runs += 1;
          await this.#endRun();
          this.#run = new SinkRun(message, { engine, clock, report: reported => channel.send(reported) });
          channel.send({ kind: 'prepared', run: message.run });
          break;
        case 'start':
          if ((await this.#current(message.run).start()) === false) {
            throw new ProbeError('timeout', 'its data connections did not arrive');
          }
          break;
        case 'stop':
          await this.#current(message.run).stop('');
          break;
        case 'datagrams':
          channel.send(await this.#openDatagrams(message.secret, source));
          break;
        case 'send-train': {
          trains += 1;
          if (trains > TRAINS_MAX)
            throw new ProbeError('protocol', `it requests more than ${TRAINS_MAX} trains`);
          channel.send(await this.#sendTrain(message, deadline));
          break;
        }
        case 'count-train': {
          const received = (await this.#datagrams?.received(message.train)) ?? NOTHING_RECEIVED;
          channel.send({ kind: 'train-counted', train: message.train, ...received });
          break;
        }
        case 'ping':
          channel.send({ kind: 'pong', sequence: message.sequence });
          break;
        case 'bye':
          return;
        default:
          message satisfies never;
      }
    }
    throw new ProbeError('protocol', `it requests more than ${RUNS_MAX} measurements`);
  }

  async #endDatagrams(): Promise<void> {
    const end = this.#datagrams;
    if (end === undefined) return;
    await end[Symbol.asyncDispose]();
    this.#bytesReceived += end.receivedBytes;
    this.#bytesSent += end.sentBytes;
  }

  async #openDatagrams(secret: string, source: Socket): Promise<ToSource> {
    const { clock, sockets } = this.#options;
    const { localAddress = '', localPort = 0, remoteAddress = '' } = source;
    const open = async (port: number): Promise<ToSource> => {
      const end = await DatagramEnd.open({
        localAddress,
        remoteAddress,
        port,
        secret,
        sourceInterface: undefined,
        sockets,
        clock,
      });
      this.#datagrams = end;
      return { kind: 'datagrams-ready', port: end.port, reason: '' };
    };
    if (this.#datagrams !== undefined) throw new ProbeError('protocol', 'it requests datagrams twice');
    try {
      // The port that a firewall may already let through for TCP.
      return await open(localPort).catch(() => open(0));
    } catch (error) {
      return { kind: 'datagrams-ready', port: null, reason: shortReason(error).slice(0, REASON_LENGTH_MAX) };
    }
  }

  async #sendTrain(train: Train, signal: AbortSignal): Promise<ToSource> {
    const end = this.#datagrams;
    const port = end?.replyPort;
    // Nothing is sent to where no datagram of this source has come from.
    const sent = end === undefined || port === undefined ? 0 : await end.send(train, port, signal);
    const isWhole = end === undefined || !isUnknown(end.isWhole) ? '' : end.isWhole.reason;
    return { kind: 'train-sent', train: train.train, sent, isWhole: isWhole.slice(0, REASON_LENGTH_MAX) };
  }

  #current(number: number): SinkRun {
    if (this.#run?.plan.run !== number)
      throw new ProbeError('protocol', 'it does not belong to a known measurement');
    return this.#run;
  }

  async #endRun(): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    if (run === undefined) return;
    await run[Symbol.asyncDispose]();
    const { received, sent } = payloadOf(run);
    this.#bytesReceived += received;
    this.#bytesSent += sent;
  }
}

/** Round trips do not count. */
const payloadOf = ({
  plan: { job },
  bytes,
}: SinkRun): { readonly received: number; readonly sent: number } => ({
  received: job === 'upload' || job === 'exchange' ? bytes : 0,
  sent: job === 'download' || job === 'exchange' ? bytes : 0,
});

const NOTHING_RECEIVED = { count: 0, reordered: 0, dropped: 0, numbers: [] } as const;
const NO_PAYLOAD = { received: 0, sent: 0 } as const;

/** The longest measurement takes ten seconds. */
const IDLE_MS_MAX = 15_000;
const RUNS_MAX = 32;
const REASON_LENGTH_MAX = 300;

// One measurement at the sink: a set of data connections, from the first that dials in to the last byte counted.
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
