// The end of an RDMA probe that dials: latency, then upload, then download, each by a run of the tool on both ends. The
// number of messages in a run follows from the rate of the previous run, within the budget.

import { counted } from '../../core/figure/figure.ts';
import { noDatagramFigures } from '../../core/link/link-profile.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';
import type { Env } from '../../process/child.ts';
import type { ProbeBudget } from '../link-engine.ts';
import { probeFailedBy } from '../link-outcome.ts';
import type { LinkMeasurement, ProbeOutcome } from '../probe.ts';
import { ControlChannel } from '../socket/control-channel.ts';
import { dialSink } from '../socket/dial.ts';
import { ProbeError } from '../socket/probe-error.ts';
import { MESSAGES_MAX, type ToRdmaSink, type ToRdmaSource, toRdmaSourceSchema } from './rdma-message.ts';
import type { LatencyFigures, RdmaEndpoint, RdmaTest, RdmaTool } from './rdma-tool.ts';
import { startTool, type ToolEnding } from './tool-run.ts';

interface RdmaSourceOptions {
  /** Where the sink listens for this probe: an address between the nodes, not always one of the cable measured. */
  readonly address: string;
  readonly port: number;
  readonly ticket: string;
  /** What is installed here, in order of preference. */
  readonly tools: readonly RdmaTool[];
  /** Other acceptable tools. */
  readonly wanted: readonly string[];
  readonly endpoint: RdmaEndpoint;
  readonly sinkDevice: string;
  readonly env: Env;
  readonly toolPrefix: readonly string[];
  readonly budget: ProbeBudget;
  readonly toolMsMax: number;
  readonly signal: AbortSignal;
}

export const measureRdma = async (options: RdmaSourceOptions): Promise<ProbeOutcome<LinkMeasurement>> => {
  const session = new RdmaSession(options);
  try {
    const tool = await session.open();
    const latency = await session.latency();
    const upload = await session.bandwidth('upload');
    const download = await session.bandwidth('download');
    const { kind: _latency, ...roundTrips } = latency;
    return {
      kind: 'measured',
      measurement: {
        ...roundTrips,
        uploadBitsPerSecond: upload.bitsPerSecond,
        downloadBitsPerSecond: download.bitsPerSecond,
        retransmits: unknown('RDMA tools do not report it'),
        allReduceNs16Kib: unknown('measured over sockets only'),
        allReduceNs1Mib: unknown('measured over sockets only'),
        uploadQueueNs: unknown('measured over sockets only'),
        downloadQueueNs: unknown('measured over sockets only'),
        ...noDatagramFigures(unknown('measured over sockets only')),
        uploadStreams: 1,
        downloadStreams: 1,
        bytesUsed: session.bytesUsed,
        extrasBytes: 0,
        engine: tool.name,
        method: methodOf({ tool, endpoint: options.endpoint }, latency, upload, download),
      },
    };
  } catch (error) {
    return probeFailedBy(error, session.bytesUsed);
  } finally {
    session.close();
  }
};

interface Direction {
  readonly bitsPerSecond: number;
  readonly messages: number;
}

class RdmaSession {
  bytesUsed = 0;
  readonly #options: RdmaSourceOptions;
  readonly #deadline: AbortSignal;
  #channel: ControlChannel<ToRdmaSink, ToRdmaSource> | undefined;
  #tool: RdmaTool | undefined;
  #runs = 0;

  constructor(options: RdmaSourceOptions) {
    this.#options = options;
    this.#deadline = options.signal;
  }

