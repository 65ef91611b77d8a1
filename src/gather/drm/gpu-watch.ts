// A machine without a GPU of a vendor may get one while it runs: over Thunderbolt, from a hypervisor, or when its driver is loaded.

import type { GatherSession } from '../gatherer.ts';
import { below, type MachinePath } from '../machine-path.ts';
import { readableNames } from './sysfs-file.ts';

interface GpuWatch {
  readonly root: MachinePath;
  readonly intervalMs: number;
  /** @throws Error with the reason when there is one that cannot be read. */
  readonly isHere: () => Promise<boolean>;
  /** Called once, if there is none at first. */
  readonly onAbsent: () => void;
}

/**
 * Resolves with true as soon as there is one. It lists two folders each time and looks closer only if they have changed. False when the
 * session has stopped, or at once on a system that shows no such folders, where nothing can be waited for.
 */
export const gpuIsHere = async (
  { clock, signal }: Pick<GatherSession, 'clock' | 'signal'>,
  { root, intervalMs, isHere, onAbsent }: GpuWatch,
): Promise<boolean> => {
  let seen: string | undefined;
  while (!signal.aborted) {
    const shown = await shownDevices(root);
    if (shown !== seen || shown === undefined) {
      if (await isHere()) return true;
      if (seen === undefined) onAbsent();
      if (shown === undefined) return false;
      seen = shown;
    }
    try {
      await clock.sleep(intervalMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  return false;
};

/** The names of devices on the PCI bus, of graphics cards, and of NVIDIA's GPUs; undefined if the system lists neither of them. */
const shownDevices = async (root: MachinePath): Promise<string | undefined> => {
  const folders = await Promise.all(
    ['sys/bus/pci/devices', 'sys/class/drm', 'proc/driver/nvidia/gpus'].map(path =>
      readableNames(below(root, path)),
    ),
  );
  return folders.every(names => names === undefined)
    ? undefined
    : folders.map(names => (names ?? []).join(' ')).join(';');
};
