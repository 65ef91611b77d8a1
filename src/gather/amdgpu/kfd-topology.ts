// What the compute driver (KFD) reports about a GPU: /sys/class/kfd/kfd/topology/nodes/*/properties. Compute units and
// the architecture are here, so no tool is needed for them.

import { isUnknown } from '../../core/unknown.ts';
import { sysfsNames, sysfsText } from '../drm/sysfs-file.ts';
import { below, type MachinePath } from '../machine-path.ts';

export interface KfdNode {
  /** "0000:05:00", without the function: partitions of one card differ in it. */
  readonly slot: string;
  readonly computeUnits: number;
  /** "gfx942" */
  readonly architecture: string;
}

export const readKfdNodes = async (root: MachinePath): Promise<readonly KfdNode[]> => {
  const folder = below(root, 'sys/class/kfd/kfd/topology/nodes');
  const names = (await sysfsNames(folder)).slice(0, NODES_MAX);
  const texts = await Promise.all(names.map(name => sysfsText(below(folder, name, 'properties'))));
  return texts.flatMap(text => (isUnknown(text) ? [] : [parseKfdNode(text) ?? []].flat()));
};

/** Undefined for a node without compute units: a processor. */
export const parseKfdNode = (properties: string): KfdNode | undefined => {
  const values = new Map<string, number>();
  for (const line of properties.split('\n', PROPERTIES_MAX)) {
    const match = /^([a-z_0-9]+) (\d{1,15})$/.exec(line.trim());
    if (match?.[1] !== undefined) values.set(match[1], Number(match[2]));
  }
  const simds = values.get('simd_count') ?? 0;
  const simdsPerUnit = values.get('simd_per_cu') ?? 0;
  const version = values.get('gfx_target_version') ?? 0;
  const location = values.get('location_id');
  if (simds === 0 || simdsPerUnit === 0 || version === 0 || location === undefined) return undefined;
  const domain = (values.get('domain') ?? 0).toString(16).padStart(4, '0');
  const bus = ((location >> 8) & 0xff).toString(16).padStart(2, '0');
  const slot = ((location >> 3) & 0x1f).toString(16).padStart(2, '0');
  return {
    slot: `${domain}:${bus}:${slot}`,
    computeUnits: Math.round(simds / simdsPerUnit),
    architecture: gfxName(version),
  };
};

/** 90402 is gfx942, 90010 is gfx90a, 110000 is gfx1100: major in decimal, the rest in hexadecimal. */
const gfxName = (version: number): string => {
  const major = Math.floor(version / 10_000);
  const minor = Math.floor(version / 100) % 100;
  return `gfx${major}${minor.toString(16)}${(version % 100).toString(16)}`;
};

const NODES_MAX = 256;
const PROPERTIES_MAX = 200;
