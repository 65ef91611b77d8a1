// Validates readings: every payload from a peer or a journal passes here. Each schema is checked against its
// core type by the compiler; every text and list has a limit.

import * as v from 'valibot';
import type { EventPayloads, KindsOf } from '../core/event-kinds.ts';
import type { NodeConfig } from '../core/node/config.ts';
import type { NodeContainer } from '../core/node/container.ts';
import type { NodeDisk } from '../core/node/disk.ts';
import type { NodeDiskTraffic } from '../core/node/disk-traffic.ts';
import type { ReadingConfirmed, ReadingFailed } from '../core/node/gathered.ts';
import { GPU_ERROR_CLASSES, type NodeGpuErrors } from '../core/node/gpu-errors.ts';
import type { NodeIdentity } from '../core/node/identity.ts';
import type { NodeMemory } from '../core/node/memory.ts';
import type { NodeNetwork } from '../core/node/network.ts';
import type { NodePressure } from '../core/node/pressure.ts';
import type { NodeRdmaDevices } from '../core/node/rdma-devices.ts';
import type { ReadingKind, ReadingValues } from '../core/node/reading.ts';
import type { NodeSystem } from '../core/node/system.ts';
import type { NodeThunderbolt } from '../core/node/thunderbolt.ts';
import type { NodeTraffic } from '../core/node/traffic.ts';
import { gpuHealthsSchema } from './gpu-health-schema.ts';
import { gpuLoadsSchema, gpusSchema } from './gpu-schema.ts';
import {
  bytes,
  count,
  figure,
  interval,
  list,
  openObject,
  reported,
  type Schema,
  share,
  text,
} from './schema.ts';

/** A counter of 64 bits may exceed the exact range of a double. */
const counter: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.finite(), v.minValue(0));

// Validates what a node reports about the traffic on its ports.
const counts = openObject({
  bytes: counter,
  packets: reported(counter),
  errors: reported(counter),
  drops: reported(counter),
});
const rates = openObject({
  bytesPerSecond: counter,
  packetsPerSecond: reported(counter),
  errorsPerSecond: reported(counter),
  dropsPerSecond: reported(counter),
});

const trafficSchema: v.GenericSchema<unknown, NodeTraffic> = openObject({
  ports: list(
    openObject({
      name: text,
      kind: v.picklist(['interface', 'rdma']),
      received: counts,
      sent: counts,
      rates: reported(openObject({ received: rates, sent: rates })),
    }),
  ),
});

// Validates what a node reports about the traffic of its disks.

const diskTrafficSchema: v.GenericSchema<unknown, NodeDiskTraffic> = openObject({
  devices: list(
    openObject({
      name: text,
      readBytes: counter,
      writtenBytes: counter,
      reads: counter,
      writes: counter,
      busyMs: counter,
      rates: reported(
        openObject({
          readBytesPerSecond: counter,
          writtenBytesPerSecond: counter,
          readsPerSecond: counter,
          writesPerSecond: counter,
          busyShare: share,
        }),
      ),
    }),
  ),
});

// Validates what a node reports about its container.
const containerSchema: v.GenericSchema<unknown, NodeContainer> = openObject({
  cpuLimit: reported(
    v.variant('kind', [
      openObject({ kind: v.literal('none') }),
      openObject({ kind: v.literal('limited'), cpus: figure }),
    ]),
  ),
  memoryLimit: reported(
    v.variant('kind', [
      openObject({ kind: v.literal('none') }),
      openObject({ kind: v.literal('limited'), bytes }),
    ]),
  ),
  pod: v.variant('kind', [
    openObject({ kind: v.literal('none') }),
    openObject({
      kind: v.literal('pod'),
      machine: reported(text),
      podName: reported(text),
      namespace: reported(text),
      labels: reported(list(openObject({ label: text, value: text }))),
    }),
  ]),
});

// Validates what a node reports about the pressure on its resources.
const stalledTime = openObject({
  share10s: share,
  share60s: share,
  share300s: share,
  totalMicroseconds: count,
});

