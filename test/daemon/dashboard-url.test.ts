import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { dashboardUrl, signInUrl } from '../../src/daemon/dashboard-url.ts';

describe('the address a person opens', () => {
  it('has a one-time code in its fragment only if it is asked for, on loopback too, where the page may then request probes', () => {
    for (const [host, shown] of [
      ['127.0.0.1', '127.0.0.1'],
      ['::1', '[::1]'],
      ['192.0.2.7', '192.0.2.7'],
    ] as const) {
      expect(dashboardUrl({ host, port: 4180 })).toBe(`http://${shown}:4180/`);
      expect(signInUrl({ host, port: 4180 }, 'c0de')).toBe(`http://${shown}:4180/#code=c0de`);
    }
  });

  it('is one that can be reached when the server listens on all of them', () => {
    const url = new URL(signInUrl({ host: '0.0.0.0', port: 4180 }, 'c0de'));
    const own = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? []);
    expect(own.map(({ address }) => address)).toContain(url.hostname);
    expect(url.hash).toBe('#code=c0de');
  });
});
