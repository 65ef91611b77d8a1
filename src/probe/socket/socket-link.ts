// Probes of socket connections as the rest of Plimsoll sees them. Each end runs in a child process: a foreign call that
// hangs or breaks its process takes nothing else with it, and a deadline is a SIGKILL.

import * as v from 'valibot';
import { lastLine } from '../../core/text/single-line.ts';
import type { Env } from '../../process/child.ts';
import { entryUrl } from '../../process/entry.ts';
import { type OwnProcess, type OwnProcessExit, startOwnProcess } from '../../process/own-process.ts';
import type { LinkLoad } from '../link-engine.ts';
import { linkOutcomeSchema, loadOutcomeSchema, probeFailedBy } from '../link-outcome.ts';
import type { LinkMeasurement, ProbeOutcome } from '../probe.ts';
import type { LoadArgument } from './load-link.ts';
import type { LinkBudget } from './measure-link.ts';
import { ProbeError } from './probe-error.ts';
import {
  SOURCE_ADDRESSES_MAX,
  sinkEndingSchema,
  sinkReadySchema,
  spentSchema,
  strangersSchema,
  TICKET_VARIABLE,
} from './process-arguments.ts';
import type { SinkEnding } from './sink.ts';

interface SocketSinkOptions {
  /** Address to bind; '::' for any, IPv4 too. */
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** At least 60 unguessable bits; valid for one probe. */
  readonly ticket: string;
  /** Where the source may connect from, as far as known: slots are reserved for it. */
  readonly sourceAddresses?: readonly string[];
  /** For the source to connect. Default 15 s; Infinity for no limit. */
  readonly waitMsMax?: number;
  /** How many were refused so far, at most once a second. */
  readonly onStrangers?: (count: number) => void;
  /** Duration of the probe itself. Default 90 s. */
  readonly durationMsMax?: number;
  /** Ends it in any state. */
  readonly signal: AbortSignal;
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
}

export interface SocketSink extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** Never rejects. */
  readonly ended: Promise<SinkEnding>;
}

/**
 * Listens for one probe.
 * @throws ProbeError `unreachable` if it cannot listen on the address; OwnProcessError when the child does
 * not start; the signal's reason.
 */
export const openSocketSink = async (options: SocketSinkOptions): Promise<SocketSink> => {
  const waitMsMax = options.waitMsMax ?? WAIT_MS_MAX;
  const durationMsMax = options.durationMsMax ?? SINK_MS_MAX;
  let bytesUsed = 0;
  const child = await startOwnProcess({
    entry: entryUrl(import.meta.url, './sink-process.ts'),
    args: [
      JSON.stringify({
        host: options.host,
        port: options.port,
        sourceAddresses: (options.sourceAddresses ?? []).slice(0, SOURCE_ADDRESSES_MAX),
        waitMsMax: Number.isFinite(waitMsMax) ? waitMsMax : null,
        durationMsMax,
      }),
    ],
    nodePath: options.nodePath,
    env: { ...options.env, [TICKET_VARIABLE]: options.ticket },
    readyTimeoutMs: READY_MS_MAX,
    signal: options.signal,
    onMessage: message => {
      const reported = v.safeParse(strangersSchema, message);
      if (reported.success) options.onStrangers?.(reported.output.count);
      const spent = v.safeParse(spentSchema, message);
      if (spent.success) bytesUsed = spent.output.bytesUsed;
    },
  });
  const ready = v.safeParse(sinkReadySchema, child.ready);
  if (!ready.success || ready.output.kind !== 'listening') {
    await child.kill();
    if (!ready.success || ready.output.kind === 'listening') throw new ProbeError('unreachable', 'no answer');
    throw new ProbeError(ready.output.isTaken ? 'port-taken' : 'unreachable', ready.output.reason);
  }
  const deadlineMs = waitMsMax + durationMsMax + GRACE_MS;
  return {
    port: ready.output.port,
    pid: child.pid,
    ended: lastStatus(child, deadlineMs, options.signal).then(exit => endingOf(exit, bytesUsed)),
    [Symbol.asyncDispose]: async () => {
      await child.stop(GRACE_MS);
    },
  };
};

