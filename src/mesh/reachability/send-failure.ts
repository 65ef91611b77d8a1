// Why the system did not accept a datagram, as text.

import { errorCode } from '../../core/problem.ts';

export const sendFailure = (error: unknown): string => {
  const code = errorCode(error) ?? '';
  return SEND_FAILURES[code] ?? (code === '' ? 'nothing can be sent to it' : code);
};

const SEND_FAILURES: Readonly<Record<string, string>> = {
  ENETUNREACH: 'no route to that network',
  EHOSTUNREACH: 'no route to that address',
  EADDRNOTAVAIL: 'the interface has no address for it',
  EINVAL: 'the interface is gone',
  ENODEV: 'the interface is gone',
  ENXIO: 'the interface is gone',
  ENETDOWN: 'the interface is down',
  EPERM: 'a firewall of this machine forbids it',
  EACCES: 'a firewall of this machine forbids it',
};
