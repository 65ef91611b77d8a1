// A real journal under writes, and what its files and its contents were after each of them: the moments that a power cut may
// come back to. Records are signed as a daemon signs them.

import { readFileSync, statSync } from 'node:fs';
import type { NodeId } from '../../../src/core/ids.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { generateNodeKey, type NodeKey } from '../../../src/daemon/node-key.ts';
import type { Journal, StoredRecord } from '../../../src/journal/journal.ts';
import { openSqliteJournal } from '../../../src/journal/sqlite-journal.ts';
import type { DurableRecord } from '../../../src/wire/durable-record.ts';
import { record } from '../../support/journal-records.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export interface Moment {
  readonly database: Uint8Array;
  readonly log: Uint8Array;
  readonly contents: Contents;
  /** Grows with each compaction, which empties the log. */
  readonly generation: number;
}

/** Everything that the journal returns to readers. */
export interface Contents {
  /** What state is built from, without ages. */
  readonly current: string;
  /**
   * What has been replaced, histories, ages, and how far: nothing signed shows whether an age or a position
   * is correct. The origin sees a position that is too great as its own future, and starts a new epoch.
   */
  readonly past: string;
}

export interface Written {
  readonly own: NodeKey;
  readonly moments: readonly Moment[];
  readonly ownEpoch: number;
  readonly startNumber: number;
}

export const WRITTEN_WALL_MS: number = Date.UTC(2026, 10, 23);

export const openJournal = (path: string, own: NodeKey, wallMs: number): Journal =>
  openSqliteJournal({
    path,
    ownNode: own.nodeId,
    ownPublicKey: own.publicKey,
    clock: new VirtualClock({ wallMs }),
  });

/** `writes` of this node and of a peer, two in three of which replace something, and a compaction after every `compactEach`. */
export const writeJournal = (
  path: string,
  { seed, writes, compactEach }: { seed: number; writes: number; compactEach: number },
): Written => {
  const random = seededRandom(seed);
  const [own, peer] = [generateNodeKey(), generateNodeKey()];
  using journal = openJournal(path, own, WRITTEN_WALL_MS);
  const moments: Moment[] = [];
  let generation = 0;
  const look = (): void => {
    moments.push({
      database: Uint8Array.from(readFileSync(path)),
      log: readIfThere(`${path}-wal`),
      contents: contentsOf(journal),
      generation,
    });
  };
  look();
  for (let count = 1; count <= writes; count += 1) {
    const isOwn = random.below(3) > 0;
    const batch = 1 + random.below(3);
    const origin = isOwn ? own.nodeId : peer.nodeId;
    const epoch = isOwn ? journal.ownEpoch : 1;
    const through = journal.origin(origin)?.through ?? 0;
    const records = Array.from({ length: batch }, (_, index) =>
      signed(isOwn ? { ...own, isOwn } : { ...peer, isOwn }, {
        seq: through + 1 + index,
        epoch,
        origin,
        ...made(random.below),
      }),
    );
    if (isOwn) journal.append(records);
    else journal.appendCatchUp({ origin, epoch, through: through + batch }, records);
    look();
    if (count % compactEach !== 0) continue;
    journal.compact();
    generation += 1;
    look();
  }
  return { own, moments, ownEpoch: journal.ownEpoch, startNumber: journal.startNumber };
};

export const contentsOf = (journal: Journal): Contents => {
  const origins = journal.origins().filter(({ through }) => through > 0);
  const current = origins.flatMap(({ origin }) => journal.currentRecords(origin).map(signedText));
  const past = origins.flatMap(({ origin, epoch, through }) => [
    `${origin} ${epoch} ${through}`,
    ...Array.from(journal.recordsAfter(origin, 0), agedText),
    ...KEYS.flatMap(key =>
      journal
        .history({ origin, slot: 'gpu', key, sinceWallMs: 0, limit: 1_000 })
        .map(({ atWallMs, body, isHourly }) => `${key} ${atWallMs} ${isHourly} ${textOf(body)}`),
    ),
  ]);
  return { current: current.join('\n'), past: past.join('\n') };
};

const signedText = ({ origin, epoch, seq, kind, key, body, signature }: DurableRecord): string =>
  `${origin} ${epoch} ${seq} ${kind} ${key} ${textOf(body)} ${Buffer.from(signature).toString('base64')}`;

const agedText = (record: StoredRecord): string =>
  `${signedText(record)} ${record.ageMs} ${record.storedAtWallMs}`;

const textOf = (body: Uint8Array): string => Buffer.from(body).toString('latin1');

const made = (
  below: (bound: number) => number,
): { kind: string; key: string; payload: unknown; ageMs: number } => {
  const kind = KINDS[below(KINDS.length)] ?? 'run.started';
  return {
    kind,
    key: KEYS[below(KEYS.length)] ?? '',
    payload: { text: 'made for a crash '.repeat(1 + below(below(8) === 0 ? 400 : 30)) },
    ageMs: below(2_000),
  };
};

const signed = (
  { publicKey, sign, isOwn }: NodeKey & { readonly isOwn: boolean },
  parts: Parameters<typeof record>[0] & { readonly origin: NodeId },
): DurableRecord => {
  const made = record(parts);
  const signature = sign(made.body);
  return { ...made, signature: isOwn ? signature : Buffer.concat([publicKey, signature]) };
};

const readIfThere = (path: string): Uint8Array =>
  statSync(path, { throwIfNoEntry: false }) === undefined ? new Uint8Array() : readFileSync(path);

const KINDS: readonly string[] = ['identity.gathered', 'gpu.profiled', 'run.started', 'connection.opened'];
const KEYS: readonly string[] = ['a', 'b', 'c', 'd', 'e', 'f'];
