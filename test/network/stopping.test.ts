// How the end of a daemon looks to others: one that is stopped announces it, also to those who are linked only through another
// node; one that is killed goes silent.

import { describe, expect, it } from 'vitest';
import type { SeenCluster } from './seen-cluster.ts';
import { line } from './shapes.ts';
import { sees, TestBed } from './test-bed.ts';

describe('three daemons in a line', { timeout: 400_000 }, () => {
  it('show a stopped one as stopped at once, a killed one as silent, and either as live when it is back', async context => {
    await using bed = await TestBed.open(context);
    const hosts = ['left', 'middle', 'right'];
    line(bed.net, hosts);
    for (const host of hosts) bed.start(host);
    await bed.all('all three', sees(...hosts));
    await bed.all('the cable to the right', ({ ways }) => ways.some(way => way.includes('right')));

    await bed.stop('right');
    await bed.all('the right stopped', isStopped);
    // The left has no cable to the right: its events arrive through the middle.
    const left = await bed.daemon('left').until('the right stopped', isStopped);
    expect(left.nodes['right']?.presence).toBe('offline');
    expect(left.ways.filter(way => way.includes('right'))).toEqual([]);

    bed.start('right');
    await bed.all('the right live', seen => sees(...hosts)(seen) && !isStopped(seen));

    await bed.kill('right');
    await bed.all('the right silent', ({ nodes }) => nodes['right']?.presence === 'offline');
    for (const host of ['left', 'middle'])
      expect(bed.daemon(host).latest?.nodes['right']?.isStopped, `${host} received no stop`).toBe(false);
  });
});

const isStopped = ({ nodes }: SeenCluster): boolean => nodes['right']?.isStopped === true;
