// Recorded outputs that no row reads yet, with the reason. It must become empty.

const GPUS = 'no rows for this kind of output yet';

export const NOT_YET: Readonly<Record<string, string>> = {
  'nvidia-smi/topo-one-gpu-ansi.txt': 'nothing here runs nvidia-smi topo',
  'sysfs-drm/intel-arc-a380-i915.json': GPUS,
  'sysfs-drm/intel-arc-b580-xe-6.16.json': GPUS,
  'sysfs-drm/intel-tiger-lake-xe.json': GPUS,
  'sysfs/class-net-proxmox-bridge-with-vm.json': 'a bridge does not take the type of its physical member yet',
};
