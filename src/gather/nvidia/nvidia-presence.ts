// What the machine shows of an NVIDIA GPU when nvidia-smi cannot be asked, so that "not installed" is told apart from
// "no such GPU here".

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { isUnknown } from '../../core/unknown.ts';
import { PCI_VENDORS } from '../drm/drm-cards.ts';
import { findPciDisplays } from '../drm/pci-displays.ts';
import { sysfsText } from '../drm/sysfs-file.ts';

/** Why nvidia-smi ought to be there, or undefined: this machine has nothing of NVIDIA. */
export const nvidiaTrace = async (root: string): Promise<string | undefined> => {
  const version = await sysfsText(join(root, 'proc/driver/nvidia/version'));
  if (!isUnknown(version)) {
    const driver = /Kernel Module\S*(?: for \S+)?\s+([\d.]+)/.exec(version)?.[1];
    return `the NVIDIA driver${driver === undefined ? '' : ` ${driver}`} is loaded, but nvidia-smi is not installed`;
  }
  const [display] = await findPciDisplays(root, PCI_VENDORS.nvidia);
  if (display === undefined) return undefined;
  return display.driver === undefined
    ? `an NVIDIA GPU is on the PCI bus (${display.address}), but its driver is not installed`
    : `the NVIDIA GPU ${display.address} runs on the driver ${display.driver}; nvidia-smi is not installed`;
};

/** The tool's name for PATH, or where systems keep it that do not put it there (WSL, NixOS). */
export const nvidiaTool = async (root: string): Promise<string> => {
  for (const place of PLACES_OFF_PATH) {
    const path = join(root, place);
    if (await isFile(path)) return path;
  }
  return 'nvidia-smi';
};

const isFile = async (path: string): Promise<boolean> => {
  try {
    await using file = await open(path, 'r');
    return (await file.stat()).isFile();
  } catch {
    return false; // not there, or not ours to read: PATH decides
  }
};

const PLACES_OFF_PATH = ['usr/lib/wsl/lib/nvidia-smi', 'run/opengl-driver/bin/nvidia-smi'];
