// The end of a probe that dials: it decides what is measured and for how long, and rejects any claim of the other end
// that its own counters or kernel contradict.

import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Clock } from '../../clock/clock.ts';
import { type DatagramFigures, noDatagramFigures } from '../../core/link/link-profile.ts';
import { shortReason } from '../../core/problem.ts';
import { isKnown, unknown } from '../../core/unknown.ts';
import { ControlChannel } from './control-channel.ts';
import { RUN_MS_MAX, type ToSink, type ToSource, toSourceSchema } from './control-message.ts';
import { ControlPings, reasonAgainstPings } from './control-pings.ts';
import { DatagramEnd, type DatagramEndOptions, SECRET_LENGTH } from './datagram-end.ts';
import { type DatagramOptions, measureDatagrams } from './datagram-figures.ts';
import { Trains } from './datagram-trains.ts';
import { dialSink, type SinkAddress } from './dial.ts';
import { brokenOff, outOfOrder, ProbeError } from './probe-error.ts';
import {
  type DirectionRun,
  HOURLY,
  type ProbeDirection,
  RateEstimate,
  type RateSample,
  RUN_SLACK_MS,
  type RunOptions,
  runFiguresOf,
  SAMPLE_INTERVAL_MS,
} from './rate-estimate.ts';
import type { Stream, StreamEngine, StreamJob } from './stream.ts';
import {
  acknowledgedOf,
  bytesOf,
  endStreams,
  firstReasonOf,
  retransmitsOf,
  sampleOf,
} from './stream-totals.ts';
import { UploadCheck } from './upload-check.ts';

export interface SourceParts {
  readonly sink: SinkAddress;
  readonly engine: StreamEngine;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

type TimedOptions = Pick<RunOptions, 'durationMsMax'> & { readonly count: number };
interface SessionParts {
  readonly socket: Socket;
  readonly parts: SourceParts;
  readonly channel: ControlChannel<ToSink, ToSource>;
  readonly pings: ControlPings;
  readonly hello: Hello;
}
type PreparePlan = Extract<ToSink, { kind: 'prepare' }>;
export type Hello = Extract<ToSource, { kind: 'hello' }>;

export class SourceSession {
  readonly hello: Hello;
  readonly #parts: SourceParts;
  readonly #channel: ControlChannel<ToSink, ToSource>;
  readonly #pings: ControlPings;
  readonly #ends: Pick<DatagramEndOptions, 'localAddress' | 'remoteAddress'>;
  #runs = 0;
  #bytesUsed = 0;

  private constructor({ socket, parts, channel, pings, hello }: SessionParts) {
    const { localAddress = '', remoteAddress = '' } = socket;
    this.#ends = { localAddress, remoteAddress };
    this.#parts = parts;
    this.#channel = channel;
    this.#pings = pings;
    this.hello = hello;
  }

  /** @throws ProbeError */
  static async open(parts: SourceParts): Promise<SourceSession> {
    const socket = await dialSink(parts.sink, { role: 'control', index: 0, run: 0 }, parts.signal);
    const channel = new ControlChannel<ToSink, ToSource>(socket, toSourceSchema, message => {
      if (message.kind === 'pong') pings.receive(message.sequence);
      return message.kind === 'pong';
    });
    const pings = new ControlPings(sequence => channel.send({ kind: 'ping', sequence }), parts.clock);
    try {
      const hello = await channel.next(within(parts.signal, ANSWER_MS_MAX));
      if (hello.kind !== 'hello') throw outOfOrder();
      return new SourceSession({ socket, parts, channel, pings, hello });
    } catch (error) {
      channel.close();
      throw error;
    }
  }

  /** Payload of everything so far, including failures. */
  get bytesUsed(): number {
    return this.#bytesUsed;
  }

  /** Round trips in order, nanoseconds. @throws ProbeError */
  roundTrips({ count, durationMsMax }: TimedOptions): Promise<readonly number[]> {
    return this.#timed({ job: 'echo' }, { kind: 'ping', count }, durationMsMax);
  }

  /** How long it took until each end had the other's `bytes`, in order, nanoseconds. @throws ProbeError */
  exchanges({
    bytes,
    count,
    durationMsMax,
  }: TimedOptions & { readonly bytes: number }): Promise<readonly number[]> {
    const job: StreamJob = { kind: 'exchange', bytes, count };
    return this.#timed({ job: 'exchange', messageBytes: bytes }, job, durationMsMax);
  }

