// XGMI between GPUs of AMD, from the compute driver: /sys/class/kfd/kfd/topology/nodes/*/io_links/*/properties.

import type { GpuLinkBond, PlacedDevice } from '../../core/node/topology.ts';
import { unknown } from '../../core/unknown.ts';
import { parseKfdNode } from '../amdgpu/kfd-topology.ts';
import { isUnreadable, type MachineFiles } from '../machine-files.ts';

/** Each pair once; none on a machine without the driver. */
export const xgmiBonds = (files: MachineFiles, gpus: readonly PlacedDevice[]): readonly GpuLinkBond[] => {
  const names = files.namesNow(NODES);
  if (isUnreadable(names)) return [];
  const addresses = new Map(
    names.slice(0, NODES_MAX).flatMap(name => {
      const text = files.textNow(`${NODES}/${name}/properties`);
      const slot = isUnreadable(text) ? undefined : parseKfdNode(text)?.slot;
      const gpu = gpus.find(({ pciAddress }) => slot !== undefined && pciAddress.startsWith(`${slot}.`));
      return gpu === undefined ? [] : [[name, gpu.pciAddress] as const];
    }),
  );
  return [...addresses].flatMap(([name, from]) => {
    const links = files.namesNow(`${NODES}/${name}/io_links`);
    return isUnreadable(links)
      ? []
      : links.slice(0, NODES_MAX).flatMap((link): readonly GpuLinkBond[] => {
          const text = files.textNow(`${NODES}/${name}/io_links/${link}/properties`);
          if (isUnreadable(text) || propertyOf(text, 'type') !== XGMI) return [];
          const to = addresses.get(propertyOf(text, 'node_to') ?? '');
          return to === undefined || to <= from ? [] : [{ from, to, kind: 'xgmi', links: NOT_COUNTED }];
        });
  });
};

const propertyOf = (text: string, name: string): string | undefined =>
  new RegExp(`^${name} (\\d{1,9})$`, 'm').exec(text)?.[1];

const NODES = '/sys/class/kfd/kfd/topology/nodes';
/** CRAT_IOLINK_TYPE_XGMI of the kernel's amdkfd/kfd_crat.h. */
const XGMI = '11';
const NOT_COUNTED = unknown('the driver does not count them');
const NODES_MAX = 256;
