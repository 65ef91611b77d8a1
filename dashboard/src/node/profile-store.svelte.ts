// Requests the history of a node's devices from the daemon: again after a new measurement, or for another time span.

import type { FigurePoint } from '../../../src/wire/api/figure-points.ts';
import { fetchProfiles, HISTORY_RETRY_MS } from '../stream/profile-rows.ts';
import { profilePoints } from './profile-history.ts';

const ROWS_MAX = 2_500;

export interface RequestedDevice {
  readonly deviceId: string;
  /** When its newest figures came, on this tab's clock, ms; undefined where it has none. */
  readonly receivedAtMs: number | undefined;
}

export class ProfileStore {
  /** By device; none that was not answered yet. */
  points: ReadonlyMap<string, readonly FigurePoint[]> = $state.raw(new Map());
  /** Nothing was answered yet. */
  isWaiting: boolean = $state(true);
  /** Why the past of a device could not be read; '' where it was. */
  failure: string = $state('');
  #requested = '';
  #failedAtMs = Number.NEGATIVE_INFINITY;

  /** Does nothing while the same devices have the same newest figures. */
  async request(node: string, devices: readonly RequestedDevice[], backMs: number): Promise<void> {
    const requested = JSON.stringify([node, devices, backMs]);
    const isRetry = this.failure !== '' && performance.now() - this.#failedAtMs >= HISTORY_RETRY_MS;
    if (requested === this.#requested && !isRetry) return;
    this.#requested = requested;
    const answers = await Promise.all(
      devices.map(async ({ deviceId }) => [deviceId, await historyOf(node, deviceId, backMs)] as const),
    );
    // Another span may have been picked before these replies arrived.
    if (requested !== this.#requested) return;
    const failed = answers.flatMap(([, answer]) => (answer.kind === 'refused' ? [answer.reason] : []));
    this.failure = failed[0] ?? '';
    if (failed.length > 0) this.#failedAtMs = performance.now();
    this.points = new Map(
      answers.map(([deviceId, answer]) => [
        deviceId,
        answer.kind === 'here' ? profilePoints(answer.value) : [],
      ]),
    );
    this.isWaiting = false;
  }
}

const historyOf = (node: string, key: string, backMs: number): ReturnType<typeof fetchProfiles> =>
  fetchProfiles({ node, slot: 'gpu', key, backMs: String(backMs), limit: String(ROWS_MAX) });
