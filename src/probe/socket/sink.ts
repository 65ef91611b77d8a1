// The end of a probe that is dialled. It serves one source, which proves the ticket, and then ends; strangers cost it a
// short wait and get nothing.

import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { createServer, isIP, SocketAddress } from 'node:net';
import type { Clock } from '../../clock/clock.ts';
import { ControlChannel } from './control-channel.ts';
import type { ToSink, ToSource } from './control-message.ts';
import { STREAMS_MAX, toSinkSchema } from './control-message.ts';
import { hearIntroduction } from './handshake.ts';
import { ProbeError, shortReason } from './probe-error.ts';
import { SinkRun } from './sink-run.ts';
import type { StreamEngine } from './stream.ts';
import { STREAMS_READY } from './stream.ts';

export interface SinkOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly ticket: string;
  /** Only this address may dial; undefined for any. */
  readonly from: string | undefined;
  /** For the source to come; Infinity for no end. */
  readonly waitMsMax: number;
  /** From the coming of the source on. */
  readonly durationMsMax: number;
  readonly engine: StreamEngine;
  readonly clock: Clock;
  /** Streams that this machine's processor can drive. */
  readonly streamsMax: number;
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
  | { readonly kind: 'failed'; readonly reason: string; readonly strangers: number };

export class Sink {
  readonly #options: SinkOptions;
  readonly #server: Server = createServer({ noDelay: true });
  readonly #pending = new Set<Socket>();
  readonly #over = new AbortController();
  readonly #source = Promise.withResolvers<Socket>();
  #hasSource = false;
  #strangers = 0;
  #run: SinkRun | undefined;
  #bytesReceived = 0;
  #bytesSent = 0;

  constructor(options: SinkOptions) {
    this.#options = options;
    this.#server.on('connection', socket => this.#take(socket));
  }

