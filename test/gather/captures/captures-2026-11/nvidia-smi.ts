// What nvidia-smi prints: -q -x, --query-gpu in CSV, nvlink, and messages.

import type { FailedGpu } from '../../../../src/core/node/failed-gpu.ts';
import { isUnknown, knownOr } from '../../../../src/core/unknown.ts';
import { LOAD_FIELDS, parseLoadRow } from '../../../../src/gather/nvidia/load-query.ts';
import { readToolMessage } from '../../../../src/gather/nvidia/nvidia-tool.ts';
import { parseHealth } from '../../../../src/gather/nvidia/parse-health.ts';
import { parseInventory } from '../../../../src/gather/nvidia/parse-inventory.ts';
import { parseNvlink } from '../../../../src/gather/nvidia/parse-nvlink.ts';
import { parseProcesses } from '../../../../src/gather/nvidia/parse-processes.ts';
import { parseTopo } from '../../../../src/gather/topology/parse-topo.ts';
import { type CaptureRow, rowsReadBy } from './capture-row.ts';

const MIB = 1_024 ** 2;
const NOT_PRINTED = 'not reported by this driver';

/** The devices of a list, each with the figures that the README gives; equal ones once. */
const readInventory = (text: string): unknown => {
  const parsed = parseInventory(text);
  if (parsed.kind !== 'answered') return parsed.reason;
  const { devices, failed } = parsed.value;
  const health = new Map(parseHealth(text).map(one => [one.deviceId, one]));
  const processes = parseProcesses(text);
  const lines = devices.map(device => {
    const { recoveryAction: action, eccVolatile } = health.get(device.deviceId) ?? {};
    const pcie = knownOr(device.pcieMax, undefined);
    return [
      device.name,
      knownOr(device.driver, undefined),
      knownOr(device.runtime, undefined),
      knownOr(device.memoryTotalBytes, 0) / MIB,
      knownOr(device.powerLimitWatts, undefined),
      pcie === undefined ? undefined : `${pcie.generation} x${pcie.width}`,
      knownOr(device.architecture, undefined),
      typeof action === 'string' ? action : action?.reason,
      knownOr(processes.get(device.deviceId) ?? [], []).length,
      knownOr(eccVolatile?.uncorrected ?? 0, 0) > 0 ? 'uncorrected errors' : 'no error',
    ].join('; ');
  });
  return { count: devices.length, devices: [...new Set(lines)], failed: failed.map(shortFailed) };
};

const shortFailed = ({ index, pciAddress, state }: FailedGpu): string =>
  `${state} GPU${knownOr(index, '?')} ${knownOr(pciAddress, '?')}`;

const inventory = (count: number, device: string, ...failed: readonly string[]): unknown => ({
  count,
  devices: [device],
  failed,
});

const readLoads = (text: string): unknown =>
  text
    .trim()
    .split('\n')
    .map(line => {
      const row = parseLoadRow(LOAD_FIELDS, line);
      if (row === undefined) return readToolMessage(line)?.reason;
      const { use, memoryUsedBytes, temperatureCelsius, powerWatts, clockMhz, pcieNow, throttleReasons } =
        row.load;
      if (typeof use !== 'number' && use.code === 'device-failed') return use.reason;
      const encoder = knownOr(row.load.encoderUse ?? 0, undefined);
      const pcie = knownOr(pcieNow, undefined);
      return [
        percent(knownOr(use, undefined)),
        knownOr(memoryUsedBytes, 0) / MIB,
        knownOr(temperatureCelsius, undefined),
        knownOr(powerWatts, undefined),
        knownOr(clockMhz, undefined),
        pcie === undefined ? undefined : [pcie.generation, pcie.width],
        percent(encoder),
        knownOr(throttleReasons, undefined),
      ];
    });

const percent = (share: number | undefined): number | undefined =>
  share === undefined ? undefined : Math.round(share * 100);

