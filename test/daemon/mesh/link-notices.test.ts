import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LinkNotices, REFUSAL_LASTS_MS } from '../../../src/daemon/mesh/link-notices.ts';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { Notices } from '../../../src/daemon/notices.ts';
import { MemoryNetwork } from '../../../src/mesh/memory/memory-network.ts';
import type { CandidateSource, MeshTransport } from '../../../src/mesh/mesh.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

describe('the notice of an address that leads to no link', () => {
  let clock: VirtualClock;
  let network: MemoryNetwork;
  let own: MeshTransport;
  let stop: AbortController;
  let running: Promise<void>;
  let notices: Notices;
  beforeEach(async () => {
    clock = new VirtualClock();
    network = new MemoryNetwork(clock);
    own = transportOf('own');
    stop = new AbortController();
    notices = new Notices(() => undefined);
    const linkNotices = new LinkNotices({ clock, notices, transport: own, named: new Set(['juno']) });
    running = linkNotices.run(stop.signal);
    await own.start(stop.signal);
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await own[Symbol.asyncDispose]();
  });

  const transportOf = (name: string): MeshTransport =>
    network.transport({ name, identity: generateNodeKey(), start: 1 });
  const report = (address: string, source: CandidateSource): void =>
    own.addCandidate({ address, port: 4181, source });

  it('remains as long as the address is tried in vain, and goes with the first link', async () => {
    report('juno', 'static');
    await clock.advance(1_000);
    expect(notices.all).toMatchObject([
      { code: 'no-link', problem: expect.stringMatching(/^No link to juno/) },
    ]);
    await clock.advance(10 * REFUSAL_LASTS_MS);
    expect(notices.all).toHaveLength(1);
    const juno = transportOf('juno');
    await juno.start(stop.signal);
    await clock.advance(30_000);
    expect(own.links.size).toBe(1);
    expect(notices.all).toEqual([]);
    await juno[Symbol.asyncDispose]();
  });

  it('goes when the address has been forgotten', async () => {
    report('juno', 'beacon');
    await clock.advance(1_000);
    expect(notices.all).toHaveLength(1);
    await clock.advance(4 * REFUSAL_LASTS_MS);
    expect(notices.all).toEqual([]);
  });

  it('is not raised for an address that nobody named and that cannot be reached', async () => {
    report('vesta', 'peer');
    await clock.advance(30_000);
    expect(own.refusalCounts.get('unreachable')).toBeGreaterThan(0);
    expect(notices.all).toEqual([]);
  });
});
