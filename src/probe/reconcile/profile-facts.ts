// The events that a probe produces: figures, or why there are none, with the last good ones beside the failure and
// their age.

import { ageMsOf } from '../../core/entry-maps.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { LinkProfile } from '../../core/link/link-profile.ts';
import type { GpuProfile } from '../../core/node/gpu-profile.ts';
import type { Entry } from '../../core/state.ts';
import type { Reported, Unknown } from '../../core/unknown.ts';
import { unknown } from '../../core/unknown.ts';
import type { DeviceMeasurement, FailedProbe, LinkMeasurement, ProbeDevice, ProbeOutcome } from '../probe.ts';
import type { WantedDevice, WantedLink } from '../schedule/wanted-probes.ts';

interface Told<T, P> {
  readonly outcome: ProbeOutcome<T>;
  /** Its entry in state. */
  readonly last: Entry<P> | undefined;
  readonly intervalMs: Reported<number>;
  readonly nowMs: number;
}

export const linkFact = (
  { subject: { sink, connectionKey }, kind }: WantedLink,
  { outcome, last, intervalMs, nowMs }: Told<LinkMeasurement, LinkProfile>,
): Fact => {
  const place = { sink, connectionKey, intervalMs };
  if (outcome.kind === 'measured') {
    const payload: LinkProfile = { ...outcome.measurement, ...place, measuredAgeMs: 0, failure: 'none' };
    return { kind: 'link.profiled', payload };
  }
  const failure = failureOf(outcome);
  const held = last === undefined ? noLinkFigures(kind) : last.value;
  const measuredAgeMs = goodAgeMs(last, nowMs);
  const payload: LinkProfile = { ...held, ...place, measuredAgeMs, failure, bytesUsed: outcome.bytesUsed };
  return { kind: 'link.profiled', payload };
};

export const deviceFact = (
  { device }: WantedDevice,
  { outcome, last, intervalMs, nowMs }: Told<DeviceMeasurement, GpuProfile>,
): Fact => {
  if (outcome.kind === 'measured') {
    const payload: GpuProfile = {
      ...outcome.measurement,
      deviceId: device.deviceId,
      measuredAgeMs: 0,
      intervalMs,
      failure: 'none',
    };
    return { kind: 'gpu.profiled', payload };
  }
  const failure = failureOf(outcome);
  const held = last === undefined ? noDeviceFigures(device) : last.value;
  const payload: GpuProfile = { ...held, intervalMs, measuredAgeMs: goodAgeMs(last, nowMs), failure };
  return { kind: 'gpu.profiled', payload };
};

const goodAgeMs = (last: Entry<{ readonly measuredAgeMs: number }> | undefined, nowMs: number): number =>
  last === undefined ? 0 : last.value.measuredAgeMs + ageMsOf(last, nowMs);

const failureOf = ({ reason, code }: FailedProbe): Unknown =>
  unknown(reason === '' ? 'it failed without a reason' : reason.slice(0, REASON_LENGTH_MAX), code);

const noLinkFigures = (kind: 'socket' | 'rdma'): LinkMeasurement => ({
  uploadBitsPerSecond: NEVER,
  downloadBitsPerSecond: NEVER,
  roundTripNsMin: NEVER,
  roundTripNsP50: NEVER,
  roundTripNsP99: NEVER,
  jitterNs: NEVER,
  roundTripCount: NEVER,
  allReduceNs16Kib: NEVER,
  allReduceNs1Mib: NEVER,
  uploadQueueNs: NEVER,
  downloadQueueNs: NEVER,
  retransmits: NEVER,
  uploadStreams: NEVER,
  downloadStreams: NEVER,
  bytesUsed: 0,
  engine: kind,
  method: 'none: it never succeeded',
});

const noDeviceFigures = ({ deviceId, deviceName, vendor }: ProbeDevice): DeviceMeasurement => ({
  deviceId,
  deviceName,
  deviceKind: vendor === 'cpu' ? 'cpu' : 'gpu',
  engine: 'none',
  fp16FlopsPerSecond: NEVER,
  fp32FlopsPerSecond: NEVER,
  memoryReadBytesPerSecond: NEVER,
  memoryCopyBytesPerSecond: NEVER,
  memoryGemvBytesPerSecond: NEVER,
  int8OperationsPerSecond: NEVER,
  fp8FlopsPerSecond: NEVER,
  isLowerBound: false,
  method: 'none: it never succeeded',
});

const NEVER = unknown('never measured');
const REASON_LENGTH_MAX = 300;
