// Both ends of a connection under one secret on loopback, through the listener and the dialler of every channel.

import type { TLSSocket } from 'node:tls';
import { GuardedListener } from '../../src/channel/guarded-listener.ts';
import { dialByPsk, pskProof } from '../../src/channel/psk-proof.ts';
import { systemClock } from '../../src/clock/system-clock.ts';

export const TEST_SECRET: { readonly id: string; readonly psk: Uint8Array } = {
  id: 'test/1',
  psk: new Uint8Array(32).fill(7),
};

type Limits = ConstructorParameters<typeof GuardedListener>[0]['limits'];

export interface PskHost extends AsyncDisposable {
  readonly port: number;
  /** Sockets with the secret, in order of arrival. */
  readonly opened: readonly TLSSocket[];
  readonly refusals: readonly string[];
  until(isReached: () => boolean): Promise<void>;
}

export const pskHost = async (
  limits: Partial<Limits> = {},
  secret: () => Uint8Array | undefined = () => TEST_SECRET.psk,
): Promise<PskHost> => {
  const opened: TLSSocket[] = [];
  const refusals: string[] = [];
  let changed = Promise.withResolvers<void>();
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const all = { ...LIMITS, ...limits };
  const listener = new GuardedListener({
    clock: systemClock,
    limits: all,
    prove: pskProof({
      handshakeMs: all.handshakeMs,
      pskOf: id => (id === TEST_SECRET.id ? secret() : undefined),
      opened: (socket, visit) => {
        if (visit.pass()) opened.push(socket);
        else socket.destroy();
        change();
      },
    }),
    refused: (_address, reason, detail) => {
      refusals.push(`${reason}: ${detail}`);
      change();
    },
  });
  const { port } = await listener.listen({ host: '127.0.0.1', port: 0 });
  listener.accept();
  return {
    port,
    opened,
    refusals,
    until: async isReached => {
      while (!isReached()) await changed.promise;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of opened) socket.destroy();
      await listener.close();
    },
  };
};

/** @throws what the dial reports instead of a connection. */
export const pskSocket = async (port: number, secret = TEST_SECRET): Promise<TLSSocket> => {
  const dialled = await dialByPsk(secret, { host: '127.0.0.1', port }, AbortSignal.timeout(30_000));
  if (dialled.kind === 'open') return dialled.socket;
  throw dialled.kind === 'no-secret' ? new Error('opened without the secret') : dialled.error;
};

const LIMITS: Limits = {
  handshakeMs: 30_000,
  handshakesMax: 64,
  handshakesPerAddressMax: 64,
  openMax: 64,
  replacedAfterMs: 0,
  replacesOwn: false,
};
