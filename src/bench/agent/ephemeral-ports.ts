// How many connections to one target the ephemeral ports of this machine allow: each connection needs its own, from
// the range that the system reports. Beyond it connections fail, and a person should learn that before the load does.

import { readFile } from 'node:fs/promises';
import { type Reported, unknown } from '../../core/unknown.ts';

/** Linux: /proc/sys/net/ipv4/ip_local_port_range, Documentation/networking/ip-sysctl.rst. */
export const ephemeralPorts = async (path: string = LOCAL_PORT_RANGE): Promise<Reported<number>> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return unknown('this system does not report its range of ports');
  }
  const [, low, high] = /^(\d{1,5})\s+(\d{1,5})\s*$/.exec(text) ?? [];
  const ports = Number(high) - Number(low) + 1;
  return ports > 0 ? ports : unknown('its range of ports is not understood');
};

const LOCAL_PORT_RANGE = '/proc/sys/net/ipv4/ip_local_port_range';