  async #timed(
    requested: Pick<PreparePlan, 'job' | 'messageBytes'>,
    job: StreamJob,
    durationMsMax: number,
  ): Promise<readonly number[]> {
    const run = this.#nextRun();
    const streams = await this.#prepare(
      { kind: 'prepare', run, ...requested, streams: 1, bytesMaxPerStream: 0, durationMsMax: RUN_MS_MAX },
      job,
    );
    try {
      await this.#startSink(run);
      for (const stream of streams) stream.start();
      const over = new AbortController();
      const late = this.#parts.clock
        .sleep(durationMsMax, AbortSignal.any([over.signal, this.#parts.signal]))
        .catch(() => undefined);
      await Promise.race([late, ...streams.map(({ ended }) => ended)]);
      over.abort();
      for (const stream of streams) stream.stop();
      const endings = await Promise.all(streams.map(({ ended }) => ended));
      await this.#stopSink(run);
      this.#bytesUsed += 2 * bytesOf(streams);
      const [ending] = endings;
      if (ending === undefined || ending.reason !== '') throw brokenOff(ending?.reason ?? '');
      return ending.roundTripsNs;
    } finally {
      await endStreams(streams);
    }
  }

  /** @throws ProbeError */
  async bandwidth(direction: ProbeDirection, options: RunOptions): Promise<DirectionRun> {
    const { streams: count, roundTripMs, isWhole } = options;
    const durationMsMax = Math.max(1, Math.floor(Math.min(options.durationMsMax, RUN_MS_MAX - RUN_SLACK_MS)));
    const run = this.#nextRun();
    const bytesMaxPerStream = Math.floor(options.bytesMax / count);
    const job: StreamJob = {
      kind: direction === 'upload' ? 'send' : 'receive',
      bytesMax: bytesMaxPerStream,
    };
    const streams = await this.#prepare(
      {
        kind: 'prepare',
        run,
        job: direction,
        streams: count,
        bytesMaxPerStream,
        durationMsMax: durationMsMax + RUN_SLACK_MS,
      },
      job,
    );
    const pings = await this.#pings.duringLoad({
      reason: options.measuresQueue ? reasonAgainstPings(this.#parts.engine, this.hello) : HOURLY.reason,
      roundTripMs,
      signal: this.#parts.signal,
    });
    const estimate = new RateEstimate({ roundTripMs, durationMsMax, isWhole });
    const quota = bytesMaxPerStream * count;
    let sentBytes = 0;
    try {
      if (direction === 'download') {
        for (const stream of streams) stream.start();
        await this.#startSink(run);
        pings.start();
        await this.#watchDownload(streams, estimate, quota);
        const queueNs = await pings.end();
        const { retransmits, bytes } = await this.#stopSink(run);
        // Bytes sent but never read have gone over the wire as well.
        sentBytes = Math.min(bytes, quota);
        return {
          ...runFiguresOf(estimate),
          retransmits: retransmits ?? unknown("the other end's kernel does not report it"),
          streams: count,
          queueNs,
        };
      }
      await this.#startSink(run);
      for (const stream of streams) stream.start();
      pings.start();
      const check = new UploadCheck(streams);
      await this.#watchUpload(run, estimate, check, quota);
      const queueNs = pings.end();
      for (const stream of streams) stream.stop();
      const { bytes } = await this.#stopSink(run, message => check.take(message, this.#parts.clock.nowMs()));
      await Promise.all(streams.map(({ ended }) => ended));
      check.end(bytes);
      return {
        ...runFiguresOf(estimate),
        retransmits: retransmitsOf(streams),
        streams: count,
        queueNs: await queueNs,
      };
    } finally {
      pings.cancel();
      await endStreams(streams);
      const moved = bytesOf(streams);
      const acknowledged = acknowledgedOf(streams);
      if (direction === 'download') this.#bytesUsed += Math.max(moved, sentBytes);
      else this.#bytesUsed += isKnown(acknowledged) ? acknowledged : moved;
    }
  }

  /**
   * What datagrams show of both directions; unknown where an end has none.
   * @throws ProbeError if the sink goes away
   */
  async datagrams(options: DatagramOptions): Promise<DatagramFigures> {
    if (this.hello.hasDatagrams !== true)
      return noDatagramFigures(unknown('not measured by the version of the other end'));
    const { sink, clock, signal } = this.#parts;
    const secret = randomBytes(SECRET_LENGTH / 2).toString('hex');
    const { sourceInterface, sockets } = sink;
    let end: DatagramEnd;
    try {
      end = await DatagramEnd.open({
        ...this.#ends,
        port: 0,
        secret,
        sourceInterface,
        sockets,
        clock,
      });
    } catch (error) {
      return noDatagramFigures(unknown(`no UDP socket: ${shortReason(error)}`));
    }
    try {
      const ready = await this.#request({ kind: 'datagrams', secret }, 'datagrams-ready');
      if (ready.port === null)
        return noDatagramFigures(unknown(`the other end has no UDP socket: ${ready.reason}`));
      const trains = new Trains({ end, port: ready.port, clock, signal }, (message, kind) =>
        this.#request(message, kind),
      );
      return await measureDatagrams(trains, options);
    } finally {
      await end[Symbol.asyncDispose]();
      this.#bytesUsed += end.sentBytes + end.receivedBytes;
    }
  }

