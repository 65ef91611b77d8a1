// The devices of a cluster that are judged: its GPUs, and the processors of nodes that have none.

import { ageMsOf } from '../entry-maps.ts';
import { formatAge } from '../figure/duration.ts';
import { figureText } from '../figure/figure.ts';
import type { NodeId } from '../ids.ts';
import type { GpuProfile } from '../node/gpu-profile.ts';
import type { GpuView, MeasuredDevice, NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { isUnknown, knownOr, type Unknown, unknown } from '../unknown.ts';
import type { AcceptanceSources } from './acceptance-check.ts';
import type { Subject } from './limit.ts';

export interface AcceptedDevice extends Subject {
  readonly nodeId: NodeId;
  readonly deviceId: string;
  /** What it is: devices of one name are comparable. */
  readonly name: string;
  readonly measured: MeasuredDevice;
  /** Undefined: a processor. */
  readonly gpu: GpuView | undefined;
}

export const acceptedDevices = ({ nodes }: AcceptanceSources): readonly AcceptedDevice[] =>
  nodes.filter(({ presence }) => presence !== 'offline').flatMap(devicesOf);

const devicesOf = (view: NodeView): readonly AcceptedDevice[] => {
  const common = { nodeId: view.nodeId, nodes: [view.name] };
  const gpus = view.gpus.flatMap(({ devices }) =>
    devices.map(
      (gpu): AcceptedDevice => ({
        ...common,
        subject: `${view.name}, GPU ${gpu.device.index} (${gpu.device.name})`.slice(0, SUBJECT_LENGTH_MAX),
        deviceId: gpu.device.deviceId,
        name: gpu.device.name,
        measured: gpu,
        gpu,
      }),
    ),
  );
  if (gpus.length > 0) return gpus;
  const chip = knownOr(knownValue(view.identity)?.chip ?? unknown('not read'), 'processor');
  return [
    {
      ...common,
      subject: `${view.name}, ${chip}`.slice(0, SUBJECT_LENGTH_MAX),
      deviceId: 'cpu',
      name: chip,
      measured: view.cpu,
      gpu: undefined,
    },
  ];
};

/** Its figures if they are fresh, or why they do not count. */
export const freshProfile = (
  { measured: { profile, probe } }: AcceptedDevice,
  { nowMs, ageMsMax }: Pick<AcceptanceSources, 'nowMs' | 'ageMsMax'>,
): GpuProfile | Unknown => {
  if (profile === undefined)
    return unknown(probe?.kind === 'waiting' ? `its probe waits: ${probe.reason}` : 'not measured yet');
  const { value } = profile;
  if (isUnknown(value.failure)) return unknown(`its probe failed: ${value.failure.reason}`);
  const ageMs = ageMsOf(profile, nowMs) + value.measuredAgeMs;
  return ageMs <= ageMsMax ? value : lastMeasured(ageMs);
};

export const lastMeasured = (ageMs: number): Unknown =>
  unknown(`last measured ${figureText(formatAge(ageMs))} ago`);

export const SUBJECT_LENGTH_MAX = 300;
