// Beacons on one interface: opens its socket, sends on its own schedule, receives, and retries what failed. Channels
// are independent, so none can silence another.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock/clock.ts';
import { TokenBucket } from '../../clock/token-bucket.ts';
import { pause } from '../../clock/until-aborted.ts';
import { shortReason } from '../../core/problem.ts';
import { BEACON_NONCE_BYTES, checkBeacon, encodeBeacon } from './beacon.ts';
import type { BeaconPlace } from './beacon-places.ts';
import type { BeaconSocket, OpenBeaconSocket } from './beacon-socket.ts';
import type { BeaconChannelStatus, BeaconFailure, BeaconTrouble } from './discovery-status.ts';
import { DISCOVERY_LIMITS } from './limits.ts';
import { RecentTexts } from './recent-texts.ts';

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
  received(address: string, port: number, place: BeaconPlace): void;
  trouble(trouble: BeaconTrouble): void;
}

export class BeaconChannel {
  readonly place: BeaconPlace;
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

  constructor(place: BeaconPlace, parts: BeaconChannelParts) {
    this.place = place;
    this.#parts = parts;
    const { checkBurst: burst, checksPerSecond: perSecond } = DISCOVERY_LIMITS;
    this.#checks = new TokenBucket(parts.clock, { burst, perSecond });
  }

  get status(): BeaconChannelStatus {
    const { interfaceName, family } = this.place;
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
      this.place,
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
    received(address, checked.beacon.port, this.place);
  }

  /** Reported once, until it succeeds again or fails differently. */
  #fail(action: BeaconFailure['action'], error: unknown): void {
    const code = shortReason(error);
    const former = this.#failure;
    this.#failure = { action, code };
    if (former?.action === action && former.code === code) return;
    const { interfaceName, family } = this.place;
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
