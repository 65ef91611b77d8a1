// Names of Arm cores by the numbers in /proc/cpuinfo. The kernel keeps the same numbers in
// arch/arm64/include/asm/cputype.h; Arm publishes them as MIDR_EL1 values.

/** "Cortex-X925", or "implementer 0x41 part 0xd99" for one that is not in the table. */
export const armCoreName = (implementer: string, part: string): string =>
  CORE_NAMES.get(`${implementer.toLowerCase()} ${part.toLowerCase()}`) ??
  `implementer ${implementer.slice(0, 10)} part ${part.slice(0, 10)}`;

const CORE_NAMES: ReadonlyMap<string, string> = new Map([
  ['0x41 0xd03', 'Cortex-A53'],
  ['0x41 0xd04', 'Cortex-A35'],
  ['0x41 0xd05', 'Cortex-A55'],
  ['0x41 0xd07', 'Cortex-A57'],
  ['0x41 0xd08', 'Cortex-A72'],
  ['0x41 0xd09', 'Cortex-A73'],
  ['0x41 0xd0a', 'Cortex-A75'],
  ['0x41 0xd0b', 'Cortex-A76'],
  ['0x41 0xd0c', 'Neoverse-N1'],
  ['0x41 0xd0d', 'Cortex-A77'],
  ['0x41 0xd40', 'Neoverse-V1'],
  ['0x41 0xd41', 'Cortex-A78'],
  ['0x41 0xd42', 'Cortex-A78AE'],
  ['0x41 0xd44', 'Cortex-X1'],
  ['0x41 0xd46', 'Cortex-A510'],
  ['0x41 0xd47', 'Cortex-A710'],
  ['0x41 0xd48', 'Cortex-X2'],
  ['0x41 0xd49', 'Neoverse-N2'],
  ['0x41 0xd4b', 'Cortex-A78C'],
  ['0x41 0xd4d', 'Cortex-A715'],
  ['0x41 0xd4e', 'Cortex-X3'],
  ['0x41 0xd4f', 'Neoverse-V2'],
  ['0x41 0xd80', 'Cortex-A520'],
  ['0x41 0xd81', 'Cortex-A720'],
  ['0x41 0xd82', 'Cortex-X4'],
  ['0x41 0xd83', 'Neoverse-V3AE'],
  ['0x41 0xd84', 'Neoverse-V3'],
  ['0x41 0xd85', 'Cortex-X925'],
  ['0x41 0xd87', 'Cortex-A725'],
  ['0x41 0xd8e', 'Neoverse-N3'],
  ['0x46 0x001', 'A64FX'],
  ['0x48 0xd01', 'TSV110'],
  ['0x4e 0x003', 'Denver 2'],
  ['0x4e 0x004', 'Carmel'],
  ['0x51 0x001', 'Oryon'],
  ['0xc0 0xac3', 'AmpereOne'],
  ['0xc0 0xac4', 'AmpereOne-A'],
]);
