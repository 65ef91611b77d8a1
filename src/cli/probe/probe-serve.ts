// `plimsoll probe serve`: makes this machine the other end of probes, for machines that are in no cluster with it.

import { networkInterfaces } from 'node:os';
import type { Clock } from '../../clock/clock.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { hostPortText } from '../../core/address/host-port.ts';
import { counted } from '../../core/figure/figure.ts';
import { flag, type Option } from '../../core/option/option.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { showable } from '../../core/text/single-line.ts';
import { makeOneTimeCode } from '../../probe/socket/one-time-code.ts';
import { ProbeError } from '../../probe/socket/probe-error.ts';
import type { SinkEnding } from '../../probe/socket/sink.ts';
import { openSocketSink, type SocketSink } from '../../probe/socket/socket-link.ts';
import { type Command, everyAddressOption, homeOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { bytesText } from './link-lines.ts';
import { PROBE_PORT } from './probe-link.ts';

const portOption = everyAddressOption(PROBE_PORT);

const onceOption: Option<boolean> = flag('once', 'Exit after one probe.');

export const probeServeCommand: Command = {
  name: 'probe serve',
  summary: 'Act as the other end of `plimsoll probe link`',
  description:
    'Prints a code that the other end needs. Each code is valid for one probe; then a new one is printed. One probe at a time.',
  arguments: [],
  options: [homeOption, portOption, onceOption],
  examples: [
    { line: 'plimsoll probe serve', meaning: 'until Ctrl-C' },
    { line: 'plimsoll probe serve --port 5000 --once', meaning: 'one probe, on a port of your own' },
  ],
  run: async (invocation, state) => {
    const requested = invocation.option(portOption);
    let port = requested ?? PROBE_PORT;
    let isFirst = true;
    let failures = 0;
    const refusals = new RefusalLines(systemClock, line => void state.stdout.write(`${line}\n`));
    while (!state.stop.aborted) {
      const code = makeOneTimeCode();
      const triesMax = isFirst && requested === undefined ? PORTS_TRIED : 1;
      refusals.begin();
      await using sink = await listening({ state, code, port, triesMax, refusals });
      if (sink === undefined) break;
      if (isFirst) await state.stdout.write(`${headline(sink.port, requested ?? PROBE_PORT)}\n`);
      await state.stdout.write(`${invitation(sink.port, code)}\n`);
      isFirst = false;
      port = sink.port;
      const ending = await sink.ended;
      if (state.stop.aborted) break;
      await state.stdout.write(`${endingText(ending)}\n`);
      failures = ending.kind === 'failed' ? failures + 1 : 0;
      if (invocation.option(onceOption))
        return ending.kind === 'served' ? EXIT_CODES.ok.code : EXIT_CODES.probeFailed.code;
      if (failures >= FAILURES_MAX) {
        throw new CommandError(
          'probeFailed',
          `${FAILURES_MAX} probes failed one after another`,
          'Start it again when the other end is ready: plimsoll probe serve',
        );
      }
    }
    return EXIT_CODES.ok.code;
  },
};

const REFUSALS_REPORTED_MS = 60_000;

export class RefusalLines {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #write: (line: string) => void;
  #reported = 0;
  #nextAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'nowMs'>, write: (line: string) => void) {
    this.#clock = clock;
    this.#write = write;
  }

  /** Of one code, since it was printed. */
  counted(count: number): void {
    const nowMs = this.#clock.nowMs();
    const more = count - this.#reported;
    if (more <= 0 || nowMs < this.#nextAtMs) return;
    this.#reported = count;
    this.#nextAtMs = nowMs + REFUSALS_REPORTED_MS;
    this.#write(`Refused ${counted(more, 'connection')} without the code. Still waiting.`);
  }

  /** Another code: its strangers are counted from none. */
  begin(): void {
    this.#reported = 0;
  }
}

/** undefined when the command was stopped meanwhile. */
const listening = async (options: {
  readonly state: ProcessState;
  readonly code: string;
  readonly port: number;
  readonly triesMax: number;
  readonly refusals: RefusalLines;
}): Promise<SocketSink | undefined> => {
  const { state, code, port, triesMax, refusals } = options;
  for (let tried = 0; ; tried += 1) {
    try {
      return await openSocketSink({
        host: '::',
        port: port + tried,
        ticket: code,
        waitMsMax: Number.POSITIVE_INFINITY,
        onStrangers: count => refusals.counted(count),
        signal: state.stop,
        env: state.env,
        nodePath: state.nodePath,
      });
    } catch (error) {
      if (state.stop.aborted) return undefined;
      if (!(error instanceof ProbeError)) throw error;
      if (error.code === 'port-taken' && tried + 1 < triesMax) continue;
      throw new CommandError(
        'addressInUse',
        `port ${port + tried} cannot be used: ${error.message}`,
        'Choose another one: plimsoll probe serve --port N',
        { cause: error },
      );
    }
  }
};

const headline = (port: number, wanted: number): string => {
  const taken = port === wanted ? '' : ` (${wanted} is taken)`;
  return `Waiting for probes on port ${port}${taken}, one at a time. Ctrl-C stops it.`;
};

/** What to type at the other end, for every address that it may know this machine by. */
const invitation = (port: number, code: string): string => {
  const own = ownAddresses();
  const hosts = own.length === 0 ? ['THIS-MACHINE'] : own;
  const lines = hosts.map(
    host => `  ${shellCommand`plimsoll probe link ${addressText(host, port)} --code ${code}`}`,
  );
  return [hosts.length === 1 ? 'On the other machine:' : 'On the other machine, one of:', ...lines].join(
    '\n',
  );
};

const addressText = (host: string, port: number): string =>
  port === PROBE_PORT ? host : hostPortText({ host, port });

/** Without loopback, and without link-local addresses, whose scope is known only at the other end. */
export const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flatMap(entries => entries ?? [])
    .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
    .map(({ address }) => address)
    .slice(0, ADDRESSES_SHOWN_MAX);

const endingText = (ending: SinkEnding): string => {
  const strangers =
    ending.strangers === 0 ? '' : ` Refused ${counted(ending.strangers, 'connection')} without the code.`;
  switch (ending.kind) {
    case 'served':
      return `${plain(ending.from)} measured: ${bytesText(ending.bytesReceived)} received, ${bytesText(ending.bytesSent)} sent.${strangers}`;
    case 'unused':
    case 'failed':
      return `The probe failed: ${plain(ending.reason)}.${strangers}`;
    default:
      return ending satisfies never;
  }
};

const plain = (text: string): string => showable(text.replace(/::ffff:(?=\d+\.)/, ''), ' ');

const PORTS_TRIED = 20;
const FAILURES_MAX = 20;
const ADDRESSES_SHOWN_MAX = 8;
