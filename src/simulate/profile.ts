// The result of a probe of a simulated connection or device: the figures of the cable or the hardware, slightly
// different each time, as for real probes.

import { minimumOf } from '../core/extremes.ts';
import {
  type DatagramFigures,
  type LinkProfile,
  noDatagramFigures,
  noLinkFigures,
} from '../core/link/link-profile.ts';
import { type GpuProfile, memoryFigures } from '../core/node/gpu-profile.ts';
import { isKnown, type Reported, unknown } from '../core/unknown.ts';
import type { SimulatedConnection } from './connection.ts';
import { deviceId, networkOf } from './durable-readings.ts';
import { seedOf, smoothNoise } from './noise.ts';
import type { Site } from './site.ts';

/** How long figures count as fresh, ms: shorter than a real cluster's, so that a demo shows probes at work. */
export const SOCKET_TTL_MS = 300_000;
export const RDMA_TTL_MS = 600_000;
export const GPU_TTL_MS = 600_000;

/** The remaining compute of a thermally throttled device. */
export const THROTTLED_SHARE = 0.72;

/** @param attempt number of the probe of this connection: equal numbers measure the same. */
export const linkProfile = (connection: SimulatedConnection, attempt: number, seed: number): LinkProfile => {
  const isRdma = connection.connection.kind === 'rdma';
  const common = {
    sink: connection.sink.nodeId,
    connectionKey: connection.key,
    engine: isRdma ? rdmaEngine(connection) : 'socket-ffi',
    method: isRdma
      ? 'simulated: 50 round trips, 4 messages of 64 MiB each way'
      : 'simulated: 200 round trips, 250 ms each way',
    measuredAgeMs: 0,
    intervalMs: isRdma ? RDMA_TTL_MS : SOCKET_TTL_MS,
  };
  if (connection.failure !== undefined) {
    const failure = unknown(connection.failure);
    return {
      ...common,
      ...noLinkFigures(failure),
      extrasAgeMs: failure,
      extrasBytes: 0,
      bytesUsed: 0,
      failure,
    };
  }
  const vary = (name: string, share: number): number =>
    1 +
    share * smoothNoise(seedOf(seed, `${connection.source.machine.name} ${connection.key} ${name}`), attempt);
  // Never above the cable's best rate: impossible figures look fake.
  const spread = spreadOf(connection);
  const uploadBitsPerSecond = Math.round(connection.upload * (vary('upload', spread) - spread));
  const downloadBitsPerSecond = Math.round(connection.download * (vary('download', spread) - spread));
  const roundTripNsP50 = Math.round(connection.roundTripNs * vary('round trip', 0.04));
  const streams = isRdma ? 1 : connection.upload > 20e9 ? 8 : connection.upload > 2e9 ? 2 : 1;
  return {
    ...common,
    uploadBitsPerSecond,
    downloadBitsPerSecond,
    roundTripNsMin: Math.round(roundTripNsP50 * 0.88),
    roundTripNsP50,
    roundTripNsP99: Math.round(roundTripNsP50 * 1.7),
    jitterNs: Math.round(roundTripNsP50 * jitterShare(connection) * vary('jitter', 0.3)),
    roundTripCount: isRdma ? 50 : 200,
    ...allReduces(roundTripNsP50, Math.min(uploadBitsPerSecond, downloadBitsPerSecond)),
    uploadQueueNs: queueNs(connection, uploadBitsPerSecond * vary('queue up', 0.1)),
    downloadQueueNs: queueNs(connection, downloadBitsPerSecond * vary('queue down', 0.1)),
    ...datagramFigures(connection, uploadBitsPerSecond + downloadBitsPerSecond),
    extrasAgeMs: 0,
    extrasBytes: 0,
    retransmits: isRdma ? unknown('RDMA reports none') : connection.retransmits,
    uploadStreams: streams,
    downloadStreams: streams,
    bytesUsed: isRdma ? 536_870_912 : Math.round((uploadBitsPerSecond + downloadBitsPerSecond) / 32),
    failure: 'none',
  };
};