const resource = reported(openObject({ some: stalledTime, full: reported(stalledTime) }));
const resources = { cpu: resource, memory: resource, io: resource } as const;

const pressureSchema: v.GenericSchema<unknown, NodePressure> = openObject({
  host: openObject(resources),
  controlGroup: v.variant('kind', [
    openObject({ kind: v.literal('none') }),
    openObject({ kind: v.literal('group'), ...resources }),
  ]),
});

// Validates what a node reports about errors of its GPUs in the kernel's log.
const gpuErrorsSchema: v.GenericSchema<unknown, NodeGpuErrors> = openObject({
  errors: list(
    openObject({
      address: text,
      xid: count,
      kind: reported(v.picklist(GPU_ERROR_CLASSES)),
      count,
      newestAgeMs: figure,
      text,
    }),
  ),
});

const identity: Schema<NodeIdentity> = openObject({
  friendlyName: text,
  hostName: text,
  model: reported(text),
  chip: reported(text),
  architecture: text,
  cpuCount: reported(count),
  operatingSystem: openObject({
    platform: v.picklist(['linux', 'macos', 'windows', 'other']),
    name: text,
    version: reported(text),
    build: reported(text),
  }),
  memoryIsUnified: reported(v.boolean()),
  virtualisation: reported(text),
  plimsollVersion: text,
  isSimulated: v.boolean(),
});

const memory: Schema<NodeMemory> = openObject({
  totalBytes: bytes,
  availableBytes: reported(bytes),
  swapTotalBytes: reported(bytes),
  swapUsedBytes: reported(bytes),
  pressure: openObject({
    level: reported(v.picklist(['normal', 'warning', 'critical'])),
    stalledShare: reported(share),
  }),
  container: v.variant('kind', [
    openObject({ kind: v.literal('none') }),
    openObject({ kind: v.literal('limited'), limitBytes: bytes, usedBytes: reported(bytes) }),
  ]),
  gpuNodeBytes: reported(bytes),
});

const system: Schema<NodeSystem> = openObject({
  cpuUse: reported(share),
  cpuTemperatureCelsius: reported(figure),
  cpuPowerWatts: reported(figure),
  systemPowerWatts: reported(figure),
  loadAverage1: reported(figure),
  uptimeSeconds: reported(figure),
  cpuClusters: list(openObject({ name: text, use: reported(share), clockMhz: reported(figure) })),
});

const network: Schema<NodeNetwork> = openObject({
  interfaces: list(
    openObject({
      name: text,
      type: reported(
        v.picklist([
          'ethernet',
          'wifi',
          'thunderbolt',
          'infiniband',
          'loopback',
          'bridge',
          'bond',
          'vlan',
          'virtual',
          'overlay',
          'cellular',
        ]),
      ),
      typeEvidence: text,
      macAddress: reported(text),
      isUp: reported(v.boolean()),
      speedBitsPerSecond: reported(figure),
      mtuBytes: reported(count),
      driver: reported(text),
      addresses: list(
        openObject({
          address: text,
          family: v.picklist(['ipv4', 'ipv6']),
          prefixLength: count,
          scope: v.picklist(['global', 'site', 'link', 'host']),
        }),
      ),
      members: list(text),
    }),
  ),
});

const thunderbolt: Schema<NodeThunderbolt> = openObject({
  ports: list(
    openObject({
      busName: text,
      receptacle: reported(text),
      domainUuid: reported(text),
      interfaceName: reported(text),
      rdmaInterfaceName: reported(text),
      status: reported(v.picklist(['connected', 'empty'])),
      capabilityBitsPerSecond: reported(figure),
      negotiatedBitsPerSecond: reported(figure),
      peers: list(
        openObject({ domainUuid: text, name: text, isBehindHub: v.boolean(), offersRdma: v.boolean() }),
      ),
      devices: list(text),
    }),
  ),
  bridge: reported(
    v.variant('kind', [
      openObject({ kind: v.literal('absent') }),
      openObject({
        kind: v.literal('present'),
        interfaceName: text,
        serviceName: reported(text),
        isEnabled: reported(v.boolean()),
        members: list(text),
      }),
    ]),
  ),
});