  /** @throws ProbeError */
  async open(): Promise<RdmaTool> {
    const socket = await this.#dial({ role: 'control', index: 0, run: 0 });
    this.#channel = new ControlChannel<ToRdmaSink, ToRdmaSource>(socket, toRdmaSourceSchema);
    const patience = AbortSignal.timeout(FOLLOW_MS_MAX);
    const hello = await this.#channel.next(AbortSignal.any([this.#deadline, patience]));
    if (hello.kind !== 'hello') throw new ProbeError('protocol', 'the other end sent messages out of order');
    const { tools, wanted } = this.#options;
    this.#tool = tools.find(({ name }) => hello.engines.includes(name));
    if (this.#tool !== undefined) return this.#tool;
    const here = tools.map(({ name }) => name).join(', ') || 'nothing';
    const there = hello.engines.join(', ') || 'nothing';
    throw new ProbeError(
      'refused',
      `both ends need ${wanted.join(' or ')}: here is ${here}, at the other end ${there}`,
    );
  }

  close(): void {
    this.#channel?.send({ kind: 'bye' });
    this.#channel?.close();
  }

  /** @throws ProbeError */
  async latency(): Promise<LatencyFigures> {
    const test: RdmaTest = { kind: 'latency', roundTrips: ROUND_TRIPS };
    const { own } = await this.#run(test, 'upload');
    const figures = this.#openTool().read(test, stdoutOf(own));
    if (figures.kind === 'latency') return figures;
    throw new ProbeError(
      'protocol',
      figures.kind === 'unreadable' ? figures.reason : 'no round trips were reported',
    );
  }

  /** The last run counts; the earlier ones find its length. @throws ProbeError */
  async bandwidth(direction: 'upload' | 'download'): Promise<Direction> {
    const { bytesMax, durationMsMax } = this.#options.budget;
    // Both directions share the budget, and half of the time goes to finding the length.
    const wantedMs = Math.min(RUN_MS, durationMsMax / 4);
    const bytesLeft = Math.min(bytesMax / 2, bytesMax - this.bytesUsed);
    const messagesMax = Math.min(MESSAGES_MAX, Math.floor(bytesLeft / MESSAGE_BYTES));
    if (messagesMax < 1) throw new ProbeError('refused', 'the byte budget is smaller than one message');
    let spent = 0;
    let messages = Math.min(FIRST_MESSAGES, messagesMax);
    let bitsPerSecond = await this.#rate(messages, direction);
    spent += messages;
    for (let more = 0; more < LENGTHENINGS_MAX; more++) {
      const tookMs = (messages * MESSAGE_BYTES * 8_000) / bitsPerSecond;
      const wanted = Math.round((messages * wantedMs) / tookMs);
      const possible = Math.min(wanted, messages * GROWTH_MAX, messagesMax - spent);
      // A run of half the target length is enough, and so is what the budget allows.
      if (tookMs >= wantedMs / 2 || possible <= messages) break;
      messages = possible;
      bitsPerSecond = await this.#rate(messages, direction);
      spent += messages;
    }
    return { bitsPerSecond, messages };
  }

  async #rate(messages: number, direction: 'upload' | 'download'): Promise<number> {
    const test: RdmaTest = { kind: 'bandwidth', messageBytes: MESSAGE_BYTES, messages };
    this.bytesUsed += (messages + this.#openTool().warmUpMessages) * MESSAGE_BYTES;
    const { own, reported } = await this.#run(test, direction);
    if (direction === 'download') {
      if (reported === null) throw new ProbeError('protocol', 'the other end reported no rate');
      return believable(reported);
    }
    const figures = this.#openTool().read(test, stdoutOf(own));
    if (figures.kind === 'bandwidth') return believable(figures.bitsPerSecond);
    throw new ProbeError('protocol', figures.kind === 'unreadable' ? figures.reason : 'no rate was reported');
  }

  /** The tool sends from the end that dials to the end that waits. @throws ProbeError when either end fails. */
  async #run(
    test: RdmaTest,
    direction: 'upload' | 'download',
  ): Promise<{ readonly own: ToolEnding; readonly reported: number | null }> {
    const tool = this.#openTool();
    const { endpoint, sinkDevice, env, toolPrefix, toolMsMax } = this.#options;
    const channel = this.#channel;
    if (channel === undefined) throw new ProbeError('closed', 'the probe is not open');
    this.#runs += 1;
    const run = this.#runs;
    const isUpload = direction === 'upload';
    channel.send({ kind: 'run', run, engine: tool.name, test, role: isUpload ? 'waits' : 'dials' });
    await this.#answer(run, 'started');
    const started = await startTool({
      tool,
      call: {
        test,
        role: isUpload ? 'dials' : 'waits',
        endpoint,
        devices: isUpload ? [sinkDevice, endpoint.device] : [endpoint.device, sinkDevice],
      },
      env,
      toolPrefix,
      timeoutMs: toolMsMax,
      signal: this.#deadline,
    });
    try {
      started.carry(await this.#dial({ role: 'data', index: 0, run }));
      const theirs = this.#answer(run, 'ended');
      theirs.catch(() => undefined);
      const first = await Promise.race([started.ended, theirs.then(() => 'theirs' as const)]);
      const isFirstMeasuring = (first === 'theirs') !== isUpload;
      const hasFailed = first === 'theirs' ? (await theirs).reason !== '' : first.kind === 'failed';
      // The other end follows by itself, or is stopped.
      const patienceMs = isFirstMeasuring ? LEAVE_MS_MAX : hasFailed ? 0 : FOLLOW_MS_MAX;
      const grace = setTimeout(() => {
        channel.send({ kind: 'stop', run });
        void started.stop();
      }, patienceMs);
      const [own, ended] = await Promise.all([started.ended, theirs]).finally(() => clearTimeout(grace));
      // The measuring end's output is the result; the other end only failed to exit cleanly.
      const measuring = isUpload ? own : endingOf(ended);
      const other = isUpload ? endingOf(ended) : own;
      if (measuring.kind === 'failed') throw new ProbeError('closed', reasonOf(measuring, other, isUpload));
      return { own, reported: ended.bitsPerSecond };
    } finally {
      await started.stop();
    }
  }

  async #answer<K extends 'started' | 'ended'>(run: number, kind: K): Promise<ToRdmaSource & { kind: K }> {
    const channel = this.#channel;
    if (channel === undefined) throw new ProbeError('closed', 'the probe is not open');
    const patience = AbortSignal.timeout(this.#options.toolMsMax + ANSWER_SLACK_MS);
    const message = await channel.next(AbortSignal.any([this.#deadline, patience]));
    if (!isKind(message, kind) || message.run !== run)
      throw new ProbeError('protocol', 'the other end sent messages out of order');
    return message;
  }

  #openTool(): RdmaTool {
    if (this.#tool === undefined) throw new ProbeError('closed', 'the probe is not open');
    return this.#tool;
  }

  #dial(head: Parameters<typeof dialSink>[1]): ReturnType<typeof dialSink> {
    const { address, port, ticket, signal } = this.#options;
    return dialSink({ address, port, ticket, sourceInterface: undefined, sockets: undefined }, head, signal);
  }
}

const isKind = <K extends 'started' | 'ended'>(
  message: ToRdmaSource,
  kind: K,
): message is ToRdmaSource & { kind: K } => message.kind === kind;

const endingOf = ({ reason, wasStopped }: ToRdmaSource & { kind: 'ended' }): ToolEnding =>
  reason === '' ? { kind: 'done', stdout: '' } : { kind: 'failed', reason, wasStopped };

const stdoutOf = (ending: ToolEnding): string => (ending.kind === 'done' ? ending.stdout : '');

/** If both ends fail, the one that was not stopped has the reason. */
const reasonOf = (
  measuring: ToolEnding & { kind: 'failed' },
  other: ToolEnding,
  isUpload: boolean,
): string => {
  const isOwn = isUpload;
  const here = (end: boolean): string => (end ? 'at this end' : 'at the other end');
  if (other.kind === 'failed' && (measuring.wasStopped === true || other.wasStopped !== true))
    return measuring.wasStopped === true
      ? `${here(!isOwn)}: ${other.reason}`
      : `${here(isOwn)}: ${measuring.reason}; ${here(!isOwn)}: ${other.reason}`;
  return `${here(isOwn)}: ${measuring.reason}`;
};

const believable = (bitsPerSecond: number): number => {
  if (bitsPerSecond > 0 && bitsPerSecond <= RATE_MAX) return Math.round(bitsPerSecond);
  throw new ProbeError('protocol', `a rate of ${bitsPerSecond} bit/s was reported`);
};

const methodOf = (
  { tool, endpoint }: { readonly tool: RdmaTool; readonly endpoint: RdmaEndpoint },
  latency: LatencyFigures,
  upload: Direction,
  download: Direction,
): string => {
  const over = endpoint.transport === 'tcp' ? ' over TCP, not RDMA' : '';
  const mib = MESSAGE_BYTES / 2 ** 20;
  return `${tool.name}${over}: ${isUnknown(latency.roundTripCount) ? '' : `${latency.roundTripCount} `}round trips; ${counted(upload.messages, 'message')} up, ${download.messages} down, of ${mib} MiB`;
};

const ROUND_TRIPS = 1_000;
const MESSAGE_BYTES = 1_048_576;
const FIRST_MESSAGES = 4;
const GROWTH_MAX = 64;
const LENGTHENINGS_MAX = 3;
const RUN_MS = 1_000;
/** Past the time that its tool may take. */
const ANSWER_SLACK_MS = 5_000;
/** For the answering end to exit, once the figures are there. */
const LEAVE_MS_MAX = 500;
/** For the measuring end to print its figures, once the other one has exited. */
const FOLLOW_MS_MAX = 3_000;
const RATE_MAX = 1e13;
