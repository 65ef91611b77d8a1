// RDMA probes as the rest of Plimsoll calls them: each end runs in a child process, which starts the foreign tools and
// kills them when it ends. Leases, budgets and permission to measure are not decided here.

import * as v from 'valibot';
import { lastLine } from '../../core/text/single-line.ts';
import type { Env } from '../../process/child.ts';
import { entryUrl } from '../../process/entry.ts';
import { type OwnProcess, OwnProcessError, startOwnProcess } from '../../process/own-process.ts';
import type { ProbeBudget } from '../link-engine.ts';
import { linkOutcomeSchema, probeFailedBy } from '../link-outcome.ts';
import type { LinkMeasurement, ProbeOutcome } from '../probe.ts';
import { SOURCE_ADDRESSES_MAX, TICKET_VARIABLE } from '../socket/process-arguments.ts';
import type { RdmaSinkRequest, RdmaSourceRequest } from './rdma-request.ts';
import type { RdmaSinkEnding } from './rdma-sink.ts';
import type { RdmaEngineName } from './rdma-tool.ts';

interface RdmaEndOptions {
  /** In order of preference; the first that both ends have is used. See `enginesOf`. */
  readonly engines: readonly RdmaEngineName[];
  /** RDMA devices: "mlx5_0", "rdma_en3"; for `transport: 'tcp'` the network interfaces. */
  readonly sourceDevice: string;
  readonly sinkDevice: string;
  /** Port of this end's device. Default 1. */
  readonly devicePort?: number;
  /** Default 'rdma'. 'tcp' runs UCX without RDMA. */
  readonly transport?: 'rdma' | 'tcp';
  readonly ticket: string;
  readonly signal: AbortSignal;
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
  /** For the whole probe, from the source's arrival on. Default RDMA_PROBE_MS_MAX. */
  readonly durationMsMax?: number;
  /** For one run of a tool. Default RDMA_TOOL_MS_MAX. */
  readonly toolMsMax?: number;
}

interface RdmaSinkLinkOptions extends RdmaEndOptions {
  /** The rendezvous address: on the cable if the nodes have IP on it, else another between them. */
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Where the source may connect from, as far as known: slots are reserved for it. */
  readonly sourceAddresses?: readonly string[];
  /** For the source to connect. Default RDMA_WAIT_MS_MAX. */
  readonly waitMsMax?: number;
}

interface RdmaSourceLinkOptions extends RdmaEndOptions {
  /** Where the sink listens: its rendezvous address and the port it reported. */
  readonly address: string;
  readonly port: number;
  readonly budget: ProbeBudget;
}

interface OpenRdmaSink extends AsyncDisposable {
  readonly port: number;
  /** Resolves when nothing of it is left, however it ended. Never rejects. */
  readonly ended: Promise<RdmaSinkEnding>;
}

/** The tools on a slow machine: seven runs of at most some seconds each. */
const RDMA_PROBE_MS_MAX = 75_000;
const RDMA_TOOL_MS_MAX = 25_000;
const RDMA_WAIT_MS_MAX = 15_000;

/** @throws Error, for people, when it cannot listen; the signal's reason when it aborts. */
export const openRdmaSink = async (options: RdmaSinkLinkOptions): Promise<OpenRdmaSink> => {
  const request: RdmaSinkRequest = {
    ...endOf(options),
    device: options.sinkDevice,
    otherDevice: options.sourceDevice,
    host: options.host,
    sourceAddresses: (options.sourceAddresses ?? []).slice(0, SOURCE_ADDRESSES_MAX),
    port: options.port,
    waitMsMax: options.waitMsMax ?? RDMA_WAIT_MS_MAX,
  };
  const child = await startOwnProcess({
    entry: entryUrl(import.meta.url, './rdma-sink-process.ts'),
    args: [JSON.stringify(request)],
    nodePath: options.nodePath,
    env: { ...options.env, [TICKET_VARIABLE]: options.ticket },
    readyTimeoutMs: READY_MS_MAX,
    signal: options.signal,
  });
  const ready = v.safeParse(READY, child.ready);
  if (!ready.success) {
    await child.kill();
    throw new Error('the sink reported no port');
  }
  const release = stopOnAbort(child, options.signal);
  // Its own deadline should end it; this one does if it hangs.
  const last = setTimeout(() => void child.kill(), request.waitMsMax + request.durationMsMax + LAST_MS);
  const ended = child.exited.then((exit): RdmaSinkEnding => {
    clearTimeout(last);
    release();
    const reported = v.safeParse(ENDING, exit.lastMessage);
    if (reported.success) return reported.output;
    const reason = lastReported(exit.stderr) ?? 'its process was killed';
    // How much it had moved is unknown then.
    return { kind: 'failed', reason, strangers: 0, bytesMax: Number.POSITIVE_INFINITY };
  });
  return {
    port: ready.output.port,
    ended,
    [Symbol.asyncDispose]: async () => {
      await child.stop(STOP_MS_MAX);
      await ended;
    },
  };
};

