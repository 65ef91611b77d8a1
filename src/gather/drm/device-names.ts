// Names of PCI devices from the lists that distributions install: libdrm's marketing names of AMD chips, and pci.ids.

import { below, type MachinePath } from '../machine-path.ts';

/** The name of a chip in amdgpu.ids, which distinguishes revisions: "744C,	CC,	AMD Radeon RX 7900 XT". */
export const amdgpuName = (list: string, device: number, revision: number): string | undefined => {
  for (const line of list.split('\n')) {
    const [deviceHex, revisionHex, ...name] = line.split(',');
    if (name.length === 0 || deviceHex === undefined || revisionHex === undefined) continue;
    if (hex(deviceHex) === device && hex(revisionHex) === revision) return clean(name.join(','));
  }
  return undefined;
};

/** The name of a device in pci.ids: vendors are at the line's start, their devices after one tab. */
export const pciIdsName = (list: string, vendor: number, device: number): string | undefined => {
  const vendorAt = `\n${list}`.search(new RegExp(`\n${hex4(vendor)} `, 'i'));
  if (vendorAt === -1) return undefined;
  const lines = list.slice(vendorAt).split('\n', VENDOR_LINES_MAX);
  for (const line of lines.slice(1)) {
    if (line.startsWith('\t\t') || line.startsWith('#') || line.trim() === '') continue;
    if (!line.startsWith('\t')) return undefined; // the next vendor
    if (line.slice(1, 5).toLowerCase() === hex4(device)) return clean(line.slice(5));
  }
  return undefined;
};

/** The first of these files that can be read, at most 8 MiB of it; '' if none can. */
export const readNameList = async (root: MachinePath, paths: readonly string[]): Promise<string> => {
  for (const path of paths) {
    try {
      const bytes = await root.tree.bytes(below(root, path).path, LIST_LENGTH_MAX);
      return new TextDecoder().decode(bytes);
    } catch {} // not installed: the next path
  }
  return '';
};

export const PCI_IDS_PATHS: readonly string[] = [
  'usr/share/misc/pci.ids',
  'usr/share/hwdata/pci.ids',
  'usr/share/pci.ids',
  'var/lib/pciutils/pci.ids',
];
export const AMDGPU_IDS_PATHS: readonly string[] = ['usr/share/libdrm/amdgpu.ids'];

export const hex4 = (id: number): string => id.toString(16).padStart(4, '0');

const hex = (text: string): number => Number.parseInt(text.trim(), 16);

const clean = (name: string): string | undefined => {
  const trimmed = name.trim();
  return trimmed === '' ? undefined : trimmed.slice(0, 120);
};

const VENDOR_LINES_MAX = 20_000;
const LIST_LENGTH_MAX = 8 * 1024 * 1024;
