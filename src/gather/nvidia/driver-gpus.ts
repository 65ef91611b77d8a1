// The GPUs that NVIDIA's kernel driver has, from /proc/driver/nvidia/gpus: a GPU that fell off the bus is still there, with its model,
// while nvidia-smi lists it no more and may print nothing of it.

import type { FailedGpu } from '../../core/node/failed-gpu.ts';
import { isUnknown, knownOr, unknown } from '../../core/unknown.ts';
import { sysfsNames, sysfsText } from '../drm/sysfs-file.ts';
import { below, type MachinePath } from '../machine-path.ts';
import type { ListedGpus } from '../seen-gpus.ts';
import { type LostMessage, pciAddress } from './lost-gpu.ts';

/** With what the driver has beyond the list of nvidia-smi, and with the driver's names for GPUs that the tool only numbers. */
export const withDriverGpus = async (
  root: MachinePath,
  { devices, failed }: ListedGpus,
): Promise<ListedGpus> => {
  const ofDriver = await driverGpus(root);
  const listed = devices.map(device => knownOr(device.pciAddress ?? unknown(''), ''));
  // Without every address it cannot be seen which of them is missing.
  if (listed.includes('')) return { devices, failed };
  const named = failed.map((gpu): FailedGpu => {
    const match = ofDriver.find(({ address }) => address === gpu.pciAddress);
    const isAddressAlone = gpu.deviceId === gpu.pciAddress;
    return match === undefined || !isAddressAlone
      ? gpu
      : { ...gpu, deviceId: match.uuid ?? gpu.deviceId, name: match.name };
  });
  const known = [...listed, ...named.map(gpu => knownOr(gpu.pciAddress, ''))];
  const missing = ofDriver
    .filter(({ address, isForUs }) => isForUs && !known.includes(address))
    .map(
      ({ address, name, uuid }): FailedGpu => ({
        deviceId: uuid ?? address,
        name,
        index: unknown('nvidia-smi does not list it'),
        pciAddress: address,
        state: 'lost',
        reason: 'the driver has it, and nvidia-smi does not list it',
      }),
    );
  // One that the tool counts without naming it is one of those.
  const nameless = named.filter(gpu => isUnknown(gpu.pciAddress) && isUnknown(gpu.index));
  return {
    devices,
    failed: [...named.filter(gpu => !nameless.includes(gpu)), ...missing, ...nameless.slice(missing.length)],
  };
};

/** The addresses of the driver's GPUs except the lost ones; none if it does not show them. */
export const otherGpus = async (
  root: MachinePath,
  lost: readonly LostMessage[],
): Promise<readonly string[]> => {
  const gone = lost.map(({ address }) => address);
  if (gone.includes(undefined)) return [];
  const ofDriver = await driverGpus(root);
  return ofDriver
    .filter(({ address, isForUs }) => isForUs && !gone.includes(address))
    .map(gpu => gpu.address);
};

interface DriverGpu {
  readonly address: string;
  readonly name: string;
  readonly uuid: string | undefined;
  /** Not excluded by a setting of the driver, and its device file is here: a container may have only some of them. */
  readonly isForUs: boolean;
}

const driverGpus = async (root: MachinePath): Promise<readonly DriverGpu[]> => {
  const folder = below(root, 'proc/driver/nvidia/gpus');
  const names = (await sysfsNames(folder)).filter(name => ADDRESS.test(name)).slice(0, GPUS_MAX);
  return Promise.all(
    names.map(async name => {
      const printed = await sysfsText(below(folder, name, 'information'));
      const field = (label: string): string =>
        new RegExp(`^${label}:[ \\t]*(.*)$`, 'm').exec(knownOr(printed, ''))?.[1]?.trim() ?? '';
      const [model, uuid, minor] = [field('Model'), field('GPU UUID'), field('Device Minor')];
      return {
        address: pciAddress(name),
        name: model === '' || model === 'Unknown' ? 'NVIDIA GPU' : model.slice(0, 200),
        // Of a GPU that was never opened it is "GPU-????????-…".
        uuid: UUID.test(uuid) ? uuid : undefined,
        isForUs:
          !/^yes$/i.test(field('GPU Excluded')) &&
          /^\d{1,3}$/.test(minor) &&
          (await exists(below(root, `dev/nvidia${minor}`))),
      };
    }),
  );
};

const exists = async (path: MachinePath): Promise<boolean> => {
  try {
    await path.tree.kind(path.path);
    return true;
  } catch {
    return false; // not there, or not ours to see: then the tool cannot open it either
  }
};

const ADDRESS = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$/i;
const UUID = /^GPU-[0-9a-f]{8}-[0-9a-f-]{27}$/i;
const GPUS_MAX = 256;
