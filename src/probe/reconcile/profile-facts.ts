// The events that a probe produces: figures, or why there are none, with the last good ones next to the
// failure and their age.

import { ageMsOf } from '../../core/entry-maps.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import { fromOtherEnd, type PathMeasurement } from '../../core/link/link-path.ts';
import { hourlyFigures, type LinkProfile, noLinkFigures } from '../../core/link/link-profile.ts';
import { type GpuProfile, noDeviceFigures } from '../../core/node/gpu-profile.ts';
import type { Entry } from '../../core/state.ts';
import { isKnown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import type { DeviceMeasurement, FailedProbe, LinkMeasurement, ProbeDevice, ProbeOutcome } from '../probe.ts';
import { EXTRAS_TTL_MS } from '../schedule/probe-settings.ts';
import type { WantedDevice, WantedLink } from '../schedule/wanted-probes.ts';

interface ReportedState<T, P> {
  readonly outcome: ProbeOutcome<T>;
  /** Its entry in state. */
  readonly last: Entry<P> | undefined;
  readonly intervalMs: Reported<number>;
  readonly nowMs: number;
}

interface LinkOutcome
  extends Pick<ReportedState<LinkMeasurement, LinkProfile>, 'outcome' | 'intervalMs' | 'nowMs'> {
  readonly measuresExtras: boolean;
}

/** The figures that were not measured now are the path's last ones, from whichever end, with their age. */
export const linkFact = (
  self: NodeId,
  { subject: { sink, connectionKey }, kind, newest }: WantedLink,
  { outcome, measuresExtras, intervalMs, nowMs }: LinkOutcome,
): Fact => {
  const path = { sink, connectionKey, intervalMs };
  const known = newest === undefined ? undefined : knownFigures(self, newest, nowMs);
  if (outcome.kind === 'measured') {
    const extras =
      measuresExtras || known === undefined ? { extrasAgeMs: extrasAgeOf(measuresExtras) } : known.extras;
    const payload: LinkProfile = {
      ...outcome.measurement,
      ...extras,
      ...path,
      measuredAgeMs: 0,
      failure: 'none',
    };
    return { kind: 'link.profiled', payload };
  }
  const figures = known?.figures ?? {
    ...noLinkFigures(NEVER),
    engine: kind,
    method: NO_METHOD,
    extrasAgeMs: NEVER,
    measuredAgeMs: 0,
  };
  const failed = { failure: failureOf(outcome), bytesUsed: outcome.bytesUsed, extrasBytes: 0 };
  return { kind: 'link.profiled', payload: { ...figures, ...path, ...failed } };
};

/** How long until what is measured once an hour is due for the path, ms; 0 or less: now. */
export const extrasDueInMs = ({ newest }: Pick<WantedLink, 'newest'>, nowMs: number): number => {
  const ageMs = newest === undefined ? NEVER : extrasAgeMs(newest, nowMs);
  return isKnown(ageMs) ? EXTRAS_TTL_MS - ageMs : 0;
};

const extrasAgeMs = ({ entry }: PathMeasurement, nowMs: number): Reported<number> => {
  const { extrasAgeMs: thenMs } = entry.value;
  return isKnown(thenMs) ? thenMs + ageMsOf(entry, nowMs) : thenMs;
};

const extrasAgeOf = (isMeasured: boolean): Reported<number> => (isMeasured ? 0 : NEVER);

const knownFigures = (self: NodeId, measurement: PathMeasurement, nowMs: number) => {
  const { value } = measurement.entry;
  const seen = measurement.source === self ? value : fromOtherEnd(value);
  const ageMs = extrasAgeMs(measurement, nowMs);
  return {
    figures: { ...seen, extrasAgeMs: ageMs, measuredAgeMs: nowMs - measurement.measuredAtMs },
    extras: { ...hourlyFigures(seen), extrasAgeMs: ageMs },
  };
};

export const deviceFact = (
  { device }: WantedDevice,
  { outcome, last, intervalMs, nowMs }: ReportedState<DeviceMeasurement, GpuProfile>,
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
  const figures = last === undefined ? unmeasured(device) : last.value;
  const payload: GpuProfile = { ...figures, intervalMs, measuredAgeMs: goodAgeMs(last, nowMs), failure };
  return { kind: 'gpu.profiled', payload };
};

const goodAgeMs = (last: Entry<{ readonly measuredAgeMs: number }> | undefined, nowMs: number): number =>
  last === undefined ? 0 : last.value.measuredAgeMs + ageMsOf(last, nowMs);

const failureOf = ({ reason, code }: FailedProbe): Unknown =>
  unknown(reason === '' ? 'it failed without a reason' : reason.slice(0, REASON_LENGTH_MAX), code);

const unmeasured = ({ deviceId, deviceName, vendor }: ProbeDevice): DeviceMeasurement => ({
  deviceId,
  deviceName,
  deviceKind: vendor === 'cpu' ? 'cpu' : 'gpu',
  engine: 'none',
  ...noDeviceFigures(NEVER),
  isLowerBound: false,
  method: NO_METHOD,
});

const NEVER = unknown('never measured');
const NO_METHOD = 'none: it never succeeded';
const REASON_LENGTH_MAX = 300;
