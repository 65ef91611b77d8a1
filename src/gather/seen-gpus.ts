// GPUs of one vendor that were listed and are not listed any more: what the kernel shows of each instead, so that no GPU
// disappears unnoticed. For as long as the daemon runs; a GPU that was given to a virtual machine is not missed.

import type { FailedGpu } from '../core/node/failed-gpu.ts';
import type { GpuDevice } from '../core/node/gpu.ts';
import { isUnknown, knownOr, unknown } from '../core/unknown.ts';
import { ueventValue } from './drm/drm-cards.ts';
import { readableNames, sysfsText } from './drm/sysfs-file.ts';
import { below, type MachinePath } from './machine-path.ts';

export interface ListedGpus {
  readonly devices: readonly GpuDevice[];
  readonly failed: readonly FailedGpu[];
}

export class SeenGpus {
  readonly #root: MachinePath;
  readonly #seen = new Map<string, Seen>();

  constructor(root: MachinePath) {
    this.#root = root;
  }

  /** What was listed before and is not now, added to what failed; a GPU that failed keeps the id and name that it had. */
  async complete({ devices, failed }: ListedGpus, nowMs: number): Promise<readonly FailedGpu[]> {
    for (const device of devices) this.#add(device);
    const named = failed.map(gpu => this.#named(gpu));
    const present = new Set([...devices, ...named].map(keyOf));
    const gone: FailedGpu[] = [];
    for (const [key, seen] of this.#seen) {
      if (present.has(key)) {
        seen.goneAtMs = undefined;
        continue;
      }
      seen.goneAtMs ??= nowMs;
      const reason = nowMs - seen.goneAtMs > MISSED_MS ? undefined : await this.#whyGone(seen.device);
      if (reason === undefined) this.#seen.delete(key);
      else gone.push(goneGpu(seen.device, reason));
    }
    // A tool may count a GPU without naming it: that is the one that is gone.
    const nameless = named.filter(isNameless).slice(gone.length);
    return [...named.filter(gpu => !isNameless(gpu)), ...gone, ...nameless];
  }

  #add(device: GpuDevice): void {
    if (this.#seen.size < SEEN_MAX || this.#seen.has(keyOf(device)))
      this.#seen.set(keyOf(device), { device, goneAtMs: undefined });
  }

  #named(gpu: FailedGpu): FailedGpu {
    const seen = this.#seen.get(keyOf(gpu))?.device;
    if (seen === undefined) return gpu;
    const { deviceId, name, index } = seen;
    return { ...gpu, deviceId, name, index: knownOr(gpu.index, index) };
  }

  /** Undefined if it was taken away on purpose. */
  async #whyGone({ pciAddress }: GpuDevice): Promise<string | undefined> {
    const folder = below(this.#root, 'sys/bus/pci/devices');
    const address = pciAddress === undefined ? '' : knownOr(pciAddress, '');
    if (address === '' || (await readableNames(folder)) === undefined) return 'it is not listed any more';
    const uevent = await sysfsText(below(folder, address, 'uevent'));
    if (isUnknown(uevent)) return 'it is not on the PCI bus any more';
    const driver = ueventValue(uevent, 'DRIVER');
    if (driver === undefined) return 'it is on the PCI bus, and no driver is bound to it';
    return GIVEN_AWAY.has(driver)
      ? undefined
      : `it is on the PCI bus with the driver ${driver}, and not listed any more`;
  }
}

interface Seen {
  readonly device: GpuDevice;
  goneAtMs: number | undefined;
}

const goneGpu = ({ deviceId, name, index, pciAddress }: GpuDevice, reason: string): FailedGpu => ({
  deviceId,
  name,
  index,
  pciAddress: pciAddress ?? unknown('not on PCI'),
  state: 'lost',
  reason,
});

const isNameless = ({ pciAddress, index }: FailedGpu): boolean => isUnknown(pciAddress) && isUnknown(index);

/** One GPU may be known by its UUID now and by its address later. */
const keyOf = ({ deviceId, pciAddress }: Pick<GpuDevice, 'deviceId' | 'pciAddress'>): string =>
  pciAddress === undefined ? deviceId : knownOr(pciAddress, deviceId);

/** Drivers that hand a device to a virtual machine. */
const GIVEN_AWAY: ReadonlySet<string> = new Set(['vfio-pci', 'pci-stub', 'xen-pciback']);
/** After a week it counts as removed. */
const MISSED_MS = 7 * 86_400_000;
const SEEN_MAX = 256;
