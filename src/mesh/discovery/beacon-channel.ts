// Beacons on one interface: opens its socket, sends on its own schedule, receives, and retries what failed. Channels
// are independent, so none can silence another.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, pause } from '../../clock/clock.ts';
import { TokenBucket } from '../../clock/token-bucket.ts';
import { shortReason } from '../../core/problem.ts';
import type { BeaconEndpoint } from './beacon-endpoints.ts';
import type { BeaconSocket, OpenBeaconSocket } from './beacon-socket.ts';
import type { BeaconChannelStatus, BeaconFailure, BeaconTrouble } from './discovery-status.ts';
import { DISCOVERY_LIMITS } from './limits.ts';

export interface BeaconChannelParts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly openSocket: OpenBeaconSocket;
  readonly beaconPort: number;
  readonly reachesOwnMachine: boolean;
  /** Version of the mesh protocol. */
  readonly version: number;
  /** Where this node accepts links; undefined: it only listens. */
  readonly listenPort: number | undefined;
  /** The nonces of this node: its beacons may come back over another of its interfaces. */
  readonly ownNonces: RecentTexts;
  tagKeys(): readonly Uint8Array[];
  received(address: string, port: number, endpoint: BeaconEndpoint): void;
  trouble(trouble: BeaconTrouble): void;
}

export class BeaconChannel {
  readonly endpoint: BeaconEndpoint;
  readonly #parts: BeaconChannelParts;
  readonly #checks: TokenBucket;
  readonly #receivedNonces = new RecentTexts(DISCOVERY_LIMITS.noncesMax);
  #failure: BeaconFailure | undefined;
  #isOpen = false;
  #sentCount = 0;
  #receivedCount = 0;
  #otherKeyCount = 0;
  #droppedCount = 0;
  #lastSeenAtMs: number | undefined;

  constructor(endpoint: BeaconEndpoint, parts: BeaconChannelParts) {
    this.endpoint = endpoint;
    this.#parts = parts;
    const { checkBurst: burst, checksPerSecond: perSecond } = DISCOVERY_LIMITS;
    this.#checks = new TokenBucket(parts.clock, { burst, perSecond });
  }

  get status(): BeaconChannelStatus {
    const { interfaceName, family } = this.endpoint;
    return {
      interfaceName,
      family,
      isOpen: this.#isOpen,
      failure: this.#failure,
      sentCount: this.#sentCount,
      receivedCount: this.#receivedCount,
      otherKeyCount: this.#otherKeyCount,
      droppedCount: this.#droppedCount,
      lastSeenAtMs: this.#lastSeenAtMs,
    };
  }

  /** Until the abort; never rejects otherwise. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      const broken = new AbortController();
      try {
        await this.#serve(AbortSignal.any([signal, broken.signal]), broken);
      } catch (error) {
        if (signal.aborted) return;
        if (!broken.signal.aborted) this.#fail('open', error);
      } finally {
        this.#isOpen = false;
      }
      await pause(clock, DISCOVERY_LIMITS.rescanMs, signal);
    }
  }

  async #serve(signal: AbortSignal, broken: AbortController): Promise<void> {
    const { clock, random, openSocket, beaconPort: port, reachesOwnMachine, listenPort } = this.#parts;
    await using socket = await openSocket(
      this.endpoint,
      { port, reachesOwnMachine },
      {
        datagram: (bytes, address) => this.#take(bytes, address),
        failed: error => {
          this.#fail('listen', error);
          broken.abort();
        },
      },
    );
    this.#isOpen = true;
    let sentHere = 0;
    for (let failures = 0; failures < DISCOVERY_LIMITS.sendFailuresMax; ) {
      signal.throwIfAborted();
      const isSent = listenPort === undefined || (await this.#send(socket, listenPort, signal));
      if (isSent) {
        failures = 0;
        sentHere += 1;
        this.#failure = undefined;
        await clock.sleep(pauseAfterBeaconMs(sentHere, random), signal);
      } else {
        failures += 1;
        await clock.sleep(DISCOVERY_LIMITS.rescanMs, signal);
      }
    }
  }

  /** One beacon under each accepted key: during a key change, peers may know only one of the two. */
  async #send(socket: BeaconSocket, port: number, signal: AbortSignal): Promise<boolean> {
    const { version, ownNonces, tagKeys } = this.#parts;
    try {
      for (const tagKey of tagKeys()) {
        const nonce = randomBytes(BEACON_NONCE_BYTES);
        ownNonces.add(nonce.toString('hex'));
        await socket.send(encodeBeacon({ version, port, nonce }, tagKey));
        this.#sentCount += 1;
      }
      return true;
    } catch (error) {
      if (!signal.aborted) this.#fail('send', error);
      return false;
    }
  }

  #take(bytes: Uint8Array, address: string): void {
    if (!this.#checks.take()) {
      this.#droppedCount += 1;
      return;
    }
    const { clock, ownNonces, received, tagKeys } = this.#parts;
    const checked = checkBeacon(bytes, tagKeys());
    if (checked.kind !== 'beacon') {
      if (checked.kind === 'other-key') this.#otherKeyCount += 1;
      else this.#droppedCount += 1;
      return;
    }
    const nonce = Buffer.from(checked.beacon.nonce).toString('hex');
    if (ownNonces.has(nonce)) return;
    if (!this.#receivedNonces.add(nonce)) {
      this.#droppedCount += 1;
      return;
    }
    this.#receivedCount += 1;
    this.#lastSeenAtMs = clock.nowMs();
    received(address, checked.beacon.port, this.endpoint);
  }

  /** Reported once, until it succeeds again or fails differently. */
  #fail(action: BeaconFailure['action'], error: unknown): void {
    const code = shortReason(error);
    const former = this.#failure;
    this.#failure = { action, code };
    if (former?.action === action && former.code === code) return;
    const { interfaceName, family } = this.endpoint;
    this.#parts.trouble({ interfaceName, family, action, code });
  }
}