const rdmaDevices: Schema<NodeRdmaDevices> = openObject({
  isEnabled: reported(v.boolean()),
  devices: list(
    openObject({
      name: text,
      nodeGuid: reported(text),
      systemImageGuid: reported(text),
      firmware: reported(text),
      ports: list(
        openObject({
          number: count,
          state: reported(v.picklist(['active', 'armed', 'initializing', 'down'])),
          physicalState: reported(text),
          linkLayer: reported(v.picklist(['infiniband', 'ethernet', 'thunderbolt'])),
          rateBitsPerSecond: reported(figure),
          activeMtuBytes: reported(count),
          interfaceName: reported(text),
          subnetPrefix: reported(text),
        }),
      ),
    }),
  ),
});

const disk: Schema<NodeDisk> = openObject({
  volumes: list(
    openObject({
      mountPoint: text,
      device: text,
      fileSystem: reported(text),
      totalBytes: bytes,
      availableBytes: bytes,
    }),
  ),
});

/** As allowed in config.toml: a node with an infinite limit would never be reported as missing. */
const silence = v.pipe(v.number(), v.minValue(1_000), v.maxValue(3_600_000));

const config: Schema<NodeConfig> = openObject({
  tags: list(text),
  site: reported(text),
  rack: reported(text),
  machineKind: reported(text),
  ignoredInterfaces: list(text),
  staticPeerCount: count,
  presence: v.exactOptional(openObject({ staleMs: silence, offlineMs: silence })),
  probes: openObject({
    isEnabled: v.boolean(),
    gpuTtlSeconds: figure,
    socketTtlSeconds: figure,
    rdmaTtlSeconds: figure,
  }),
  makesLoad: reported(v.boolean()),
  servedEndpoints: list(text),
});

/** Schema of a Gathered; the gathered value is `entries.value`. */
type GatheredSchema<T> = v.ObjectSchema<
  { readonly source: Schema<string>; readonly intervalMs: Schema<number>; readonly value: Schema<T> },
  undefined
>;

const gathered = <T>(value: Schema<T>): GatheredSchema<T> =>
  openObject({ source: text, intervalMs: interval, value });

/** The lists are open: a newer version has readings and vendors that this one does not have. */
const readingName: Schema<string> = v.pipe(v.string(), v.regex(/^[a-z][A-Za-z0-9]{0,39}$/));

const confirmation = {
  reading: readingName,
  vendor: readingName,
  source: text,
  intervalMs: interval,
} as const;

const confirmed: Schema<ReadingConfirmed> = openObject(confirmation);
const failed: Schema<ReadingFailed> = openObject({
  ...confirmation,
  reason: text,
  code: v.exactOptional(text),
});
/** Schemas of the payloads by event kind. */
export const READING_SCHEMAS: {
  readonly [R in ReadingKind as `${R}.gathered`]: GatheredSchema<ReadingValues[R]>;
} & { readonly [K in KindsOf<'readingStatuses'>]: Schema<EventPayloads[K]> } = {
  'identity.gathered': gathered(identity),
  'memory.gathered': gathered(memory),
  'system.gathered': gathered(system),
  'pressure.gathered': gathered(pressureSchema),
  'network.gathered': gathered(network),
  'thunderbolt.gathered': gathered(thunderbolt),
  'rdmaDevices.gathered': gathered(rdmaDevices),
  'disk.gathered': gathered(disk),
  'gpus.gathered': gathered(gpusSchema),
  'gpuLoads.gathered': gathered(gpuLoadsSchema),
  'config.gathered': gathered(config),
  'container.gathered': gathered(containerSchema),
  'traffic.gathered': gathered(trafficSchema),
  'diskTraffic.gathered': gathered(diskTrafficSchema),
  'gpuHealths.gathered': gathered(gpuHealthsSchema),
  'gpuErrors.gathered': gathered(gpuErrorsSchema),
  'reading.confirmed': confirmed,
  'reading.failed': failed,
  'reading.absent': failed,
};
