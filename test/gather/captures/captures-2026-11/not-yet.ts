// Recorded outputs that no row reads yet, with the reason. It must become empty.

export const NOT_YET: Readonly<Record<string, string>> = {
  'nvidia-smi/topo-one-gpu-ansi.txt': 'nothing here runs nvidia-smi topo',
  'sysfs/class-net-proxmox-bridge-with-vm.json': 'a bridge does not take the type of its physical member yet',
};
