import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { dashboardUrl } from '../../src/daemon/dashboard-url.ts';

const code = (): string => 'c0de';

describe('the address a person opens', () => {
  it('carries a one-time code in its fragment, also on loopback, where the page may ask for probes with it', () => {
    expect(dashboardUrl({ host: '127.0.0.1', port: 4180 }, code)).toBe('http://127.0.0.1:4180/#code=c0de');
    expect(dashboardUrl({ host: '::1', port: 4180 }, code)).toBe('http://[::1]:4180/#code=c0de');
    expect(dashboardUrl({ host: '192.0.2.7', port: 80 }, code)).toBe('http://192.0.2.7:80/#code=c0de');
  });

  it('is one that can be reached when the server listens on all of them', () => {
    const url = new URL(dashboardUrl({ host: '0.0.0.0', port: 4180 }, code));
    const own = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? []);
    expect(own.map(({ address }) => address)).toContain(url.hostname);
    expect(url.hash).toBe('#code=c0de');
  });
});
