// `ibv_devices`: a header of two lines, then "name  guid", split by white space of any kind. Without RDMA on a Mac it
// prints the header alone and exits 0; on a Linux kernel without RDMA it says so on stderr and exits 1.

import { toolLines } from '../tool-lines.ts';

export interface IbvDevice {
  readonly name: string;
  /** Sixteen lower-case hex digits. */
  readonly nodeGuid: string;
}

export const parseIbvDevices = (text: string): readonly IbvDevice[] => {
  const devices: IbvDevice[] = [];
  for (const line of toolLines(text)) {
    const match = /^\s*([\w.-]{1,64})\s+([0-9a-f]{16})\s*$/i.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    devices.push({ name: match[1], nodeGuid: match[2].toLowerCase() });
    if (devices.length >= DEVICES_MAX) break;
  }
  return devices;
};

const DEVICES_MAX = 256;
