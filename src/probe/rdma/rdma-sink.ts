// The end of an RDMA probe that is dialled. It serves one source, which proves the ticket, runs its end of each test, and
// ends. It listens on the probe's address for as long as the probe lasts.

import type { Clock } from '../../clock/clock.ts';
import { shortReason } from '../../core/problem.ts';
import type { Env } from '../../process/child.ts';
import { ControlChannel } from '../socket/control-channel.ts';
import { ProbeError } from '../socket/probe-error.ts';
import { type DataConnection, TicketListener } from '../socket/ticket-listener.ts';
import { RUNS_MAX, type ToRdmaSink, type ToRdmaSource, toRdmaSinkSchema } from './rdma-message.ts';
import type { RdmaEndpoint, RdmaTest, RdmaTool } from './rdma-tool.ts';
import { startTool, type ToolRun } from './tool-run.ts';

interface RdmaSinkOptions {
  /** The probe's rendezvous address. */
  readonly host: string;
  readonly port: number;
  readonly ticket: string;
  /** Where the source may connect from, as far as known: see the ticket listener. */
  readonly sourceAddresses: readonly string[];
  /** What is installed here. */
  readonly tools: readonly RdmaTool[];
  readonly endpoint: RdmaEndpoint;
  readonly sourceDevice: string;
  readonly env: Env;
  readonly toolPrefix: readonly string[];
  readonly clock: Clock;
  /** For the source to connect. */
  readonly waitMsMax: number;
  /** From its arrival on. */
  readonly durationMsMax: number;
  readonly toolMsMax: number;
  readonly signal: AbortSignal;
}

export type RdmaSinkEnding =
  | {
      readonly kind: 'served';
      readonly runs: number;
      readonly strangers: number;
      /** The most that the tools of the runs to which the source connected can have moved. */
      readonly bytesMax: number;
    }
  | { readonly kind: 'unused'; readonly reason: string; readonly strangers: number }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly strangers: number;
      readonly bytesMax: number;
    };

export class RdmaSink {
  readonly #options: RdmaSinkOptions;
  readonly #door: TicketListener;
  #current: { readonly number: number; readonly tool: ToolRun; bytesMax: number } | undefined;
  #runs = 0;
  #bytesMax = 0;

  constructor(options: RdmaSinkOptions) {
    this.#options = options;
    this.#door = new TicketListener({ ...options, onData: connection => this.#adopt(connection) });
  }

  /** The port. @throws the system's error when the address cannot be listened on. */
  async listen(): Promise<number> {
    return await this.#door.listen(this.#options.host, this.#options.port);
  }

  /** Serves one source to the end. Never rejects; nothing of it is left. */
  async serve(): Promise<RdmaSinkEnding> {
    const { signal, durationMsMax } = this.#options;
    const door = this.#door;
    try {
      const source = await door.source(this.#options);
      if (source === undefined) {
        const reason = signal.aborted ? 'it was stopped' : 'no connection arrived in time';
        return { kind: 'unused', reason, strangers: door.strangers };
      }
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(durationMsMax)]);
      try {
        await this.#handleCommands(
          new ControlChannel<ToRdmaSource, ToRdmaSink>(source, toRdmaSinkSchema),
          deadline,
        );
        return { kind: 'served', runs: this.#runs, strangers: door.strangers, bytesMax: this.#bytesMax };
      } catch (error) {
        const reason = shortReason(error);
        return { kind: 'failed', reason, strangers: door.strangers, bytesMax: this.#bytesMax };
      } finally {
        await this.#current?.tool.stop();
        source.destroySoon();
      }
    } finally {
      door.close();
    }
  }

  async #adopt({ socket, run, accept }: DataConnection): Promise<void> {
    const current = this.#current;
    if (current?.number !== run) throw new ProbeError('protocol', 'an unexpected data connection');
    await accept();
    this.#bytesMax += current.bytesMax;
    current.bytesMax = 0; // a second connection of the same run is refused
    current.tool.carry(socket);
  }

  /** @throws ProbeError */
  async #handleCommands(
    channel: ControlChannel<ToRdmaSource, ToRdmaSink>,
    signal: AbortSignal,
  ): Promise<void> {
    channel.send({ kind: 'hello', engines: this.#options.tools.map(({ name }) => name) });
    const gone = channel.closed.then(() => this.#current?.tool.stop());
    try {
      while (true) {
        const message = await channel.next(signal);
        switch (message.kind) {
          case 'run':
            this.#runs += 1;
            if (this.#runs > RUNS_MAX)
              throw new ProbeError('protocol', `it requests more than ${RUNS_MAX} runs`);
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
    const { tools, endpoint, sourceDevice, env, toolPrefix, toolMsMax } = this.#options;
    const tool = tools.find(({ name }) => name === engine);
    if (tool === undefined) throw new ProbeError('protocol', `${engine} was not offered by this end`);
    const devices =
      role === 'waits'
        ? ([endpoint.device, sourceDevice] as const)
        : ([sourceDevice, endpoint.device] as const);
    const started = await startTool({
      tool,
      call: { test, role, endpoint, devices },
      env,
      toolPrefix,
      timeoutMs: toolMsMax,
      signal,
    });
    this.#current = { number: run, tool: started, bytesMax: bytesMaxOf(test, tool) };
    channel.send({ kind: 'started', run });
    void started.ended.then(ending => {
      const figures = ending.kind === 'done' && role === 'dials' ? tool.read(test, ending.stdout) : undefined;
      const reason =
        ending.kind === 'failed' ? ending.reason : figures?.kind === 'unreadable' ? figures.reason : '';
      channel.send({
        kind: 'ended',
        run,
        reason: reason.slice(0, REASON_LENGTH_MAX),
        wasStopped: ending.kind === 'failed' && ending.wasStopped === true,
        bitsPerSecond: figures?.kind === 'bandwidth' ? figures.bitsPerSecond : null,
      });
    });
  }
}

/** Round trips do not count. */
const bytesMaxOf = (test: RdmaTest, { warmUpMessages }: RdmaTool): number =>
  test.kind === 'bandwidth' ? (test.messages + warmUpMessages) * test.messageBytes : 0;

const REASON_LENGTH_MAX = 300;
