// The listener of an agent. A peer with its secret gets a channel. Any other peer gets no reply beyond TLS's own
// refusal, and the number of its handshakes is limited: in parallel, in all and by address, and by second.

import type { FramePipe } from '../../../channel/frame-pipe.ts';
import { GuardedListener } from '../../../channel/guarded-listener.ts';
import { pskProof } from '../../../channel/psk-proof.ts';
import { SocketPipe } from '../../../channel/socket-pipe.ts';
import type { Clock } from '../../../clock/clock.ts';
import { AGENT_MESSAGE_BYTES_MAX } from '../../../wire/agent-message.ts';
import { AGENT_IDENTITY, agentPsk } from './agent-code.ts';

interface AgentListenerOptions {
  /** The secret that is accepted now; undefined: none, as when it is used up. Read at each handshake. */
  readonly secret: () => string | undefined;
  readonly clock: Clock;
  /** Called for a peer with the secret. */
  readonly onPipe: (pipe: FramePipe, from: string) => void;
  /** Connections refused so far: without the secret, too slow, too many. */
  readonly onStrangers?: (count: number) => void;
  /** For the whole handshake. Default 5 s, twice what it takes across the world. */
  readonly handshakeMs?: number;
}

export class AgentListener {
  readonly #listener: GuardedListener;
  #strangers = 0;

  constructor({ secret, clock, onPipe, onStrangers, handshakeMs = HANDSHAKE_MS_MAX }: AgentListenerOptions) {
    this.#listener = new GuardedListener({
      clock,
      limits: { ...LIMITS, handshakeMs },
      prove: pskProof({
        handshakeMs,
        pskOf: id => {
          const current = secret();
          return id === AGENT_IDENTITY && current !== undefined ? agentPsk(current) : undefined;
        },
        opened: (socket, visit) => {
          if (!visit.pass()) {
            socket.destroy();
            return;
          }
          socket.setKeepAlive(true, KEEP_ALIVE_MS);
          onPipe(new SocketPipe(socket, AGENT_MESSAGE_BYTES_MAX), visit.address.host);
        },
      }),
      refused: () => {
        this.#strangers += 1;
        onStrangers?.(this.#strangers);
      },
    });
  }

  get strangers(): number {
    return this.#strangers;
  }

  /** Returns the port. @throws the system's error. */
  async listen(host: string, port: number): Promise<number> {
    const at = await this.#listener.listen({ host, port });
    this.#listener.accept();
    return at.port;
  }

  /** Accepts no more connections, and resolves when the users of open channels have closed them. */
  async close(): Promise<void> {
    await this.#listener.close();
  }
}

const HANDSHAKE_MS_MAX = 5_000;
const LIMITS = {
  handshakesMax: 32,
  handshakesPerAddressMax: 8,
  /** One coordinator, and a few more that receive "busy". */
  openMax: 4,
  /** At two a second, the chance to guess one of 2^128 stays negligible. */
  rate: { burst: 20, perSecond: 2 },
  replacedAfterMs: 0,
  replacesOwn: true,
} as const;
const KEEP_ALIVE_MS = 1_000;
