// Sends the figures of this node to a receiver of OpenTelemetry, at intervals. One message at a time, made when it is sent: what
// an unavailable receiver misses is counted and not stored, because counters continue and an old gauge is of no use.

import { type Clock, pause } from '../../clock/clock.ts';
import type { OtlpConfig } from '../../config/config.ts';
import type { NodeId } from '../../core/ids.ts';
import { CONNECTION_FIGURES } from '../../core/link/connection-figures.ts';
import { connectionNames } from '../../core/link/connection-names.ts';
import {
  GPU_ERROR_FIGURES,
  INTERFACE_FIGURES,
  portDirections,
  TRAFFIC_FIGURES,
} from '../../core/node/carrier-figures.ts';
import { type GpuDevice, VENDOR_NAMES } from '../../core/node/gpu.ts';
import { GPU_FIGURES, gpuReading } from '../../core/node/gpu-figures.ts';
import type { NodeIdentity } from '../../core/node/identity.ts';
import { NODE_FIGURES } from '../../core/node/node-figures.ts';
import { type NodeView, nodeName, nodeView, type VendorView } from '../../core/node/node-view.ts';
import { knownValue } from '../../core/node/reading-view.ts';
import { isLoopbackPort, type PortTraffic } from '../../core/node/traffic.ts';
import type { State } from '../../core/state.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import { type Attributes, metricsRequest, otlpAttributes } from '../../report/otlp/otlp-json.ts';
import { sendOtlp } from '../../report/otlp/otlp-sender.ts';
import type { OtlpMessage } from '../../report/otlp/run-telemetry.ts';
import type { OtlpAnswer } from '../../wire/api/daemon-answers.ts';
import { listedLinksFrom } from '../http/cluster-views.ts';
import type { LiveConfig } from '../live-config.ts';
import type { LocalNode } from '../local-node.ts';
import type { Notices } from '../notices.ts';
import { PointPage } from './point-page.ts';

/** Longest pause between two messages to a receiver that takes none, ms. */
export const OTLP_BACKOFF_MS_MAX = 300_000;

interface TelemetryExportParts extends Pick<LocalNode, 'nodeId' | 'state'> {
  readonly clock: Clock;
  readonly notices: Pick<Notices, 'raise' | 'clear'>;
  readonly version: string;
  readonly settings: Pick<LiveConfig, 'onChange'> & { readonly config: { readonly otlp: OtlpConfig } };
  /** --otlp; undefined: the value in config.toml. */
  readonly endpoint: string | undefined;
}

export class TelemetryExport {
  readonly #parts: TelemetryExportParts;
  #counts: Omit<OtlpAnswer, 'endpoint'> = { sent: 0, dropped: 0, pointsLost: 0, problem: '' };
  /** Messages in a row that were given up. */
  #failures = 0;

  constructor(parts: TelemetryExportParts) {
    this.#parts = parts;
  }

  /** Undefined while nothing is to be sent. */
  get status(): OtlpAnswer | undefined {
    const { endpoint } = this.#settings;
    return endpoint === undefined ? undefined : { endpoint, ...this.#counts };
  }

  get #settings(): OtlpConfig {
    const { endpoint, settings } = this.#parts;
    return endpoint === undefined ? settings.config.otlp : { ...settings.config.otlp, endpoint };
  }

