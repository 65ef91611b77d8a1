// The fields requested from `nvidia-smi --query-gpu`, and one line of its output. Drivers differ in the fields they
// know: one that the tool refuses is replaced by its older name or omitted.

import { failedGpuText } from '../../core/node/failed-gpu.ts';
import { type GpuLoad, type PcieLink, POWER_CAP } from '../../core/node/gpu.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { failureOf, type GpuFailure } from './lost-gpu.ts';
import { cellCount, cellMebibytes, cellNumber, cellShare, cellText } from './nvidia-cell.ts';
import { NO_PCIE_LINK, sharesHostMemory, UNIFIED_MEMORY } from './parse-inventory.ts';

export interface LoadRow {
  readonly load: GpuLoad;
  /** How many rows the tool prints each time; undefined if it does not report it. */
  readonly deviceCount: number | undefined;
}

/** The name comes last, because it is the only cell that may contain a comma. */
export const LOAD_FIELDS: readonly string[] = [
  'uuid',
  'count',
  'memory.total',
  'memory.used',
  'utilization.gpu',
  'temperature.gpu',
  'power.draw',
  'clocks.sm',
  'pcie.link.gen.current',
  'pcie.link.width.current',
  'mig.mode.current',
  'clocks_event_reasons.active',
  'utilization.encoder',
  'utilization.decoder',
  'name',
];

/** The fields to request when the tool does not know `refused`; undefined if there is no alternative. */
export const withoutField = (fields: readonly string[], refused: string): readonly string[] | undefined => {
  if (refused === 'uuid' || !fields.includes(refused)) return undefined;
  const older = OLDER_NAMES.get(refused);
  if (older === undefined) return fields.filter(field => field !== refused);
  return fields.map(field => (field === refused ? older : field));
};

/** Undefined for a line that is not a row: a message, or a cut line. */
export const parseLoadRow = (fields: readonly string[], line: string): LoadRow | undefined => {
  const cells = line.split(',', CELLS_MAX);
  if (cells.length < fields.length) return undefined;
  if (cells.length > fields.length && fields.at(-1) !== 'name') return undefined;
  const cell = (field: string): string | undefined => {
    const at = fields.indexOf(field);
    return at === -1 ? undefined : cells[at];
  };
  const uuid = cell('uuid')?.trim() ?? '';
  if (!UUID.test(uuid)) return undefined;
  const count = cellCount(cell('count'));
  const deviceCount = isUnknown(count) ? undefined : count;
  const failure = failureOf(cells, [cell('memory.used'), cell('utilization.gpu'), cell('temperature.gpu')]);
  if (failure !== undefined) return { deviceCount, load: failedLoad(uuid, failure) };
  const isPartitioned = cell('mig.mode.current')?.trim() === 'Enabled';
  const name = fields.at(-1) === 'name' ? cells.slice(fields.length - 1).join(',') : '';
  const isUnified = sharesHostMemory({ name, memoryTotal: cell('memory.total'), isPartitioned });
  const use = cellShare(cell('utilization.gpu'));
  return {
    deviceCount,
    load: {
      deviceId: uuid,
      use: isUnknown(use) && isPartitioned ? unknown('not reported while MIG is on') : use,
      memoryUsedBytes: isUnified ? unknown(UNIFIED_MEMORY) : cellMebibytes(cell('memory.used')),
      memoryReservedUsedBytes: isUnified ? unknown('nvidia-smi does not report it') : 0,
      temperatureCelsius: cellNumber(cell('temperature.gpu')),
      powerWatts: cellNumber(cell('power.draw')),
      clockMhz: cellNumber(cell('clocks.sm')),
      pcieNow: isUnified ? unknown(NO_PCIE_LINK) : pcieLink(cell),
      encoderUse: cellShare(cell('utilization.encoder')),
      decoderUse: cellShare(cell('utilization.decoder')),
      throttleReasons: throttleReasons(
        cellText(cell('clocks_event_reasons.active') ?? cell('clocks_throttle_reasons.active')),
      ),
    },
  };
};

/** No figure of such a card is one: it prints 0 MiB used while a program has all of its memory. */
const failedLoad = (deviceId: string, failure: GpuFailure): GpuLoad => {
  const why = unknown(`the GPU ${failedGpuText(failure)}`, 'device-failed');
  return {
    deviceId,
    use: why,
    memoryUsedBytes: why,
    temperatureCelsius: why,
    powerWatts: why,
    clockMhz: why,
    pcieNow: why,
    encoderUse: why,
    decoderUse: why,
    throttleReasons: why,
  };
};

const pcieLink = (cell: (field: string) => string | undefined): Reported<PcieLink> => {
  const generation = cellCount(cell('pcie.link.gen.current'));
  const width = cellCount(cell('pcie.link.width.current'));
  if (isUnknown(generation)) return generation;
  return isUnknown(width) ? width : { generation, width };
};

/**
 * The bit mask of clock event reasons (nvml.h, nvmlClocksEventReason*) in NVIDIA's words, from the mask as nvidia-smi
 * prints it, "0x0000000000000004". Idle, bit 0, is left out: a clock that is low because nothing runs is not throttled.
 */
export const throttleReasons = (mask: Reported<string>): Reported<readonly string[]> => {
  if (isUnknown(mask)) return mask;
  if (!/^0x[0-9a-f]{1,16}$/i.test(mask)) return unknown(`not a bit mask: ${mask.slice(0, 40)}`);
  let rest = BigInt(mask) & ~IDLE;
  const reasons: string[] = [];
  for (const [bit, reason] of REASONS) {
    if ((rest & bit) !== 0n) reasons.push(reason);
    rest &= ~bit;
  }
  if (rest !== 0n) reasons.push(`unnamed reason 0x${rest.toString(16)}`);
  return reasons;
};

const UUID = /^[A-Za-z]{1,8}-[0-9A-Za-z-]{4,64}$/;
const CELLS_MAX = 64;
/** Driver 535 renamed the throttle reasons; both names are bit masks of the same meaning. */
const OLDER_NAMES: ReadonlyMap<string, string> = new Map([
  ['clocks_event_reasons.active', 'clocks_throttle_reasons.active'],
]);
const IDLE = 0x1n;
const REASONS: readonly (readonly [bit: bigint, reason: string])[] = [
  [0x2n, 'applications clocks setting'],
  [0x4n, POWER_CAP],
  [0x8n, 'HW slowdown'],
  [0x10n, 'sync boost'],
  [0x20n, 'SW thermal slowdown'],
  [0x40n, 'HW thermal slowdown'],
  [0x80n, 'HW power brake slowdown'],
  [0x100n, 'display clock setting'],
];