  close(): void {
    this.#channel.send({ kind: 'bye' });
    this.#channel.close();
  }

  #nextRun(): number {
    this.#runs += 1;
    return this.#runs;
  }

  async #prepare(plan: PreparePlan, job: StreamJob): Promise<readonly Stream[]> {
    const { sink, engine, signal } = this.#parts;
    this.#channel.send(plan);
    await this.#expect('prepared', plan.run);
    const dialled = await Promise.allSettled(
      Array.from({ length: plan.streams }, async (_, index) =>
        engine.adopt(await dialSink(sink, { role: 'data', index, run: plan.run }, signal), job),
      ),
    );
    const streams = dialled.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
    const failure = dialled.find(result => result.status === 'rejected');
    if (failure === undefined) return streams;
    await endStreams(streams);
    throw failure.reason;
  }

  async #startSink(run: number): Promise<void> {
    this.#channel.send({ kind: 'start', run });
    await this.#expect('started', run);
  }

  /** @throws ProbeError if the sink has stopped by itself. */
  async #stopSink(
    run: number,
    onSample: (sample: Extract<ToSource, { kind: 'sample' }>) => void = () => undefined,
  ): Promise<Extract<ToSource, { kind: 'stopped' }>> {
    this.#channel.send({ kind: 'stop', run });
    const patience = within(this.#parts.signal, ANSWER_MS_MAX);
    while (true) {
      const message = await this.#channel.next(patience);
      if (message.kind === 'sample' && message.run === run) onSample(message);
      else if (message.kind === 'stopped' && message.run === run) {
        if (message.reason !== '') throw brokenOff(message.reason);
        return message;
      } else throw outOfOrder();
    }
  }

  async #watchDownload(streams: readonly Stream[], estimate: RateEstimate, quota: number): Promise<void> {
    const { clock, signal } = this.#parts;
    let isBroken = false;
    const endings = streams.map(async ({ ended }) => {
      isBroken ||= (await ended).reason !== '';
    });
    let silentMs = 0;
    while (!estimate.isDone && bytesOf(streams) < quota) {
      await clock.sleep(SAMPLE_INTERVAL_MS, signal);
      const early = this.#channel.take();
      if (early !== undefined) throw early.kind === 'stopped' ? brokenOff(early.reason) : outOfOrder();
      const before = estimate.bytes;
      const sample = sampleOf(streams);
      if (sample !== undefined) estimate.add(sample);
      if (isBroken) throw brokenOff((await firstReasonOf(streams)) ?? '');
      silentMs = estimate.bytes > before ? 0 : silentMs + SAMPLE_INTERVAL_MS;
      if (silentMs >= SILENT_MS_MAX) throw silent();
    }
    const last = sampleOf(streams);
    if (last !== undefined) estimate.add(last);
    for (const stream of streams) stream.stop();
    await Promise.all(endings);
  }

  async #watchUpload(run: number, estimate: RateEstimate, check: UploadCheck, quota: number): Promise<void> {
    const { clock, signal } = this.#parts;
    let movedAtMs = clock.nowMs();
    while (!estimate.isDone && estimate.bytes < quota) {
      const message = await this.#channel.next(within(signal, SILENT_MS_MAX));
      if (message.kind === 'stopped') throw brokenOff(message.reason);
      if (message.kind !== 'sample' || message.run !== run) throw outOfOrder();
      check.take(message, clock.nowMs());
      const sample: RateSample = { elapsedMs: message.elapsedUs / 1_000, bytes: message.bytes };
      if (sample.bytes > estimate.bytes) movedAtMs = clock.nowMs();
      if (clock.nowMs() - movedAtMs >= SILENT_MS_MAX) throw silent();
      estimate.add(sample);
    }
  }

  async #request<K extends ToSource['kind']>(
    message: ToSink,
    kind: K,
  ): Promise<Extract<ToSource, { kind: K }>> {
    this.#channel.send(message);
    const reply = await this.#channel.next(within(this.#parts.signal, ANSWER_MS_MAX));
    if (!isOfKind(reply, kind)) throw outOfOrder();
    return reply;
  }

  async #expect(kind: ToSource['kind'], run: number): Promise<void> {
    const message = await this.#channel.next(within(this.#parts.signal, ANSWER_MS_MAX));
    if (message.kind !== kind || !('run' in message) || message.run !== run) throw outOfOrder();
  }
}

const isOfKind = <K extends ToSource['kind']>(
  message: ToSource,
  kind: K,
): message is Extract<ToSource, { kind: K }> => message.kind === kind;

const within = (signal: AbortSignal, durationMs: number): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(durationMs)]);

const silent = (): ProbeError => new ProbeError('timeout', `nothing arrived for ${SILENT_MS_MAX / 1_000} s`);

const ANSWER_MS_MAX = 5_000;
const SILENT_MS_MAX = 3_000;