export interface MeasureSocketLinkOptions extends SourceOptions {
  /** Default 200. */
  readonly roundTrips?: number;
}

interface SourceOptions {
  /** As a connection's key has it: "10.0.0.2", "fe80::1%en3"; or a name. */
  readonly address: string;
  readonly port: number;
  readonly ticket: string;
  /** Default: as the system routes. */
  readonly sourceInterface?: string;
  readonly budget: LinkBudget;
  /** Default: as many as raise the rate and the processors can drive. */
  readonly streamsMax?: number;
  readonly signal: AbortSignal;
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
}

/**
 * Measures a connection.
 * @throws only the signal's reason, when it aborts.
 */
export const measureSocketLink = ({
  roundTrips = ROUND_TRIPS,
  ...options
}: MeasureSocketLinkOptions): Promise<ProbeOutcome<LinkMeasurement>> =>
  outcomeOfSource(options, { roundTrips }, linkOutcomeSchema);

/** Sends over a connection. @throws only the signal's reason, when it aborts. */
export const loadSocketLink = (
  options: Omit<SourceOptions, 'budget'>,
  load: LoadArgument,
): Promise<ProbeOutcome<LinkLoad>> => {
  const budget = { bytesMax: 0, durationMsMax: load.durationMs, measuresExtras: false };
  return outcomeOfSource({ ...options, budget }, { roundTrips: 0, load }, loadOutcomeSchema);
};

const outcomeOfSource = async <T>(
  options: SourceOptions,
  work: { readonly roundTrips: number; readonly load?: LoadArgument },
  schema: v.GenericSchema<unknown, ProbeOutcome<T>>,
): Promise<ProbeOutcome<T>> => {
  const { budget, signal } = options;
  let child: OwnProcess;
  try {
    child = await startOwnProcess({
      entry: entryUrl(import.meta.url, './source-process.ts'),
      args: [
        JSON.stringify({
          address: options.address,
          port: options.port,
          sourceInterface: options.sourceInterface ?? null,
          budget,
          streamsMax: options.streamsMax ?? null,
          ...work,
        }),
      ],
      nodePath: options.nodePath,
      env: { ...options.env, [TICKET_VARIABLE]: options.ticket },
      readyTimeoutMs: READY_MS_MAX,
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    return probeFailedBy(error, 0);
  }
  const exit = await lastStatus(child, budget.durationMsMax + SOURCE_GRACE_MS, signal);
  signal.throwIfAborted();
  const outcome = v.safeParse(schema, exit.lastMessage);
  if (outcome.success) return outcome.output;
  const spent = v.safeParse(spentSchema, exit.lastMessage);
  const bytesUsed = spent.success ? spent.output.bytesUsed : 0;
  return { kind: 'failed', reason: deathOf(exit), bytesUsed };
};

/** A child's final output, at the latest at its deadline: a SIGKILL. */
const lastStatus = async (
  child: OwnProcess,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<OwnProcessExit> => {
  const kill = (): void => void child.kill();
  const timer = Number.isFinite(deadlineMs) ? setTimeout(kill, deadlineMs) : undefined;
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const exit = await child.exited;
  clearTimeout(timer);
  signal.removeEventListener('abort', kill);
  return exit;
};

/** `bytesUsed`: as far as a process that was killed has reported it. */
const endingOf = (exit: OwnProcessExit, bytesUsed: number): SinkEnding => {
  const ending = v.safeParse(sinkEndingSchema, exit.lastMessage);
  return ending.success ? ending.output : { kind: 'failed', reason: deathOf(exit), strangers: 0, bytesUsed };
};

const deathOf = ({ code, signal, stderr }: OwnProcessExit): string => {
  const reported = lastLine(stderr);
  const how = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
  return `the process of the probe ${how}${reported === '' ? '' : `: ${reported}`}`;
};

/** Threads and all, on a machine that is busy with something else. */
const READY_MS_MAX = 20_000;
const WAIT_MS_MAX = 15_000;
const SINK_MS_MAX = 90_000;
const GRACE_MS = 2_000;
/** Starting threads, dialling, replies and the last bytes come on top of a probe's own time. */
const SOURCE_GRACE_MS = 15_000;
const ROUND_TRIPS = 200;
