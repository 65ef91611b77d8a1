// Asks the daemon for the past of a node's devices: again when one was measured anew, or another span is wanted.

import type { ProfilePoint } from './profile-history.ts';
import { profilePoints } from './profile-history.ts';

const ROWS_MAX = 2_500;

export interface AskedDevice {
  readonly deviceId: string;
  /** When its newest figures came, on this tab's clock, ms; undefined where it has none. */
  readonly receivedAtMs: number | undefined;
}

export class ProfileStore {
  /** By device; none that was not answered yet. */
  points: ReadonlyMap<string, readonly ProfilePoint[]> = $state.raw(new Map());
  /** Nothing was answered yet. */
  isWaiting: boolean = $state(true);
  #asked = '';

  /** Does nothing while the same devices have the same newest figures. */
  async ask(node: string, devices: readonly AskedDevice[], backMs: number): Promise<void> {
    const asked = JSON.stringify([node, devices, backMs]);
    if (asked === this.#asked) return;
    this.#asked = asked;
    const answers = await Promise.all(
      devices.map(async ({ deviceId }) => [deviceId, await pointsOf(node, deviceId, backMs)] as const),
    );
    // Another span may have been picked while these answers were on their way.
    if (asked !== this.#asked) return;
    this.points = new Map(answers);
    this.isWaiting = false;
  }
}

const pointsOf = async (node: string, key: string, backMs: number): Promise<readonly ProfilePoint[]> => {
  const query = new URLSearchParams({
    node,
    slot: 'gpu',
    key,
    backMs: String(backMs),
    limit: String(ROWS_MAX),
  });
  const answer = await fetch(`/api/history?${query}`, { cache: 'no-store' }).catch(() => undefined);
  const body: unknown = answer?.ok === true ? await answer.json().catch(() => undefined) : undefined;
  return profilePoints(body);
};