  /** Until the abort; resolves then. Another receiver in config.toml is taken up at once. */
  async run(until: AbortSignal): Promise<void> {
    let changed = new AbortController();
    const unsubscribe = this.#parts.settings.onChange(() => changed.abort());
    try {
      while (!until.aborted) {
        changed = new AbortController();
        const round = AbortSignal.any([until, changed.signal]);
        await pause(this.#parts.clock, this.#pauseMs(), round);
        if (!round.aborted) await this.#send(round);
        if (round.aborted) this.#restart();
      }
    } finally {
      unsubscribe();
    }
  }

  #pauseMs(): number {
    const { intervalMs } = this.#settings;
    return Math.max(intervalMs, Math.min(intervalMs * 2 ** this.#failures, OTLP_BACKOFF_MS_MAX));
  }

  #restart(): void {
    this.#failures = 0;
    this.#parts.notices.clear(NOTICE);
    this.#counts = { ...this.#counts, problem: '' };
  }

  async #send(signal: AbortSignal): Promise<void> {
    const { clock, nodeId, state, version } = this.#parts;
    const { endpoint, compression } = this.#settings;
    if (endpoint === undefined) return;
    const moment = { nodeId, version, nowMs: clock.nowMs(), wallMs: clock.wallMs() };
    const { message, leftOut } = nodeTelemetry(state(), moment);
    if (message === undefined) return;
    try {
      const { sent, dropped, rejected, problem } = await sendOtlp(endpoint, [message], {
        clock,
        signal,
        compression,
      });
      this.#counts = {
        sent: this.#counts.sent + sent,
        dropped: this.#counts.dropped + dropped,
        pointsLost: this.#counts.pointsLost + leftOut + rejected,
        problem: problem ?? '',
      };
      this.#failures = dropped === 0 ? 0 : this.#failures + 1;
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#counts = { ...this.#counts, dropped: this.#counts.dropped + 1 };
    }
    this.#report(endpoint);
  }

  /** The counts are in /api/daemon: a notice that changed with each message would be sent again each time. */
  #report(endpoint: string): void {
    const { notices } = this.#parts;
    const { problem } = this.#counts;
    if (problem === '') {
      notices.clear(NOTICE);
      return;
    }
    notices.raise({
      id: NOTICE,
      code: NOTICE,
      endpoint,
      problem: `Figures of this machine are not accepted: ${problem}`,
      advice:
        'Check the receiver of OTLP over HTTP there. The daemon retries; figures that it misses are not stored.',
    });
  }
}

const NOTICE = 'otlp-down';

// This node as OpenTelemetry's conventions for hardware have it (semantic-conventions 1.44, status "development"), and what has no
// convention under our own names. docs/opentelemetry.md has the same list. Nothing stale and nothing unknown is a point.
interface NodeTelemetryMoment {
  readonly nodeId: NodeId;
  readonly version: string;
  readonly nowMs: number;
  readonly wallMs: number;
}

interface NodeTelemetry {
  /** Undefined where nothing is known yet. */
  readonly message: OtlpMessage | undefined;
  /** Points past the bound of a message. */
  readonly leftOut: number;
}

export const nodeTelemetry = (state: State, moment: NodeTelemetryMoment): NodeTelemetry => {
  const { nodeId, version, nowMs, wallMs } = moment;
  const view = nodeView(state, nodeId, nowMs);
  const page = new PointPage(wallMs);
  page.figures(NODE_FIGURES, view, {
    attributes: {},
    isCurrent: reading => view[reading].kind === 'current',
  });
  for (const vendor of view.gpus) putGpus(page, vendor, nowMs);
  if (view.gpuErrors.kind === 'current')
    for (const error of view.gpuErrors.value.errors)
      page.figures(GPU_ERROR_FIGURES, { error, readingAgeMs: view.gpuErrors.ageMs }, { attributes: {} });
  putPorts(page, view);
  putLinks(page, state, moment);
  const metrics = page.metrics();
  const resource = {
    resource: { attributes: otlpAttributes(resourceOf(view, version)) },
    scope: { name: 'plimsoll', version },
  };
  return {
    message:
      metrics.length === 0 ? undefined : { path: '/v1/metrics', body: metricsRequest(resource, metrics) },
    leftOut: page.leftOut,
  };
};

const resourceOf = (view: NodeView, version: string): Parameters<typeof otlpAttributes>[0] => ({
  'service.name': 'plimsoll',
  'service.version': version,
  'service.instance.id': view.nodeId,
  'plimsoll.node.id': view.nodeId,
  'plimsoll.node.name': view.name,
  ...hostOf(knownValue(view.identity)),
});