/**
 * @param sentCount beacons sent so far on this interface.
 * @param random from 0 to below 1.
 */
export const pauseAfterBeaconMs = (sentCount: number, random: () => number): number => {
  const { quickBeacons, quickBeaconMs, beaconMsMin, beaconMsMax } = DISCOVERY_LIMITS;
  if (sentCount < quickBeacons) return quickBeaconMs;
  return beaconMsMin + random() * (beaconMsMax - beaconMsMin);
};

// The last N texts, to notice one that comes again. The oldest is forgotten first.
export class RecentTexts {
  readonly #max: number;
  readonly #texts = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  /** @returns false when it was there already. */
  add(text: string): boolean {
    if (this.#texts.has(text)) return false;
    this.#texts.add(text);
    const [oldest] = this.#texts;
    if (this.#texts.size > this.#max && oldest !== undefined) this.#texts.delete(oldest);
    return true;
  }
}

// One beacon, 56 bytes: what a node announces on every link. Without the cluster key it reveals only that some Plimsoll
// is there, and its port; the nonce makes every tag look new, so not even two beacons of one cluster can be matched.
interface Beacon {
  /**
   * Of the mesh protocol. The tag covers it; a peer with another version is still a candidate; dialling it reports the
   * mismatch.
   */
  readonly version: number;
  /** Where the node accepts links. */
  readonly port: number;
  /** BEACON_NONCE_BYTES, new for each datagram. */
  readonly nonce: Uint8Array;
}

type CheckedBeacon =
  | { readonly kind: 'beacon'; readonly beacon: Beacon }
  /** It has the shape of a beacon, but under a key that is not ours. */
  | { readonly kind: 'other-key' }
  | { readonly kind: 'not-a-beacon' };

/** @param tagKey from `deriveSecret(key, 'beacon')`. */
export const encodeBeacon = ({ version, port, nonce }: Beacon, tagKey: Uint8Array): Uint8Array => {
  const bytes = Buffer.alloc(BEACON_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt16BE(version, AT_VERSION);
  bytes.writeUInt16BE(port, AT_PORT);
  bytes.set(nonce, AT_NONCE);
  bytes.set(tagOf(bytes, tagKey), AT_TAG);
  return bytes;
};

/** Never throws. Every key is tried, in constant time, so timing does not reveal which one fits. */
export const checkBeacon = (bytes: Uint8Array, tagKeys: readonly Uint8Array[]): CheckedBeacon => {
  if (bytes.length !== BEACON_BYTES || MAGIC.some((byte, index) => bytes[index] !== byte))
    return { kind: 'not-a-beacon' };
  const reported = bytes.subarray(AT_TAG);
  const fits = tagKeys.filter(tagKey => timingSafeEqual(tagOf(bytes, tagKey), reported));
  if (fits.length === 0) return { kind: 'other-key' };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const port = view.getUint16(AT_PORT);
  if (port === 0) return { kind: 'not-a-beacon' };
  const nonce = new Uint8Array(bytes.subarray(AT_NONCE, AT_TAG));
  return { kind: 'beacon', beacon: { version: view.getUint16(AT_VERSION), port, nonce } };
};

const tagOf = (bytes: Uint8Array, tagKey: Uint8Array): Buffer =>
  createHmac('sha256', tagKey).update('plimsoll beacon\0').update(bytes.subarray(0, AT_TAG)).digest();

export const BEACON_NONCE_BYTES = 16;
/** The last character is the version of this layout. */
const MAGIC = Buffer.from('PLB1');
const AT_VERSION = 4;
const AT_PORT = 6;
const AT_NONCE = 8;
const AT_TAG = AT_NONCE + BEACON_NONCE_BYTES;
export const BEACON_BYTES: number = AT_TAG + 32;
