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
