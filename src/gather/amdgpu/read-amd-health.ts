// What an amdgpu card counts of errors: ras/*_err_count ("ue: 0", "ce: 0" of each of its parts, since the driver was loaded),
// ras/gpu_vram_bad_pages and pcie_replay_count. Documentation/gpu/amdgpu/ras.rst; everybody may read them.

import { join } from 'node:path';
import type { EccCounts, GpuHealth, MemoryRepair } from '../../core/node/gpu-health.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { ASLEEP, isAsleep } from '../drm/drm-cards.ts';
import { sysfsBytes, sysfsNames, sysfsNumber, sysfsText } from '../drm/sysfs-file.ts';
import type { AmdCard } from './amd-card.ts';

export const readAmdHealth = async (card: AmdCard): Promise<GpuHealth> => {
  const isSleeping = await isAsleep(card);
  const notReported = isSleeping ? ASLEEP : NOT_REPORTED;
  const common = {
    deviceId: card.address,
    eccAggregate: { corrected: notReported, uncorrected: notReported },
    recoveryAction: notReported,
    links: isSleeping ? ASLEEP : NO_LINKS,
  };
  if (isSleeping)
    return { ...common, eccVolatile: common.eccAggregate, repair: noRepair(ASLEEP), pcieReplays: ASLEEP };
  const ras = join(card.devicePath, 'ras');
  const [eccVolatile, repair, replays] = await Promise.all([
    countsOf(ras),
    repairOf(ras),
    sysfsNumber(join(card.devicePath, 'pcie_replay_count')),
  ]);
  const pcieReplays = !isUnknown(replays) && replays < 0 ? unknown('not a count') : replays;
  return { ...common, eccVolatile, repair, pcieReplays };
};

const countsOf = async (ras: string): Promise<EccCounts> => {
  const names = (await sysfsNames(ras)).filter(name => name.endsWith('_err_count')).slice(0, PARTS_MAX);
  const texts = await Promise.all(names.map(name => sysfsText(join(ras, name))));
  const sum = (what: 'ue' | 'ce'): Reported<number> => {
    const counts = texts.flatMap(text => {
      const digits = isUnknown(text) ? undefined : new RegExp(`^${what}: (\\d{1,15})$`, 'm').exec(text)?.[1];
      return digits === undefined ? [] : [Number(digits)];
    });
    return counts.length === 0 ? NO_RAS : counts.reduce((all, one) => all + one, 0);
  };
  return { corrected: sum('ce'), uncorrected: sum('ue') };
};

/** "0x00000001 : 0x00001000 : R": retired, P: to be retired with the next reset, F: could not be. */
const repairOf = async (ras: string): Promise<MemoryRepair> => {
  const reported = await sysfsBytes(join(ras, 'gpu_vram_bad_pages'), PAGES_BYTES_MAX);
  if (isUnknown(reported)) return noRepair(reported.code === 'permission' ? reported : NO_RAS);
  const flags = new TextDecoder()
    .decode(reported.bytes)
    .split('\n')
    .map(line => /^0x[0-9a-f]+ : 0x[0-9a-f]+ : ([RPF])$/i.exec(line.trim())?.[1]);
  return {
    ...noRepair(NOT_REPORTED),
    retiredPages: flags.filter(flag => flag !== undefined).length,
    isPending: flags.includes('P'),
    hasFailed: flags.includes('F'),
  };
};

const noRepair = (reason: Unknown): MemoryRepair => ({
  rowsAfterCorrected: reason,
  rowsAfterUncorrected: reason,
  retiredPages: reason,
  isPending: reason,
  hasFailed: reason,
});

const NOT_REPORTED = unknown('amdgpu does not report it', 'not-offered');
const NO_RAS = unknown('the card does not count errors (no RAS)', 'not-offered');
const NO_LINKS = unknown('amdgpu reports links between GPUs only through amd-smi', 'not-offered');
const PARTS_MAX = 64;
/** A line is 27 bytes; cards with more bad pages than this are replaced. */
const PAGES_BYTES_MAX = 256 * 1024;