  /** The port. @throws the system's error when the address cannot be listened on. */
  async listen(): Promise<number> {
    const { host, port, engine } = this.#options;
    await engine.prepare(STREAMS_READY);
    try {
      await this.#listenOn(host, port);
    } catch (error) {
      const isWithoutIpv6 = error instanceof Error && 'code' in error && error.code === 'EAFNOSUPPORT';
      if (host !== '::' || !isWithoutIpv6) throw error;
      await this.#listenOn('0.0.0.0', port);
    }
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Serves one source to the end. Never rejects. */
  async serve(): Promise<SinkEnding> {
    try {
      const source = await this.#untilSource();
      if (source === undefined) {
        const reason = this.#options.signal.aborted ? 'it was stopped' : 'nobody came in time';
        return { kind: 'unused', reason, strangers: this.#strangers };
      }
      const from = source.remoteAddress ?? 'an address unknown';
      try {
        await this.#obey(new ControlChannel<ToSource, ToSink>(source, toSinkSchema));
      } catch (error) {
        return { kind: 'failed', reason: `${from}: ${shortReason(error)}`, strangers: this.#strangers };
      } finally {
        await this.#endRun();
        source.destroySoon();
      }
      return {
        kind: 'served',
        from,
        bytesReceived: this.#bytesReceived,
        bytesSent: this.#bytesSent,
        strangers: this.#strangers,
      };
    } finally {
      this.#over.abort();
      this.#server.close();
      for (const socket of this.#pending) socket.destroy();
    }
  }

  async #listenOn(host: string, port: number): Promise<void> {
    this.#server.listen({ host, port, backlog: PENDING_MAX });
    await once(this.#server, 'listening');
  }

  async #untilSource(): Promise<Socket | undefined> {
    const { waitMsMax, signal, clock } = this.#options;
    const found = new AbortController();
    const patience = AbortSignal.any([signal, found.signal]);
    const waited = Number.isFinite(waitMsMax)
      ? clock.sleep(waitMsMax, patience).catch(() => undefined)
      : new Promise<undefined>(resolve =>
          patience.addEventListener('abort', () => resolve(undefined), { once: true }),
        );
    if (signal.aborted) return undefined;
    const source = await Promise.race([this.#source.promise, waited.then(() => undefined)]);
    found.abort();
    return source;
  }

  #take(socket: Socket): void {
    socket.on('error', () => undefined); // 'close' follows, and whoever reads finds out
    const { from } = this.#options;
    if (this.#pending.size >= PENDING_MAX || (from !== undefined && !isSameAddress(socket, from))) {
      this.#strangers += 1;
      socket.destroy();
      return;
    }
    this.#pending.add(socket);
    socket.once('close', () => this.#pending.delete(socket));
    void this.#introduce(socket).catch(() => {
      this.#strangers += 1;
      socket.destroy();
    });
  }

  async #introduce(socket: Socket): Promise<void> {
    const patience = AbortSignal.any([this.#over.signal, AbortSignal.timeout(INTRODUCTION_MS_MAX)]);
    const heard = await hearIntroduction(socket, this.#options.ticket, patience);
    if (heard.kind === 'not-proved') throw new ProbeError('refused', 'no proof of the ticket');
    if (heard.head.role === 'control') {
      const isFirst = !this.#hasSource;
      this.#hasSource = true;
      await heard.answer(isFirst ? 'accepted' : 'busy');
      if (isFirst) this.#source.resolve(socket);
      else socket.destroySoon();
    } else {
      const run = this.#run;
      if (run?.claims(heard.head.run, heard.head.index) !== true) {
        throw new ProbeError('protocol', 'a data connection that nobody waits for');
      }
      await heard.answer('accepted');
      await run.adopt(socket);
    }
    this.#pending.delete(socket);
  }

  /** Does what the source says until it says goodbye. @throws ProbeError, or the reason of the signal. */
  async #obey(channel: ControlChannel<ToSource, ToSink>): Promise<void> {
    const { engine, clock, streamsMax, signal, durationMsMax } = this.#options;
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(durationMsMax)]);
    channel.send({
      kind: 'hello',
      engine: engine.name,
      reason: engine.reason.slice(0, REASON_LENGTH_MAX),
      streamsMax: Math.min(STREAMS_MAX, Math.max(1, streamsMax)),
    });
    for (let runs = 0; runs <= RUNS_MAX; ) {
      const message = await channel.next(AbortSignal.any([deadline, AbortSignal.timeout(IDLE_MS_MAX)]));
      switch (message.kind) {
        case 'prepare':
          runs += 1;
          await this.#endRun();
          this.#run = new SinkRun(message, { engine, clock, tell: told => channel.send(told) });
          channel.send({ kind: 'prepared', run: message.run });
          break;
        case 'start':
          if ((await this.#current(message.run).start()) === false) {
            throw new ProbeError('timeout', 'its data connections did not come');
          }
          break;
        case 'stop':
          await this.#current(message.run).stop('');
          break;
        case 'bye':
          return;
        default:
          message satisfies never;
      }
    }
    throw new ProbeError('protocol', `it wants more than ${RUNS_MAX} measurements`);
  }

  #current(number: number): SinkRun {
    if (this.#run?.plan.run !== number) throw new ProbeError('protocol', 'it speaks of no measurement known');
    return this.#run;
  }

  async #endRun(): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    if (run === undefined) return;
    await run[Symbol.asyncDispose]();
    if (run.plan.job === 'upload') this.#bytesReceived += run.bytes;
    if (run.plan.job === 'download') this.#bytesSent += run.bytes;
  }
}

/** IPv4 that comes in on a dual-stack socket looks like ::ffff:192.0.2.1; a scope is only known to this machine. */
const isSameAddress = (socket: Socket, from: string): boolean =>
  plainAddress(socket.remoteAddress ?? '') === plainAddress(from);

const plainAddress = (address: string): string => {
  const [bare = ''] = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%');
  return isIP(bare) === 6 ? new SocketAddress({ address: bare, family: 'ipv6' }).address : bare;
};

/** Connections that have not proved the ticket yet. */
const PENDING_MAX = 32;
const INTRODUCTION_MS_MAX = 5_000;
/** The longest measurement takes ten seconds. */
const IDLE_MS_MAX = 15_000;
const RUNS_MAX = 32;
const REASON_LENGTH_MAX = 300;
