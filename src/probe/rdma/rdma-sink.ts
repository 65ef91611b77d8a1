// The end of an RDMA probe that is dialled. It serves one source, which proves the ticket, runs its end of each test, and
// ends. It listens on the probe's address for as long as the probe lasts.

import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { Clock } from '../../clock/clock.ts';
import type { Env } from '../../process/child.ts';
import { ControlChannel } from '../socket/control-channel.ts';
import { hearIntroduction } from '../socket/handshake.ts';
import { ProbeError, shortReason } from '../socket/probe-error.ts';
import type { ToRdmaSink, ToRdmaSource } from './rdma-message.ts';
import { RUNS_MAX, toRdmaSinkSchema } from './rdma-message.ts';
import type { RdmaPlace, RdmaTool } from './rdma-tool.ts';
import type { ToolRun } from './tool-run.ts';
import { startTool } from './tool-run.ts';

export interface RdmaSinkOptions {
  /** The probe's rendezvous address. */
  readonly host: string;
  readonly port: number;
  readonly ticket: string;
  /** What is installed here. */
  readonly tools: readonly RdmaTool[];
  readonly place: RdmaPlace;
  readonly sourceDevice: string;
  readonly env: Env;
  readonly leash: readonly string[];
  readonly clock: Clock;
  /** For the source to come. */
  readonly waitMsMax: number;
  /** From its coming on. */
  readonly durationMsMax: number;
  readonly toolMsMax: number;
  readonly signal: AbortSignal;
}

export type RdmaSinkEnding =
  | { readonly kind: 'served'; readonly runs: number; readonly strangers: number }
  | { readonly kind: 'unused' | 'failed'; readonly reason: string; readonly strangers: number };

export class RdmaSink {
  readonly #options: RdmaSinkOptions;
  readonly #server: Server = createServer({ noDelay: true });
  readonly #pending = new Set<Socket>();
  readonly #over = new AbortController();
  readonly #source = Promise.withResolvers<Socket>();
  #hasSource = false;
  #strangers = 0;
  #current: { readonly number: number; readonly tool: ToolRun } | undefined;
  #runs = 0;

  constructor(options: RdmaSinkOptions) {
    this.#options = options;
    this.#server.on('connection', socket => this.#take(socket));
  }

  /** The port. @throws the system's error when the address cannot be listened on. */
  async listen(): Promise<number> {
    const { host, port } = this.#options;
    this.#server.listen({ host, port, backlog: PENDING_MAX });
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Serves one source to the end. Never rejects; nothing of it is left. */
  async serve(): Promise<RdmaSinkEnding> {
    const { signal, waitMsMax, durationMsMax, clock } = this.#options;
    const found = new AbortController();
    try {
      const waited = clock.sleep(waitMsMax, AbortSignal.any([signal, found.signal])).catch(() => undefined);
      const source = await Promise.race([this.#source.promise, waited.then(() => undefined)]);
      if (source === undefined) {
        const reason = signal.aborted ? 'it was stopped' : 'nobody came in time';
        return { kind: 'unused', reason, strangers: this.#strangers };
      }
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(durationMsMax)]);
      try {
        await this.#obey(new ControlChannel<ToRdmaSource, ToRdmaSink>(source, toRdmaSinkSchema), deadline);
        return { kind: 'served', runs: this.#runs, strangers: this.#strangers };
      } catch (error) {
        return { kind: 'failed', reason: shortReason(error), strangers: this.#strangers };
      } finally {
        await this.#current?.tool.stop();
        source.destroySoon();
      }
    } finally {
      found.abort();
      this.#over.abort();
      this.#server.close();
      for (const socket of this.#pending) socket.destroy();
    }
  }

  #take(socket: Socket): void {
    socket.on('error', () => undefined); // 'close' follows, and whoever reads finds out
    if (this.#pending.size >= PENDING_MAX) {
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
      const current = this.#current;
      if (current?.number !== heard.head.run)
        throw new ProbeError('protocol', 'a data connection that nobody waits for');
      await heard.answer('accepted');
      current.tool.carry(socket);
    }
    this.#pending.delete(socket);
  }

  /** @throws ProbeError */
  async #obey(channel: ControlChannel<ToRdmaSource, ToRdmaSink>, signal: AbortSignal): Promise<void> {
    channel.send({ kind: 'hello', engines: this.#options.tools.map(({ name }) => name) });
    const gone = channel.closed.then(() => this.#current?.tool.stop());
    try {
      while (true) {
        const message = await channel.next(signal);
        switch (message.kind) {
          case 'run':
            this.#runs += 1;
            if (this.#runs > RUNS_MAX)
              throw new ProbeError('protocol', `it wants more than ${RUNS_MAX} runs`);
            await this.#current?.tool.stop();
            await this.#start(message, channel, signal);
            break;
          case 'stop':
            if (this.#current?.number === message.run) await this.#current.tool.stop();
            break;
          case 'bye':
            return;
          default:
            message satisfies never;
        }
      }
    } finally {
      channel.close();
      await gone;
    }
  }

  async #start(
    { run, engine, test, role }: ToRdmaSink & { readonly kind: 'run' },
    channel: ControlChannel<ToRdmaSource, ToRdmaSink>,
    signal: AbortSignal,
  ): Promise<void> {
    const { tools, place, sourceDevice, env, leash, toolMsMax } = this.#options;
    const tool = tools.find(({ name }) => name === engine);
    if (tool === undefined) throw new ProbeError('protocol', `${engine} is not what this end has offered`);
    const devices =
      role === 'waits' ? ([place.device, sourceDevice] as const) : ([sourceDevice, place.device] as const);
    const started = await startTool({
      tool,
      call: { test, role, place, devices },
      env,
      leash,
      timeoutMs: toolMsMax,
      signal,
    });
    this.#current = { number: run, tool: started };
    channel.send({ kind: 'started', run });
    void started.ended.then(ending => {
      const figures = ending.kind === 'done' && role === 'dials' ? tool.read(test, ending.stdout) : undefined;
      const reason =
        ending.kind === 'failed' ? ending.reason : figures?.kind === 'unreadable' ? figures.reason : '';
      channel.send({
        kind: 'ended',
        run,
        reason: reason.slice(0, REASON_LENGTH_MAX),
        bitsPerSecond: figures?.kind === 'bandwidth' ? figures.bitsPerSecond : null,
      });
    });
  }
}

/** Connections that have not proved the ticket yet. */
const PENDING_MAX = 32;
const INTRODUCTION_MS_MAX = 5_000;
const REASON_LENGTH_MAX = 300;
