// Recorded outputs that no row reads yet, with the reason. It must become empty.

export const NOT_YET: Readonly<Record<string, string>> = {
  'nvidia-smi/topo-one-gpu-ansi.txt': 'nothing here runs nvidia-smi topo',
};
