// What is known of Intel's graphics by the PCI id alone: the name, for machines without a list of names (pci.ids) or with one that is
// older than the card, and the memory of cards of which there is one size, because the drivers report it nowhere in sysfs. From
// pci.ids, Mesa (include/pci_ids) and Intel's product pages (ark.intel.com).

interface IntelModel {
  readonly name: string;
  /** GiB as sold; several if cards of this id differ. */
  readonly memoryGib: readonly number[];
}

export const intelModel = (device: number): IntelModel | undefined => {
  const [name, ...memoryGib] = MODELS.get(device) ?? [];
  return name === undefined ? undefined : { name, memoryGib };
};

const MODELS: ReadonlyMap<number, readonly [name: string, ...memoryGib: readonly number[]]> = new Map<
  number,
  readonly [name: string, ...memoryGib: readonly number[]]
>([
  // Alchemist (DG2)
  [0x56a0, ['Arc A770', 8, 16]],
  [0x56a1, ['Arc A750', 8]],
  [0x56a2, ['Arc A580', 8]],
  [0x56a5, ['Arc A380', 6]],
  [0x56a6, ['Arc A310', 4]],
  [0x5690, ['Arc A770M', 16]],
  [0x5691, ['Arc A730M', 12]],
  [0x5692, ['Arc A550M', 8]],
  [0x5693, ['Arc A370M', 4]],
  [0x5694, ['Arc A350M', 4]],
  [0x56b0, ['Arc Pro A30M', 4]],
  [0x56b1, ['Arc Pro A40/A50', 6]],
  [0x56b2, ['Arc Pro A60M', 8]],
  [0x56b3, ['Arc Pro A60', 12]],
  [0x56c0, ['Data Center GPU Flex 170']],
  [0x56c1, ['Data Center GPU Flex 140']],
  // Battlemage
  [0xe20b, ['Arc B580', 12]],
  [0xe20c, ['Arc B570', 10]],
  [0xe211, ['Arc Pro B60', 24]],
  [0xe212, ['Arc Pro B50', 16]],
  // Ponte Vecchio
  [0x0bd5, ['Data Center GPU Max 1550']],
  [0x0bd6, ['Data Center GPU Max 1550']],
  [0x0bd9, ['Data Center GPU Max 1100']],
  [0x0bda, ['Data Center GPU Max 1100']],
  [0x0bdb, ['Data Center GPU Max 1100']],
  // In processors
  [0x9a40, ['Iris Xe Graphics (Tiger Lake)']],
  [0x9a49, ['Iris Xe Graphics (Tiger Lake)']],
  [0x9a78, ['UHD Graphics (Tiger Lake)']],
  [0x46a6, ['Iris Xe Graphics (Alder Lake)']],
  [0x46a8, ['Iris Xe Graphics (Alder Lake)']],
  [0x46aa, ['Iris Xe Graphics (Alder Lake)']],
  [0xa7a0, ['Iris Xe Graphics (Raptor Lake)']],
  [0xa7a1, ['Iris Xe Graphics (Raptor Lake)']],
  [0xa780, ['UHD Graphics 770 (Raptor Lake)']],
  [0x7d55, ['Arc Graphics (Meteor Lake)']],
  [0x7d51, ['Arc Graphics (Arrow Lake)']],
  [0x64a0, ['Arc Graphics 130V/140V (Lunar Lake)']],
]);
