// The kinds of events about what is measured: rows of the table of kinds.

import { type GpuProfile, gpuProfileSchema } from '../node/gpu-profile.ts';
import {
  type ProbeBaseline,
  type ProbeStatus,
  probeBaselineSchema,
  probeKey,
  probeStatusSchema,
} from './probe-status.ts';

export const PROBE_KINDS = {
  'gpu.profiled': {
    class: 'durable',
    field: 'nodeGpuProfiles',
    shape: 'keyed',
    // Sixteen devices, each in seven partitions, and the processor.
    entriesMax: 128,
    schema: gpuProfileSchema,
    key: ({ deviceId }: GpuProfile): string => deviceId,
    texts: {
      deviceId: 'free',
      deviceName: 'plain',
      deviceKind: 'plain',
      engine: 'plain',
      method: 'free',
      failure: 'plain',
    },
  },
  'probe.reported': {
    class: 'live',
    field: 'probeStatuses',
    shape: 'keyed',
    // Devices, and connections to as many peers as a mesh has.
    entriesMax: 1_024,
    isNewestKept: true,
    schema: probeStatusSchema,
    key: ({ subject }: ProbeStatus): string => probeKey(subject),
    texts: { kind: 'plain', deviceId: 'free', connectionKey: 'key', reason: 'free' },
  },
  'baseline.reported': {
    class: 'live',
    field: 'probeBaselines',
    shape: 'keyed',
    entriesMax: 1_024,
    isNewestKept: true,
    schema: probeBaselineSchema,
    key: ({ subject }: ProbeBaseline): string => probeKey(subject),
    texts: { kind: 'plain', deviceId: 'free', connectionKey: 'key' },
  },
} as const;
