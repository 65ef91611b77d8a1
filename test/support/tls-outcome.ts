// How a TLS handshake of a test ended.

import type { TLSSocket } from 'node:tls';

/** Whether TLS is accepted: with TLS 1.3 a client may think so until the server has replied. */
export const outcomeOf = (socket: TLSSocket): Promise<'secured' | 'refused'> =>
  new Promise(resolve => {
    socket.on('error', () => resolve('refused'));
    socket.once('close', () => resolve('refused'));
    socket.once('secureConnect', () => resolve('secured'));
  });