/** The links of each device as reported: how many, and the rate of each in GB/s. */
const readLinks = (text: string): unknown =>
  [...parseNvlink({ state: text, errors: '', bytes: '' }).values()].map(links => {
    if (isUnknown(links)) return links.reason;
    const rates = new Set(links.map(({ bytesPerSecond }) => knownOr(bytesPerSecond, 0) / 1e9));
    return [links.length, ...rates];
  });

const GB200 =
  'NVIDIA GB200; 580.65.06; CUDA 13.0; 196608; 1000; 6 x16; Blackwell; not available on this device; 0';

export const nvidiaSmiRows: readonly CaptureRow[] = [
  ...rowsReadBy(readInventory, {
    'nvidia-smi/inventory-a10g-driver-515.xml': inventory(
      1,
      `NVIDIA A10G; 515.105.01; CUDA 11.7; 23028; 300; 4 x16; Ampere; ${NOT_PRINTED}; 1; no error`,
    ),
    'nvidia-smi/inventory-b200-8.xml': inventory(
      8,
      'NVIDIA B200; 580.105.08; CUDA 13.0; 183359; 1000; 5 x16; Blackwell; ; 0; no error',
    ),
    'nvidia-smi/inventory-gb200-4.xml': inventory(
      4,
      'NVIDIA GB200; 580.173.02; CUDA 13.0; 189471; 1200; 5 x16; Blackwell; ; 0; no error',
    ),
    // The first of the two has 5 errors that were not corrected, in both files.
    'nvidia-smi/inventory-gb200-ecc-injected.xml': {
      count: 2,
      devices: [`${GB200}; uncorrected errors`, `${GB200}; no error`],
      failed: [],
    },
    'nvidia-smi/inventory-gb200-one-lost.xml': inventory(
      1,
      `${GB200}; uncorrected errors`,
      'lost GPU1 0000:0b:00.0',
    ),
    'nvidia-smi/inventory-gb300-4.xml': inventory(
      4,
      'NVIDIA GB300; 580.173.02; CUDA 13.0; 284208; 1400; 6 x16; Blackwell; ; 0; no error',
    ),
    'nvidia-smi/inventory-gtx-1660-ti-driver-418.xml': inventory(
      1,
      `Graphics Device; 418.43; CUDA 10.1; 5912; 130; 3 x16; ; ${NOT_PRINTED}; 0; no error`,
    ),
    'nvidia-smi/inventory-h100-8-driver-580.xml': inventory(
      8,
      'NVIDIA H100 80GB HBM3; 580.105.08; CUDA 13.0; 81559; 700; 5 x16; Hopper; ; 0; no error',
    ),
    'nvidia-smi/inventory-one-gpu-lost-prefix.xml': inventory(
      1,
      'NVIDIA GeForce RTX 3060; 570.124.04; CUDA 12.8; 12288; 170; 4 x16; Ampere; ; 0; no error',
      'lost GPU1 0000:34:00.0',
    ),
    'nvidia-smi/inventory-rtx-3060-driver-570.xml': inventory(
      1,
      'NVIDIA GeForce RTX 3060; 570.124.04; CUDA 12.8; 12288; 170; 4 x16; Ampere; ; 0; no error',
    ),
    'nvidia-smi/inventory-rtx-3080-windows-536.xml': inventory(
      1,
      `NVIDIA GeForce RTX 3080; 536.40; CUDA 12.2; 10240; 336; 4 x16; Ampere; ${NOT_PRINTED}; 5; no error`,
    ),
    'nvidia-smi/inventory-rtx-3090-driver-525.xml': inventory(
      1,
      `NVIDIA GeForce RTX 3090; 525.147.05; CUDA 12.0; 24576; 200; 4 x16; Ampere; ${NOT_PRINTED}; 0; no error`,
    ),
    'nvidia-smi/inventory-rtx-4000-sff-ada-driver-595.xml': inventory(
      1,
      'NVIDIA RTX 4000 SFF Ada Generation; 595.84; CUDA 13.2; 20475; 70; 4 x16; Ada Lovelace; ; 4; no error',
    ),
    'nvidia-smi/inventory-t4-driver-595.xml': inventory(
      1,
      'Tesla T4; 595.91.07; CUDA 13.2; 15360; 70; 3 x16; Turing; ; 0; no error',
    ),
  }),
  {
    file: 'nvidia-smi/inventory-cuda-14-names-only.xml',
    expected: ['620.10', 'CUDA 14.0'],
    read: text => {
      const parsed = parseInventory(text);
      const device = parsed.kind === 'answered' ? parsed.value.devices[0] : undefined;
      return [device?.driver, device?.runtime];
    },
  },
  ...rowsReadBy(readLoads, {
    'nvidia-smi/loads-h100-driver-590.csv': [
      [0, 0, 41, 69.85, 345, [5, 16], 0, []],
      [100, 19_818, 59, 631.95, 1_980, [5, 16], 0, []],
    ],
    'nvidia-smi/loads-h100-mig-driver-590.csv': [
      [undefined, 59, 42, 71.15, 345, [5, 16], undefined, []],
      [undefined, 11_125, 53, 433.78, 1_980, [5, 16], undefined, []],
    ],
    'nvidia-smi/loads-h100-requires-reset.csv': [
      'the GPU must be reset',
      [100, 80_620, 74, 612.3, 1_980, [5, 16], 0, []],
    ],
    'nvidia-smi/loads-h200-driver-590.csv': [
      [0, 0, 28, 77.71, 345, [5, 16], 0, []],
      [100, 32_362, 52, 627.4, 1_980, [5, 16], 0, []],
    ],
    'nvidia-smi/loads-l40s-driver-595.csv': [
      [100, 0, 63, 144.97, 2_520, [4, 16], 0, []],
      [9, 1_235, 54, 110.23, 2_520, [4, 16], 60, []],
    ],
    'nvidia-smi/loads-one-gpu-lost.csv': [
      'GPU 0000:34:00.0 does not answer: Unknown Error',
      [88, 9_000, 61, 140.2, 1_800, [4, 16], 0, []],
      'GPU 0000:34:00.0 does not answer: Unknown Error',
      [88, 9_000, 61, 140.2, 1_800, [4, 16], 0, []],
    ],
    'nvidia-smi/loads-rtx-2080-super-driver-595.csv': [
      [0, 214, 40, 39.32, 765, [1, 16], 0, ['SW power cap']],
      [8, 819, 45, 111.5, 2_055, [3, 16], 100, []],
    ],
    'nvidia-smi/loads-rtx-2080-super-windows-591.csv': [
      [0, 702, 40, 38.92, 300, [3, 16], 0, []],
      [7, 1_296, 45, 97.43, 2_055, [3, 16], 100, []],
    ],
    'nvidia-smi/loads-rtx-4080-super-driver-595.csv': [
      [0, 596, 43, 26.2, 210, [1, 16], 0, []],
      [7, 1_474, 46, 84.24, 2_805, [4, 16], 72, []],
    ],
  }),
  ...rowsReadBy(readLinks, {
    'nvidia-smi/nvlink-status-a100-8.txt': Array.from({ length: 8 }, () => [12, 25]),
    'nvidia-smi/nvlink-status-h100-mig.txt': ['not reported while MIG is on'],
    'nvidia-smi/nvlink-status-h200.txt': [[18, 26.562]],
    'nvidia-smi/nvlink-status-rtx-4080-super.txt': ['no NVLink'],
  }),
  // One GPU: a matrix without a pair.
  { file: 'nvidia-smi/topo-one-gpu-ansi.txt', expected: [], read: parseTopo },
  {
    file: 'nvidia-smi/message-gpu-lost-and-no-devices.txt',
    expected: 'GPU 0000:01:00.0 does not answer: Unknown Error',
    read: text => readToolMessage(text)?.reason,
  },
];
