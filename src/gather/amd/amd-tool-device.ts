// What amd-smi or rocm-smi say of a card beyond sysfs. Every key may be missing, and "N/A" may stand anywhere in place of
// a number, a text, an object or a list.

export interface AmdToolDevice {
  /** PCI address, lower case: joins with sysfs. */
  readonly address: string | undefined;
  readonly name: string | undefined;
  readonly architecture: string | undefined;
  readonly computeUnits: number | undefined;
  readonly powerLimitWatts: number | undefined;
  readonly memoryTotalBytes: number | undefined;
  readonly computePartition: string | undefined;
  /** True for the entries that amd-smi lists for the further parts of one card. */
  readonly isPartition: boolean;
}
