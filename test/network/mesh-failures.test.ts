// Five whole daemons in a ring of cables, and what happens to real ones: killed with -9, cut off from each other, with a
// journal that is gone or old. One bed for all of it, in order: what one test leaves is where the next begins.

import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { isLongRun, longCount } from '../support/counts.ts';
import { ring, setCables } from './shapes.ts';
import { hasTags, sees, TestBed } from './test-bed.ts';

const HOSTS = ['atlas', 'boreas', 'ceres', 'diana', 'echo'];
const [VICTIM = '', OTHER = ''] = HOSTS;
/** One half of the ring and the other. */
const SOUTH = HOSTS.slice(0, 2);
const NORTH = HOSTS.slice(2);
const CHAOS_STEPS = 60;

describe('five daemons in a ring', () => {
  let bed: TestBed | undefined;
  let written = 0;
  /** What each host has written last. */
  const tags: Record<string, string> = {};

  beforeEach(async context => {
    if (bed !== undefined) return;
    bed = await TestBed.open(context);
    ring(bed.net, HOSTS);
    for (const host of HOSTS) bed.start(host);
    await bed.all('all five', sees(...HOSTS));
    console.info(`five daemons in a ring had live readings of each other after ${bed.elapsedMs} ms`);
  });
  afterAll(() => bed?.[Symbol.asyncDispose]());

  const opened = (): TestBed => {
    if (bed === undefined) throw new Error('the bed is not open');
    return bed;
  };
  const write = (host: string): void => {
    written += 1;
    tags[host] = `t${written}`;
    opened().tag(host, tags[host]);
  };
  const journal = (host: string): string => join(opened().home(host), 'journal.sqlite');
  const agree = async (what: string): Promise<void> => {
    const before = opened().elapsedMs;
    await opened().agree(what, seen => hasTags(tags)(seen) && sees(...HOSTS)(seen));
    console.info(`${what}: one hash on all five ${opened().elapsedMs - before} ms later`);
  };

  it(
    'go on when one is killed, show it offline, and show it again as the same node with what its journal holds',
    async () => {
      const bed = opened();
      for (const host of HOSTS) write(host);
      await agree('every node wrote');
      const { nodeId, nodes } = await bed.daemon(VICTIM).until('itself', sees(VICTIM));
      await bed.kill(VICTIM);
      await bed.all(`${VICTIM} offline`, seen => seen.nodes[VICTIM]?.presence === 'offline');
      await bed.all('the others live', sees(...HOSTS.slice(1)));
      expect((await bed.daemon(OTHER).until('kept', () => true)).nodes[VICTIM]?.tags).toEqual([tags[VICTIM]]);
      // With its cables pulled it has only what is in its journal.
      setCables(bed.net, [VICTIM], HOSTS, 'down');
      const again = await bed.start(VICTIM).until('its own past', hasTags(tags));
      expect(again.nodeId).toBe(nodeId);
      setCables(bed.net, [VICTIM], HOSTS, 'up');
      await bed.all(`${VICTIM} live`, sees(...HOSTS));
      const seen = (await bed.daemon(OTHER).until('it', () => true)).nodes[VICTIM];
      expect(seen?.id).toBe(nodeId);
      expect(seen?.identityEpoch, 'the same journal').toBe(nodes[VICTIM]?.identityEpoch);
      await agree('one was killed and came back');
    },
    longCount(120_000, 300_000),
  );

  it(
    'hold one hash after a partition in which both sides wrote',
    async () => {
      const bed = opened();
      setCables(bed.net, SOUTH, NORTH, 'down');
      for (const host of HOSTS) write(host);
      for (const host of SOUTH) await bed.daemon(host).until('its side', hasTags(of(tags, SOUTH)));
      for (const host of NORTH) await bed.daemon(host).until('its side', hasTags(of(tags, NORTH)));
      const across = await bed.daemon(SOUTH[0] ?? '').until('no other side', () => true);
      expect(hasTags(of(tags, NORTH))(across)).toBe(false);
      await bed
        .daemon(SOUTH[0] ?? '')
        .until('the other side offline', ({ nodes }) =>
          NORTH.every(host => nodes[host]?.presence === 'offline'),
        );
      for (const host of HOSTS) write(host);
      setCables(bed.net, SOUTH, NORTH, 'up');
      await agree('a partition healed');
    },
    longCount(120_000, 300_000),
  );

  it(
    'converge with one whose journal was deleted',
    async ({ skip }) => {
      if (!isLongRun) skip('daemons of its own: in the long run');
      const bed = opened();
      const before = (await bed.daemon(OTHER).until('it', sees(VICTIM))).nodes[VICTIM];
      await bed.stop(VICTIM);
      for (const suffix of JOURNAL_SUFFIXES) rmSync(`${journal(VICTIM)}${suffix}`, { force: true });
      bed.start(VICTIM);
      await bed.all('its new journal', ({ nodes }) => {
        return (nodes[VICTIM]?.identityEpoch ?? 0) > (before?.identityEpoch ?? 0);
      });
      expect((await bed.daemon(OTHER).until('it', sees(VICTIM))).nodes[VICTIM]?.id).toBe(before?.id);
      await agree('a journal was deleted');
    },
    longCount(120_000, 300_000),
  );

  it(
    'converge with one whose journal was restored from an older copy and wrote on',
    async () => {
      const bed = opened();
      const copy = join(bed.folder, 'copy');
      await bed.stop(VICTIM);
      cpSync(bed.home(VICTIM), copy, { recursive: true });
      bed.start(VICTIM);
      for (let count = 0; count < 3; count += 1) {
        write(VICTIM);
        await bed.all('what it wrote', hasTags(tags));
      }
      await bed.kill(VICTIM);
      for (const suffix of JOURNAL_SUFFIXES) {
        rmSync(`${journal(VICTIM)}${suffix}`, { force: true });
        const kept = join(copy, `journal.sqlite${suffix}`);
        if (existsSync(kept)) cpSync(kept, `${journal(VICTIM)}${suffix}`);
      }
      // It writes before it meets anybody who remembers what it has forgotten.
      setCables(bed.net, [VICTIM], HOSTS, 'down');
      bed.start(VICTIM);
      write(VICTIM);
      await bed.daemon(VICTIM).until('its own words', hasTags(of(tags, [VICTIM])));
      setCables(bed.net, [VICTIM], HOSTS, 'up');
      await agree('a journal was restored from an older copy');
    },
    longCount(120_000, 300_000),
  );

  it(`hold one hash after ${CHAOS_STEPS} random kills, restarts, cuts and words`, async context => {
    if (!isLongRun) context.skip('each failure is a case above: in npm run test:long');
    const bed = opened();
    const random = seededRandom(20);
    for (let step = 0; step < CHAOS_STEPS; step += 1) {
      const at = random.below(HOSTS.length);
      const host = HOSTS[at] ?? '';
      const next = HOSTS[(at + 1) % HOSTS.length] ?? '';
      write(host);
      if (bed.isRunning(host)) {
        // Killed while its own last event may still be on its way to its peers.
        if (random.below(2) === 0) await bed.daemon(host).until('its own words', hasTags(of(tags, [host])));
        await bed.kill(host);
      } else {
        bed.start(host);
        if (random.below(2) === 0) await bed.daemon(host).until('its own words', hasTags(of(tags, [host])));
      }
      setCables(bed.net, [host], [next], random.below(2) === 0 ? 'down' : 'up');
    }
    for (const host of HOSTS) {
      setCables(bed.net, [host], HOSTS, 'up');
      if (!bed.isRunning(host)) bed.start(host);
    }
    await agree(`${CHAOS_STEPS} random failures`);
  }, 900_000);
});

const of = (tags: Readonly<Record<string, string>>, hosts: readonly string[]): Record<string, string> =>
  Object.fromEntries(hosts.map(host => [host, tags[host] ?? '']));

const JOURNAL_SUFFIXES = ['', '-wal', '-shm'];
