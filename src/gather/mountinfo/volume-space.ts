// Space of one volume, with a time limit. A query about a network file system whose server is gone never returns and
// occupies one of the few threads of the runtime's pool: such a volume is not queried again until it has answered, and
// at most two of them are waited for at a time.

import fs from 'node:fs/promises';
import type { Clock } from '../../clock/clock.ts';
import type { DiskVolume } from '../../core/node/disk.ts';
import { errorMessage } from '../../core/problem.ts';
import type { ReasonCode } from '../../core/unknown.ts';
import type { Volume } from './choose-volumes.ts';

type VolumeSpace =
  | { readonly kind: 'volume'; readonly volume: DiskVolume }
  /** Not a place to store anything: a file that was mounted on, a pseudo file system. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly reason: string; readonly code?: ReasonCode };

/** `fs.statfs` with bigints, whose `frsize` is the unit of the block counts if the runtime has it. */
export type ReadSpace = (path: string) => Promise<SpaceAnswer>;

export interface SpaceAnswer {
  readonly isFolder: boolean;
  readonly totalBytes: bigint;
  readonly availableBytes: bigint;
}

export class VolumeSpaces {
  readonly #request: ReadSpace;
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #silent = new Set<string>();

  constructor(request: ReadSpace, options: { readonly clock: Clock; readonly waitMs: number }) {
    this.#request = request;
    this.#clock = options.clock;
    this.#waitMs = options.waitMs;
  }

  /** @throws only the signal's reason, when it aborts. */
  async read(volume: Volume, signal: AbortSignal): Promise<VolumeSpace> {
    const { mountPoint } = volume;
    if (this.#silent.has(mountPoint))
      return { kind: 'failed', reason: `${mountPoint} still does not answer`, code: 'no-answer' };
    if (volume.isRemote && this.#silent.size >= SILENT_MAX) {
      return { kind: 'failed', reason: `${mountPoint} is not read while other volumes do not answer` };
    }
    this.#silent.add(mountPoint);
    const answered = this.#request(mountPoint)
      .then(
        answer => spaceOf(volume, answer),
        (error: unknown): VolumeSpace => ({
          kind: 'failed',
          reason: `${mountPoint}: ${errorMessage(error)}`,
        }),
      )
      .finally(() => this.#silent.delete(mountPoint));
    const giveUp = new AbortController();
    const late: Promise<VolumeSpace> = this.#clock
      .sleep(this.#waitMs, AbortSignal.any([signal, giveUp.signal]))
      .then(() => ({
        kind: 'failed',
        reason: `${mountPoint} gave no answer in ${this.#waitMs} ms`,
        code: 'no-answer',
      }));
    late.catch(() => {}); // given up, or aborted: the race below decides which
    try {
      return await Promise.race([answered, late]);
    } finally {
      giveUp.abort();
    }
  }
}

export const statfsSpace: ReadSpace = async path => {
  // One after the other: each holds a thread of the pool while it waits.
  const space = await fs.statfs(path, { bigint: true });
  const status = await fs.stat(path);
  const unit =
    'frsize' in space && typeof space.frsize === 'bigint' && space.frsize > 0n ? space.frsize : space.bsize;
  return {
    isFolder: status.isDirectory(),
    totalBytes: space.blocks * unit,
    availableBytes: space.bavail * unit,
  };
};

const spaceOf = (volume: Volume, { isFolder, totalBytes, availableBytes }: SpaceAnswer): VolumeSpace => {
  if (!isFolder || totalBytes <= 0n) return { kind: 'none' };
  const { mountPoint, device, fileSystem } = volume;
  return {
    kind: 'volume',
    volume: {
      mountPoint,
      device,
      fileSystem,
      totalBytes: exact(totalBytes),
      availableBytes: exact(availableBytes),
    },
  };
};

/** Elastic network file systems report 8 EiB for "unlimited": more than a number holds exactly. */
const exact = (bytes: bigint): number => (bytes < 0n ? 0 : Number(bytes > SAFE_MAX ? SAFE_MAX : bytes));

const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);
/** Of the four threads that the runtime has by default. */
const SILENT_MAX = 2;
