import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeId } from '../../../src/core/ids.ts';
import { readSequenceFloors, storeSequenceFloors } from '../../../src/daemon/mesh/sequence-floors.ts';
import { Notices } from '../../../src/daemon/notices.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

test('what was received of a fleet and cannot be written is a notice until it can', async () => {
  using home = temporaryDirectory();
  const file = join(home.path, 'fleet-heard.json');
  mkdirSync(file);
  const notices = new Notices(() => undefined);
  const floors = new Map([[nodeId('a'.repeat(26)), { start: 1, salt: 's', count: 2 }]]);
  const written = async (): Promise<void> => {
    const stop = new AbortController();
    const clock = new VirtualClock();
    const keeping = storeSequenceFloors(home.path, () => floors, { clock, notices, signal: stop.signal });
    stop.abort();
    await keeping;
  };
  await written();
  expect(notices.all).toMatchObject([{ code: 'fleet-heard-unwritten' }]);
  rmdirSync(file);
  await written();
  expect(notices.all).toEqual([]);
  expect(await readSequenceFloors(home.path)).toEqual([...floors]);
});
