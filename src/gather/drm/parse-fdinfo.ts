// What a process holds of a GPU by one of its open files: /proc/PID/fdinfo/N, of the kernel's Documentation/gpu/drm-usage-stats.rst.
// Drivers name their memory regions themselves: amdgpu "vram" and "gtt", xe "vram0" and "gtt", i915 "local0" and "system0".

import { type Reported, unknown } from '../../core/unknown.ts';

export interface DrmClient {
  /** PCI address, lower case: "0000:c1:00.0". */
  readonly address: string;
  /** The same for all files that share one. */
  readonly clientId: string;
  /** In the card's own memory. */
  readonly ownBytes: Reported<number>;
  /** In the host's, which the card may use. */
  readonly hostBytes: Reported<number>;
}

/** Undefined for a file that is no client of a card on PCI. */
export const parseFdinfo = (text: string): DrmClient | undefined => {
  const fields = new Map<string, string>();
  for (const line of text.split('\n', LINES_MAX)) {
    const [, key, reported] = /^(drm-[a-z0-9-]{1,60}):\s*(.{0,60})$/i.exec(line.trimEnd()) ?? [];
    if (key !== undefined && reported !== undefined) fields.set(key.toLowerCase(), reported.trim());
  }
  const address = fields.get('drm-pdev')?.toLowerCase();
  const clientId = fields.get('drm-client-id');
  if (address === undefined || !/^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/.test(address))
    return undefined;
  if (clientId === undefined) return undefined;
  return { address, clientId, ownBytes: foundIn(fields, OWN), hostBytes: foundIn(fields, HOST) };
};

/** Resident memory; older kernels report one figure under the name "memory", some only the requested size. */
const foundIn = (fields: ReadonlyMap<string, string>, region: RegExp): Reported<number> => {
  for (const what of ['resident', 'memory', 'total']) {
    const reported = [...fields].flatMap(([key, value]) => {
      const [, name = ''] = new RegExp(`^drm-${what}-(.+)$`).exec(key) ?? [];
      const bytes = region.test(name) ? sizeOf(value) : undefined;
      return bytes === undefined ? [] : [bytes];
    });
    if (reported.length > 0) return reported.reduce((sum, bytes) => sum + bytes, 0);
  }
  return unknown('the driver does not report it');
};

/** "23992 KiB", "16 MiB", "0": bytes without a unit. */
const sizeOf = (text: string): number | undefined => {
  const [, digits, unit = ''] = /^(\d{1,15})(?: (KiB|MiB|GiB))?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const bytes = Number(digits) * (UNITS[unit] ?? 1);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
};

const OWN = /^(?:vram|local)\d*$/;
const HOST = /^(?:gtt|system|stolen|stolen-system)\d*$/;
const UNITS: Readonly<Record<string, number>> = { KiB: 1_024, MiB: 1_048_576, GiB: 1_073_741_824 };
const LINES_MAX = 200;
