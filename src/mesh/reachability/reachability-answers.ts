// Answers the requests of others, each once, with as many bytes as the request had. Unknown addresses have a separate
// limit: unless they forge known addresses, they cannot keep this node from answering known nodes.

import type { Clock } from '../../clock/clock.ts';
import { TokenBucket } from '../../clock/token-bucket.ts';
import type { NodeId } from '../../core/ids.ts';
import { RecentTexts } from '../discovery/beacon-channel.ts';
import { type CheckKey, checkKey, encodeAnswer, readQuestion } from './check-message.ts';
import type { DatagramAddress } from './datagram-port.ts';
import { REACHABILITY_LIMITS } from './limits.ts';

interface ReachabilityAnswersParts {
  readonly clock: Clock;
  readonly localId: NodeId;
  /** `deriveSecret(clusterKey, 'reachability')` of each accepted key. */
  readonly keys: readonly Uint8Array[];
  /** As `DatagramPort.send`, from the port that others send requests to. */
  answer(bytes: Uint8Array, to: DatagramAddress): Promise<void>;
  /** Whether a node of the cluster has that address. */
  isKnown(address: string): boolean;
}

interface AnswerCounts {
  /** Requests that were answered. */
  readonly served: number;
  /** Unknown senders, garbage, replays, and what arrived too fast to be checked. */
  readonly dropped: number;
}

export class ReachabilityAnswers {
  readonly #parts: ReachabilityAnswersParts;
  readonly #received = new RecentTexts(REACHABILITY_LIMITS.noncesMax);
  readonly #known: TokenBucket;
  readonly #strangers: TokenBucket;
  #keys: readonly CheckKey[];
  #served = 0;
  #dropped = 0;

  constructor(parts: ReachabilityAnswersParts) {
    this.#parts = parts;
    this.#keys = parts.keys.map(checkKey);
    const { answerBurst, answersPerSecond, strangerBurst, strangersPerSecond } = REACHABILITY_LIMITS;
    this.#known = new TokenBucket(parts.clock, { burst: answerBurst, perSecond: answersPerSecond });
    this.#strangers = new TokenBucket(parts.clock, { burst: strangerBurst, perSecond: strangersPerSecond });
  }

  get counts(): AnswerCounts {
    return { served: this.#served, dropped: this.#dropped };
  }

  setKeys(keys: readonly Uint8Array[]): void {
    this.#keys = keys.map(checkKey);
  }

  /** A datagram arrived at the port for requests. Never throws. */
  take(bytes: Uint8Array, from: DatagramAddress): void {
    const bucket = this.#parts.isKnown(from.address) ? this.#known : this.#strangers;
    const question = bucket.take() ? readQuestion(bytes, this.#keys) : undefined;
    if (question === undefined || !this.#received.add(Buffer.from(question.nonce).toString('latin1'))) {
      this.#dropped += 1;
      return;
    }
    this.#served += 1;
    // If this is lost, the other node asks again.
    this.#parts.answer(encodeAnswer(question, this.#parts.localId), from).catch(() => undefined);
  }
}
