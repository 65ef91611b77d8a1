// The product name of a machine, from its firmware: DMI on PCs and servers, the device tree on Arm boards. Firmware is
// full of placeholders that no maker filled in; those are not names.

import { type Reported, unknown } from '../../core/unknown.ts';

export interface FirmwareNames {
  readonly systemVendor: string;
  readonly productName: string;
  readonly productVersion: string;
  readonly boardVendor: string;
  readonly boardName: string;
  /** `model` of the device tree. */
  readonly deviceTreeModel: string;
}

export const machineModel = (names: FirmwareNames): Reported<string> => {
  const vendor = clean(names.systemVendor);
  // Lenovo puts an order number in the product name and the name people know in the version.
  const product =
    vendor === 'LENOVO' ? clean(names.productVersion) || clean(names.productName) : clean(names.productName);
  if (product !== '') return joined(vendor, product);
  const deviceTreeModel = clean(names.deviceTreeModel);
  if (deviceTreeModel !== '') return deviceTreeModel;
  const board = clean(names.boardName);
  if (board !== '') return joined(clean(names.boardVendor), board);
  return unknown('the firmware names no model');
};

/** "Apple M1 Max" of "apple,j316c", "apple,t6001", "apple,arm-platform": `compatible` of the device tree's root. */
export const socName = (compatible: string): string | undefined =>
  SOC_NAMES.find(([soc]) => compatible.includes(soc))?.[1];

/** "NVIDIA" + "NVIDIA_DGX_Spark" is "NVIDIA DGX Spark". */
const joined = (vendor: string, product: string): string => {
  const shortVendor = vendor.replace(LEGAL_FORM, '');
  const isNamedInProduct = product.toLowerCase().startsWith(shortVendor.toLowerCase());
  return shortVendor === '' || isNamedInProduct ? product : `${shortVendor} ${product}`;
};

const clean = (text: string): string => {
  const words = text
    .replaceAll(/[\s_\0]+/g, ' ')
    .trim()
    .slice(0, NAME_LENGTH_MAX);
  return JUNK.test(words) ? '' : words;
};

const JUNK =
  /^(?:|to be filled by o\.?e\.?m\.?|default string|system (?:product name|manufacturer|version|name)|product name|not (?:specified|applicable|available)|none|null|n\/a|unknown|undefined|empty|invalid|oem|o\.e\.m\.|standard|type1productconfigid|all series|0+|x+|[.\- ]+|0123456789|1234567890)$/i;
const LEGAL_FORM = /,? (?:inc|corp|corporation|co\.?,? ltd|ltd|gmbh|llc)\.?$/i;
const NAME_LENGTH_MAX = 120;
/** As arch/arm64/boot/dts/apple, …/qcom and arch/riscv/boot/dts write them. */
const SOC_NAMES: readonly (readonly [string, string])[] = [
  ['apple,t8103', 'Apple M1'],
  ['apple,t6000', 'Apple M1 Pro'],
  ['apple,t6001', 'Apple M1 Max'],
  ['apple,t6002', 'Apple M1 Ultra'],
  ['apple,t8112', 'Apple M2'],
  ['apple,t6020', 'Apple M2 Pro'],
  ['apple,t6021', 'Apple M2 Max'],
  ['apple,t6022', 'Apple M2 Ultra'],
  ['apple,t8122', 'Apple M3'],
  ['apple,t6030', 'Apple M3 Pro'],
  ['apple,t6031', 'Apple M3 Max'],
  ['apple,t6034', 'Apple M3 Max'],
  ['apple,t6032', 'Apple M3 Ultra'],
  ['qcom,x1e80100', 'Qualcomm Snapdragon X Elite'],
  ['qcom,x1e78100', 'Qualcomm Snapdragon X Elite'],
  ['qcom,x1p64100', 'Qualcomm Snapdragon X Plus'],
  ['qcom,x1p42100', 'Qualcomm Snapdragon X Plus'],
  ['qcom,glymur', 'Qualcomm Snapdragon X2 Elite'],
  ['sophgo,sg2042', 'Sophgo SG2042'],
  ['sophgo,sg2044', 'Sophgo SG2044'],
  ['spacemit,k1', 'SpacemiT K1'],
  ['starfive,jh7110', 'StarFive JH7110'],
];
