// `nvidia-smi -q -x` → the health of each device: what it counts of errors, and what was repaired. Names of elements changed with the
// generations of memory (single_bit and double_bit before Turing, sram_ and dram_ since; parity and SEC-DED apart from driver 550).

import type { EccCounts, GpuHealth, MemoryRepair } from '../../core/node/gpu-health.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { cellCount, cellText } from './nvidia-cell.ts';
import { nvidiaDeviceId } from './parse-inventory.ts';
import { childOf, childrenOf, descendant, parseTagTree, type Tag } from './tag-tree.ts';

/** In the tool's order; of a text that the inventory has accepted as whole. */
export const parseHealth = (text: string): readonly GpuHealth[] => {
  const log = parseTagTree(text).find(tag => tag.name === 'nvidia_smi_log');
  return childrenOf(log, 'gpu').flatMap(gpu => {
    const deviceId = nvidiaDeviceId(gpu);
    return deviceId === undefined ? [] : [healthOf(gpu, deviceId)];
  });
};

const healthOf = (gpu: Tag, deviceId: string): GpuHealth => {
  const isOff = descendant(gpu, 'ecc_mode', 'current_ecc')?.text === 'Disabled';
  const errors = childOf(gpu, 'ecc_errors');
  return {
    deviceId,
    eccVolatile: isOff ? ECC_OFF : eccOf(childOf(errors, 'volatile')),
    eccAggregate: isOff ? ECC_OFF : eccOf(childOf(errors, 'aggregate')),
    repair: repairOf(gpu),
    pcieReplays: cellCount(descendant(gpu, 'pci', 'replay_counter')?.text),
    recoveryAction: recoveryOf(gpu),
    fabric: fabricOf(gpu),
    links: unknown('not read yet'),
  };
};

const eccOf = (errors: Tag | undefined): EccCounts => ({
  corrected: sumOf(errors, CORRECTED, 'single_bit'),
  uncorrected: sumOf(errors, UNCORRECTED, 'double_bit'),
});

/** A part that the device does not count adds nothing; where it counts none of them, there is no sum. */
const sumOf = (errors: Tag | undefined, names: readonly string[], older: string): Reported<number> => {
  const cells = names.flatMap(name => childOf(errors, name) ?? []);
  if (cells.length === 0) return cellCount(descendant(errors, older, 'total')?.text);
  const counts = cells.map(cell => cellCount(cell.text));
  const known = counts.filter(isKnown);
  const [first] = counts;
  return known.length === 0 && first !== undefined ? first : known.reduce((sum, one) => sum + one, 0);
};

const repairOf = (gpu: Tag): MemoryRepair => {
  const rows = childOf(gpu, 'remapped_rows');
  const pages = childOf(gpu, 'retired_pages');
  const hasRows = rows !== undefined && rows.children.length > 0;
  const row = (name: string): string | undefined => (hasRows ? childOf(rows, name)?.text : rows?.text);
  const single = cellCount(descendant(pages, 'multiple_single_bit_retirement', 'retired_count')?.text);
  const double = cellCount(descendant(pages, 'double_bit_retirement', 'retired_count')?.text);
  const pendingPages = yesOrNo(
    (childOf(pages, 'pending_retirement') ?? childOf(pages, 'pending_blacklist'))?.text,
  );
  const pendingRows = yesOrNo(row('remapped_row_pending'));
  const ecc = (name: string): Reported<boolean> => yesOrNo(descendant(gpu, 'ecc_errors', name)?.text);
  return {
    rowsAfterCorrected: cellCount(row('remapped_row_corr')),
    rowsAfterUncorrected: cellCount(row('remapped_row_unc')),
    retiredPages: isUnknown(single) ? double : isUnknown(double) ? single : single + double,
    isPending: anyOf([pendingRows, pendingPages, ecc('channel_repair_pending'), ecc('tpc_repair_pending')]),
    hasFailed: anyOf([yesOrNo(row('remapped_row_failure')), ecc('unrepairable_memory')]),
  };
};

/** True if one of them is; what cannot be read of one is not a no for all. */
const anyOf = (flags: readonly [Reported<boolean>, ...(readonly Reported<boolean>[])]): Reported<boolean> => {
  if (flags.includes(true)) return true;
  return flags.includes(false) ? false : flags[0];
};

const yesOrNo = (text: string | undefined): Reported<boolean> => {
  const cell = cellText(text);
  if (isUnknown(cell)) return cell;
  if (/^yes$/i.test(cell)) return true;
  return /^no$/i.test(cell) ? false : unknown(`neither yes nor no: ${cell.slice(0, 40)}`);
};

/** Since driver 570; "None", "Reset", "Reboot", "Drain P2P", "Drain and Reset". */
const recoveryOf = (gpu: Tag): Reported<string> => {
  const action = cellText(childOf(gpu, 'gpu_recovery_action')?.text);
  if (isUnknown(action)) return action;
  return action === 'None' ? '' : action.slice(0, 80);
};

/**
 * Of GPUs behind NVSwitches: `state` is the registration with the fabric manager, `status` its result, `health` what has come since
 * (driver 570 and later). A cell without a value is not a fault.
 */
const fabricOf = (gpu: Tag): Reported<readonly string[]> => {
  const fabric = childOf(gpu, 'fabric');
  const state = cellText(childOf(fabric, 'state')?.text);
  if (isUnknown(state)) return state;
  const status = cellText(childOf(fabric, 'status')?.text);
  const faults = FABRIC_HEALTH.flatMap(([name, good, text]) => {
    const cell = cellText(descendant(fabric, 'health', name)?.text);
    return isUnknown(cell) || good.test(cell) ? [] : [text.replace('…', cell.toLowerCase())];
  });
  const isRegistered = /^completed$/i.test(state);
  const isRefused = isRegistered && isKnown(status) && !/^success$/i.test(status);
  return [
    ...(isRegistered ? [] : [`registration ${state.toLowerCase()}`]),
    ...(isRefused ? [`registration failed: ${status.slice(0, 80)}`] : []),
    ...faults.map(fault => fault.slice(0, 120)),
  ];
};

/** Elements of `health`, what a sound one has, and what to call another one. */
const FABRIC_HEALTH: readonly (readonly [name: string, good: RegExp, text: string])[] = [
  ['summary', /^(healthy|not supported)$/i, 'health …'],
  ['bandwidth', /^(full|not supported)$/i, 'bandwidth …'],
  ['route_recovery_in_progress', /^(false|not supported)$/i, 'a route is being recovered'],
  ['route_unhealthy', /^(false|not supported)$/i, 'a route is unhealthy'],
  ['access_timeout_recovery', /^(false|not supported)$/i, 'it recovers from an access timeout'],
  ['incorrect_configuration', /^(none|false|not supported)$/i, 'incorrect configuration: …'],
];

const CORRECTED = ['sram_correctable', 'dram_correctable'];
const UNCORRECTED = [
  'sram_uncorrectable',
  'sram_uncorrectable_parity',
  'sram_uncorrectable_secded',
  'dram_uncorrectable',
];
const ECC_OFF: EccCounts = { corrected: unknown('ECC is off'), uncorrected: unknown('ECC is off') };