/** Rejects only with the signal's reason, when it aborts; then nothing of it is left. */
export const measureRdmaLink = async (
  options: RdmaSourceLinkOptions,
): Promise<ProbeOutcome<LinkMeasurement>> => {
  const request: RdmaSourceRequest = {
    ...endOf(options),
    device: options.sourceDevice,
    otherDevice: options.sinkDevice,
    address: options.address,
    port: options.port,
    budget: options.budget,
  };
  try {
    const child = await startOwnProcess({
      entry: entryUrl(import.meta.url, './rdma-source-process.ts'),
      args: [JSON.stringify(request)],
      nodePath: options.nodePath,
      env: { ...options.env, [TICKET_VARIABLE]: options.ticket },
      readyTimeoutMs: READY_MS_MAX,
      signal: options.signal,
    });
    const release = stopOnAbort(child, options.signal);
    const last = setTimeout(() => void child.kill(), request.durationMsMax + LAST_MS);
    const exit = await child.exited;
    clearTimeout(last);
    release();
    options.signal.throwIfAborted();
    const outcome = v.safeParse(linkOutcomeSchema, exit.lastMessage);
    if (outcome.success) return outcome.output;
    return {
      kind: 'failed',
      reason: lastReported(exit.stderr) ?? `the probe was killed with ${exit.code ?? exit.signal}`,
      bytesUsed: 0,
    };
  } catch (error) {
    if (!(error instanceof OwnProcessError)) throw error;
    return probeFailedBy(error, 0);
  }
};

const endOf = (
  options: RdmaEndOptions,
): Pick<RdmaSinkRequest, 'engines' | 'devicePort' | 'transport' | 'durationMsMax' | 'toolMsMax'> => ({
  engines: options.engines,
  devicePort: options.devicePort ?? 1,
  transport: options.transport ?? 'rdma',
  durationMsMax: options.durationMsMax ?? RDMA_PROBE_MS_MAX,
  toolMsMax: options.toolMsMax ?? RDMA_TOOL_MS_MAX,
});

/**
 * SIGTERM first: the child takes its tools with it.
 * @returns the function that ends the watch
 */
const stopOnAbort = (child: OwnProcess, signal: AbortSignal): (() => void) => {
  const stop = (): void => void child.stop(STOP_MS_MAX);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return () => signal.removeEventListener('abort', stop);
};

const lastReported = (stderr: string): string | undefined => {
  const line = lastLine(stderr);
  return line === '' ? undefined : line.slice(0, 300);
};

const COUNT = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const READY = v.object({ port: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535)) });
const ENDING: v.GenericSchema<unknown, RdmaSinkEnding> = v.variant('kind', [
  v.object({ kind: v.literal('served'), runs: COUNT, strangers: COUNT, bytesMax: COUNT }),
  v.object({ kind: v.literal('unused'), reason: v.string(), strangers: COUNT }),
  v.object({ kind: v.literal('failed'), reason: v.string(), strangers: COUNT, bytesMax: COUNT }),
]);

const READY_MS_MAX = 10_000;
/** Everything has ended within a second of an abort. */
const STOP_MS_MAX = 800;
const LAST_MS = 2_000;
