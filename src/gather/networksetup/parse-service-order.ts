// `networksetup -listnetworkserviceorder`: two lines a service, "(3) name", with an asterisk for the number when the
// service is disabled, and "(Hardware Port: …, Device: bridge0)". A VPN has no device.

import { toolLines } from '../tool-lines.ts';

export interface NetworkService {
  readonly name: string;
  readonly device: string;
  readonly isEnabled: boolean;
}

export const parseServiceOrder = (text: string): readonly NetworkService[] => {
  const services: NetworkService[] = [];
  let named: { readonly name: string; readonly isEnabled: boolean } | undefined;
  for (const line of toolLines(text)) {
    const device = /^\(Hardware Port: .*, Device: ([^\s,)]*)\)\s*$/.exec(line);
    if (device !== null) {
      if (named !== undefined) services.push({ ...named, device: device[1] ?? '' });
      named = undefined;
      if (services.length >= SERVICES_MAX) break;
      continue;
    }
    const name = /^\((\d+|\*)\) (\S.{0,200}?)\s*$/.exec(line);
    if (name?.[2] !== undefined) named = { name: name[2], isEnabled: name[1] !== '*' };
  }
  return services;
};

const SERVICES_MAX = 256;
