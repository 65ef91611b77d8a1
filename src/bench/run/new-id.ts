// Ids of runs, sweeps, lines, comparisons and jobs: they sort by their time.

import { randomBytes } from 'node:crypto';
import { systemClock } from '../../clock/system-clock.ts';
import { type DocumentId, isDocumentId } from '../../core/ids.ts';

/** "20261120-120501-a1b2", UTC. */
export const newId = (): string => `${stamp(systemClock.wallMs())}-${randomBytes(2).toString('hex')}`;

export const newDocumentId = (): DocumentId => {
  const id = newId();
  if (isDocumentId(id)) return id;
  throw new RangeError(id);
};

/** "20261120-120501", UTC. */
const stamp = (wallMs: number): string =>
  new Date(wallMs).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