const hostOf = (identity: NodeIdentity | undefined): Parameters<typeof otlpAttributes>[0] => {
  if (identity === undefined) return {};
  const { operatingSystem: system } = identity;
  return {
    'host.name': identity.hostName,
    'host.arch': ARCHITECTURES.get(identity.architecture) ?? identity.architecture,
    'host.cpu.model.name': knownOr(identity.chip, undefined),
    'os.type': PLATFORMS[system.platform],
    'os.name': system.name,
    'os.version': knownOr(system.version, undefined),
    'plimsoll.host.model': knownOr(identity.model, undefined),
    'plimsoll.simulated': identity.isSimulated ? true : undefined,
  };
};

const putGpus = (page: PointPage, vendor: VendorView, nowMs: number): void => {
  const put = ({ deviceId, name }: Pick<GpuDevice, 'deviceId' | 'name'>, state: 'ok' | 'failed'): void =>
    page.put(STATUS, { 'hw.id': deviceId, 'hw.name': name, 'hw.type': 'gpu', 'hw.state': state }, 1);
  for (const gpu of vendor.failed) put(gpu, 'failed');
  for (const gpu of vendor.devices) {
    const { device } = gpu;
    put(device, 'ok');
    const subject = { gpu, vendor, nowMs };
    page.figures(GPU_FIGURES, subject, {
      attributes: {
        'hw.id': device.deviceId,
        'hw.name': device.name,
        'hw.vendor': VENDOR_NAMES[vendor.vendor],
        'hw.model': device.name,
        'hw.driver_version': knownOr(device.driver, undefined),
      },
      isCurrent: reading => gpuReading(subject, reading)?.kind === 'current',
    });
  }
};

const STATUS = {
  name: 'hw.status',
  unit: '1',
  description: '1 for the state in which the component is.',
  kind: 'updowncounter',
} as const;

/** Names, never addresses. */
const putPorts = (page: PointPage, { network, traffic }: NodeView): void => {
  const portOf = (name: string, kind: PortTraffic['kind']): Attributes => ({
    'hw.id': name,
    'hw.name': name,
    'plimsoll.port.kind': kind,
  });
  if (network.kind === 'current')
    for (const each of network.value.interfaces) {
      const attributes = { ...portOf(each.name, 'interface'), 'hw.model': knownOr(each.driver, undefined) };
      if (!isLoopbackPort({ name: each.name, kind: 'interface' }))
        page.figures(INTERFACE_FIGURES, each, { attributes });
    }
  if (traffic.kind !== 'current') return;
  for (const each of portDirections(traffic.value)) {
    const attributes = { ...portOf(each.name, each.kind), 'network.io.direction': each.direction };
    if (!isLoopbackPort(each)) page.figures(TRAFFIC_FIGURES, each, { attributes });
  }
};

/** The connections that this node is the source of, as it measured them. */
const putLinks = (page: PointPage, state: State, { nodeId, nowMs }: NodeTelemetryMoment): void => {
  const rows = listedLinksFrom(state, nodeId, nowMs).filter(({ lost }) => isUnknown(lost));
  const names = connectionNames(rows);
  for (const row of rows)
    page.figures(CONNECTION_FIGURES, row, {
      attributes: {
        'plimsoll.link.sink.id': row.sink,
        'plimsoll.link.sink.name': nodeName(state, row.sink),
        'plimsoll.link.connection': names.get(row),
        'plimsoll.link.type': isUnknown(row.carrier) ? undefined : knownOr(row.carrier.type, undefined),
      },
    });
};

/** As Node names them, and as the conventions do. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['x86_64', 'amd64'],
  ['arm', 'arm32'],
  ['aarch64', 'arm64'],
  ['ia32', 'x86'],
]);

const PLATFORMS: Readonly<Record<NodeIdentity['operatingSystem']['platform'], string | undefined>> = {
  linux: 'linux',
  macos: 'darwin',
  windows: 'windows',
  other: undefined,
};