/** One per GPU; without any, the processor's. */
export const deviceProfiles = (site: Site, attempt: number, seed: number): readonly GpuProfile[] => {
  const { hardware, machine, index } = site;
  const vary = (at: number, name: string): number =>
    (machine.speed ?? 1) * (1 + 0.004 * smoothNoise(seedOf(seed, `${machine.name} ${at} ${name}`), attempt));
  const memory = (at: number, { read, copy }: Readonly<Record<'read' | 'copy', number>>) =>
    memoryFigures({
      readBytesPerSecond: Math.round(read * vary(at, 'read')),
      copyBytesPerSecond: Math.round(copy * vary(at, 'copy')),
      gemvBytesPerSecond: Math.round(read * 0.97 * vary(at, 'gemv')),
    });
  const common = { method: 'simulated', measuredAgeMs: 0, intervalMs: GPU_TTL_MS, failure: 'none' } as const;
  const cpuRead = hardware.cpu.readBytesPerSecond;
  if (hardware.gpus.length === 0)
    return [
      {
        ...common,
        deviceId: 'cpu',
        deviceName: hardware.chip,
        deviceKind: 'cpu',
        engine: 'cpu',
        fp16FlopsPerSecond: unknown('no FP16 product on this processor'),
        fp32FlopsPerSecond: Math.round(hardware.cpu.fp32Flops * vary(0, 'flops')),
        ...memory(0, { read: cpuRead, copy: cpuRead * 0.86 }),
        int8OperationsPerSecond: unknown('not measured on processors'),
        fp8FlopsPerSecond: unknown('not measured on processors'),
        isLowerBound: false,
      },
    ];
  return hardware.gpus.map((gpu, at) => {
    const clockShare = machine.quirks?.throttledGpu === at ? THROTTLED_SHARE : 1;
    return {
      ...common,
      deviceId: deviceId(gpu, index, at),
      deviceName: gpu.name,
      deviceKind: 'gpu',
      engine: gpu.engine,
      fp16FlopsPerSecond: Math.round(gpu.fp16Flops * clockShare * vary(at, 'flops')),
      fp32FlopsPerSecond: unknown('FP16 is measured'),
      ...memory(at, { read: gpu.readBytesPerSecond, copy: gpu.copyBytesPerSecond }),
      int8OperationsPerSecond: unknown('not simulated'),
      fp8FlopsPerSecond: unknown('not simulated'),
      isLowerBound: gpu.isLowerBound,
    };
  });
};

/** Half a round trip, and what both send at once: no simulated cable is half duplex. */
const allReduces = (
  roundTripNs: number,
  bitsPerSecond: number,
): Pick<LinkProfile, 'allReduceNs16Kib' | 'allReduceNs1Mib'> => {
  const time = (bytes: number): number => Math.round(roundTripNs / 2 + (bytes * 8e9) / bitsPerSecond);
  return { allReduceNs16Kib: time(16 * 1_024), allReduceNs1Mib: time(1_024 ** 2) };
};

/** The path passes what both of its ends do, and loses what its TCP sends again. */
const datagramFigures = (
  { connection, source, sink, retransmits }: SimulatedConnection,
  bitsPerSecond: number,
): DatagramFigures => {
  const { kind, sourceInterface, sinkInterface } = connection;
  const mtus = [mtuOf(source, sourceInterface), mtuOf(sink, sinkInterface)];
  const known = mtus.filter(isKnown);
  if (kind === 'rdma') return noDatagramFigures(unknown('measured over sockets only'));
  const mtuBytes = known.length < mtus.length ? unknown('an interface is unknown') : minimumOf(known);
  const segments = bitsPerSecond / 32 / 1_448;
  const lost = Math.round(DATAGRAMS * Math.min(0.2, retransmits / segments));
  const lossShare = lost / DATAGRAMS;
  return {
    uploadMtuBytes: mtuBytes,
    downloadMtuBytes: mtuBytes,
    uploadDatagrams: DATAGRAMS,
    downloadDatagrams: DATAGRAMS,
    uploadLossShare: lossShare,
    downloadLossShare: lossShare,
    uploadReorderedShare: 0,
    downloadReorderedShare: 0,
  };
};

const DATAGRAMS = 2_000;

const mtuOf = (site: Site, interfaceName: Reported<string>): Reported<number> =>
  networkOf(site).interfaces.find(({ name }) => name === interfaceName)?.mtuBytes ??
  unknown('no such interface');

/** How long what is full takes to empty: a radio's queue holds more than a switch's. */
const queueNs = (
  { connection: { kind, type }, queueNs: long }: SimulatedConnection,
  bitsPerSecond: number,
): Reported<number> =>
  kind === 'rdma'
    ? unknown('measured over sockets only')
    : (long ??
      Math.round(((type === 'wifi' || type === 'overlay' ? 1_048_576 : 262_144) * 8e9) / bitsPerSecond));

/** Of the round trip: Wi-Fi waits for its turn, and an overlay passes through user space at both ends. */
const jitterShare = ({ connection: { type } }: SimulatedConnection): number =>
  type === 'wifi' ? 0.3 : type === 'overlay' ? 0.12 : 0.045;

/** How far bandwidth varies between probes, in either direction, as a share. */
const spreadOf = ({ connection: { type } }: SimulatedConnection): number =>
  type === 'wifi' ? 0.06 : type === 'overlay' ? 0.03 : 0.003;

const rdmaEngine = ({ source }: SimulatedConnection): string =>
  source.hardware.operatingSystem.platform === 'macos' ? 'mlx-jaccl' : 'perftest';
