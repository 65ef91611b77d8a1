import { once } from 'node:events';
import { createServer } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { admitLoad, loadExtent, type RequestedLoad } from '../../../src/bench/agent/admit-request.ts';
import { admitAddresses, admitTarget } from '../../../src/bench/agent/admit-target.ts';
import { CAP_LOOK_MS, CapWatch } from '../../../src/bench/agent/cap-watch.ts';
import { reachTarget, systemNames } from '../../../src/bench/agent/reach-target.ts';
import { addressKind } from '../../../src/core/address/server-address.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';

const LISTED = { isAgent: true, targets: ['https://llm.example.net', 'http://127.0.0.1:8000'] };

const refusalOf = (url: string, policy = LISTED): string => {
  const admission = admitTarget(url, policy);
  return admission.kind === 'refused' ? admission.refusal.cause : 'listed';
};

const addressesOf = (host: string, ...addresses: readonly string[]): string => {
  const admission = admitAddresses(host, addresses);
  return admission.kind === 'refused' ? admission.refusal.cause : 'checked';
};

describe('a target', () => {
  test('is loaded only where its whole origin is listed', () => {
    expect(refusalOf('https://llm.example.net')).toBe('listed');
    expect(refusalOf('https://LLM.example.net:443/v1/chat/completions')).toBe('listed');
    for (const url of [
      'http://llm.example.net',
      'https://llm.example.net:8443',
      'https://llm.example.net.',
      'https://llm.example.net.attacker.org',
      'https://www.llm.example.net',
      'http://127.0.0.1',
      'http://localhost:8000',
    ])
      expect([url, refusalOf(url)]).toEqual([url, 'target-not-listed']);
  });

  test('is loaded by no machine that does not make load, nor by one that lists nothing', () => {
    expect(refusalOf('https://llm.example.net', { ...LISTED, isAgent: false })).toBe('agent-off');
    expect(refusalOf('https://llm.example.net', { isAgent: true, targets: [] })).toBe('target-not-listed');
  });

  test('is the address that its odd spelling means', () => {
    for (const host of ['127.1', '0x7f.1', '2130706433', '0177.0.0.1', '127.0.0.1'])
      expect([host, refusalOf(`http://${host}:8000`)]).toEqual([host, 'listed']);
    for (const host of ['[::ffff:127.0.0.1]', '[::1]', '127.0.0.2'])
      expect([host, refusalOf(`http://${host}:8000`)]).toEqual([host, 'target-not-listed']);
  });

  test('brings no secret along, and only HTTP', () => {
    for (const url of [
      'https://user:word@llm.example.net',
      'https://llm.example.net/v1?key=sk-1',
      'https://llm.example.net/#sk-1',
      'ftp://llm.example.net',
      'https:llm.example.net',
      'file:///etc/passwd',
      '',
      `https://llm.example.net/${'a'.repeat(4_000)}`,
    ])
      expect([url, refusalOf(url)]).toEqual([url, 'target-url']);
  });

  test('any text gives an answer, and no listed origin but the listed ones', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true, withFragments: true })),
        url => {
          const admission = admitTarget(url, LISTED);
          return admission.kind === 'refused' || LISTED.targets.includes(new URL(url).origin);
        },
      ),
    );
  });
});

describe('addresses of a target', () => {
  test('that no server for others may have are refused, even if they are listed', () => {
    const kinds: Readonly<Record<string, string>> = {
      '10.0.0.7': 'ordinary',
      '192.168.1.2': 'ordinary',
      '100.64.0.9': 'ordinary',
      '8.8.8.8': 'ordinary',
      'fd12:3456::1': 'ordinary',
      '2a00:1450:4001::65': 'ordinary',
      '::ffff:10.0.0.7': 'ordinary',
      '127.0.0.1': 'loopback',
      '127.8.9.10': 'loopback',
      '::1': 'loopback',
      '::ffff:7f00:1': 'loopback',
      '169.254.0.1': 'link-local',
      'fe80::1': 'link-local',
      'fe80::1%eth0': 'link-local',
      'febf::1': 'link-local',
      '169.254.169.254': 'metadata',
      '::ffff:169.254.169.254': 'metadata',
      '::ffff:a9fe:a9fe': 'metadata',
      '0:0:0:0:0:ffff:a9fe:a9fe': 'metadata',
      '64:ff9b::169.254.169.254': 'metadata',
      '2002:a9fe:a9fe::1': 'metadata',
      '::ffff:0:169.254.169.254': 'metadata',
      '100.100.100.200': 'metadata',
      '168.63.129.16': 'metadata',
      'fd00:ec2::254': 'metadata',
      'FD00:0EC2:0:0::0254': 'metadata',
      '0.0.0.0': 'unspecified',
      '0.1.2.3': 'unspecified',
      '::': 'unspecified',
      '224.0.0.1': 'multicast',
      '239.255.255.255': 'multicast',
      'ff02::1': 'multicast',
      '255.255.255.255': 'broadcast',
      '240.0.0.1': 'reserved',
      '::127.0.0.1': 'reserved',
      'fec0::1': 'reserved',
      '2001:0:53aa:64c::1': 'reserved',
      '64:ff9b:1::a9fe:a9fe': 'reserved',
      'llm.example.net': 'not-an-address',
      '': 'not-an-address',
      '1.2.3': 'not-an-address',
      '0x7f.0.0.1': 'not-an-address',
    };
    expect(Object.fromEntries(Object.keys(kinds).map(address => [address, addressKind(address)]))).toEqual(
      kinds,
    );
    for (const [address, kind] of Object.entries(kinds))
      expect([address, addressesOf('llm.example.net', address)]).toEqual([
        address,
        kind === 'ordinary' ? 'checked' : 'target-address',
      ]);
  });

  test('are all of them good, or the target is refused', () => {
    expect(addressesOf('llm.example.net', '10.0.0.7', '10.0.0.8')).toBe('checked');
    expect(addressesOf('llm.example.net', '10.0.0.7', '169.254.169.254')).toBe('target-address');
    expect(addressesOf('llm.example.net')).toBe('target-unresolved');
    expect(addressesOf('llm.example.net', ...Array.from({ length: 65 }, () => '10.0.0.7'))).toBe(
      'target-address',
    );
  });

  test('are loopback only for who lists loopback itself', () => {
    expect(addressesOf('127.0.0.1', '127.0.0.1')).toBe('checked');
    expect(addressesOf('localhost', '::1', '127.0.0.1')).toBe('checked');
    expect(addressesOf('llm.example.net', '127.0.0.1')).toBe('target-address');
    expect(addressesOf('localhost', '169.254.169.254')).toBe('target-address');
  });

  test('carry the kind of the IPv4 address inside', () => {
    const octet = fc.nat(255);
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), bytes => {
        const text = bytes.join('.');
        const kind = addressKind(text);
        expect(addressKind(`::ffff:${text}`)).toBe(kind);
        expect(addressKind(`64:ff9b::${text}`)).toBe(kind);
      }),
    );
  });
});

describe('a name', () => {
  const targetOf = (url: string) => {
    const admission = admitTarget(url, { isAgent: true, targets: [new URL(url).origin] });
    if (admission.kind === 'refused') throw new Error(admission.refusal.problem);
    return admission.target;
  };
  const options = { timeoutMs: 5_000, signal: AbortSignal.timeout(30_000) };

  test('is looked up once, and the connection goes to the address that was checked', async () => {
    const server = createServer(socket => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    let requested = 0;
    const target = await reachTarget(targetOf(`http://localhost:${port}`), {
      ...options,
      resolve: async () => answers[requested++] ?? [],
    });
    server.close();
    expect(requested).toBe(1);
    expect(target.server).toMatchObject({ host: '127.0.0.1', port, hostHeader: `localhost:${port}` });
  });

  test('of a TLS server stays the name that its certificate is checked against', async () => {
    const server = createServer(socket => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const target = await reachTarget(targetOf(`https://localhost:${port}`), {
      ...options,
      resolve: async () => ['127.0.0.1'],
    });
    server.close();
    expect(target.server.tls).toMatchObject({ serverName: 'localhost', isInsecure: false });
  });

  test('that leads to a metadata address is refused without a packet to it', async () => {
    await expect(
      reachTarget(targetOf('http://llm.example.net'), {
        ...options,
        resolve: async () => ['169.254.169.254'],
      }),
    ).rejects.toMatchObject({ problem: { cause: 'target-address' } });
  });

  test('that nobody has is reported to have no address', async () => {
    await expect(
      reachTarget(targetOf('http://nobody.invalid'), { ...options, resolve: systemNames }),
    ).rejects.toMatchObject({ problem: { cause: 'target-unresolved' } });
  });

  test('whose server takes no connection is reported to be out of reach from that machine', async () => {
    await expect(
      reachTarget(targetOf('http://127.0.0.1:1'), { ...options, resolve: systemNames }),
    ).rejects.toMatchObject({ problem: { cause: 'target-unreachable' } });
  });
});

const CAPS = { requestsPerSecondMax: 100, connectionsMax: 64, durationMsMax: 60_000, samplesMax: 5_000 };
const PLAIN: RequestedLoad = {
  pattern: { kind: 'constant', requestsPerSecond: 50 },
  shape: PLAIN_SHAPE,
  samplesMax: undefined,
  durationMs: 30_000,
  warmup: { kind: 'default' },
  share: { index: 0, of: 1 },
};

describe('a load', () => {
  test('within all caps is admitted', () => {
    expect(admitLoad(PLAIN, CAPS)).toBeUndefined();
    expect(admitLoad({ ...PLAIN, pattern: { kind: 'concurrency', concurrency: 64 } }, CAPS)).toBeUndefined();
  });

  test('past a cap is refused with the cap and what to do', () => {
    const cases: readonly (readonly [string, Partial<RequestedLoad>])[] = [
      ['rate', { pattern: { kind: 'poisson', requestsPerSecond: 101 } }],
      ['connections', { pattern: { kind: 'concurrency', concurrency: 65 } }],
      ['connections', { pattern: { kind: 'max-throughput' } }],
      ['duration', { durationMs: 60_001 }],
      ['duration', { durationMs: undefined }],
      ['duration', { shape: { ...PLAIN_SHAPE, rampMs: 20_000, warmupMs: 20_000 } }],
      ['duration', { durationMs: undefined, samplesMax: 4_000 }],
      ['samples', { samplesMax: 5_001 }],
      ['samples', { samplesMax: 4_999, warmup: { kind: 'requests', count: 2 } }],
      ['rate', { shape: { ...PLAIN_SHAPE, steps: [{ from: 1, to: 900, durationMs: 1_000 }] } }],
      ['rate', { pattern: { kind: 'constant', requestsPerSecond: Number.NaN } }],
    ];
    for (const [code, change] of cases) {
      const refusal = admitLoad({ ...PLAIN, ...change }, CAPS);
      expect([code, change, refusal?.cause]).toEqual([code, change, code]);
      expect(refusal?.advice).toContain('[bench]');
    }
  });

  test('that several agents send in turn costs each its share', () => {
    const requested: RequestedLoad = { ...PLAIN, pattern: { kind: 'poisson', requestsPerSecond: 400 } };
    expect(admitLoad({ ...requested, share: { index: 3, of: 7 } }, CAPS)).toBeUndefined();
    expect(admitLoad({ ...requested, share: { index: 0, of: 3 } }, CAPS)?.cause).toBe('rate');
  });

  test('of a hostile coordinator is within every cap or refused', () => {
    const figure = fc.oneof(fc.double({ min: 0 }), fc.integer({ min: 0, max: 1_000 }));
    const requested: fc.Arbitrary<RequestedLoad> = fc.record({
      pattern: fc.oneof(
        fc.record({ kind: fc.constant('concurrency' as const), concurrency: figure }),
        fc.record({ kind: fc.constant('poisson' as const), requestsPerSecond: figure }),
        fc.record({ kind: fc.constant('constant' as const), requestsPerSecond: figure }),
        fc.record({ kind: fc.constant('max-throughput' as const) }),
      ),
      shape: fc.record({
        rampMs: figure,
        warmupMs: figure,
        inFlightCap: fc.constant(PLAIN_SHAPE.inFlightCap),
        steps: fc.array(fc.record({ from: figure, to: figure, durationMs: figure }), { maxLength: 3 }),
        sessions: fc.constant(PLAIN_SHAPE.sessions),
        trace: fc.constant(PLAIN_SHAPE.trace),
      }),
      samplesMax: fc.option(figure, { nil: undefined }),
      durationMs: fc.option(figure, { nil: undefined }),
      warmup: fc.oneof(
        fc.constant({ kind: 'default' as const }),
        fc.record({ kind: fc.constant('requests' as const), count: figure }),
      ),
      share: fc.integer({ min: 1, max: 64 }).chain(of => fc.nat(of - 1).map(index => ({ index, of }))),
    });
    fc.assert(
      fc.property(requested, load => {
        if (admitLoad(load, CAPS) !== undefined) return;
        const extent = loadExtent(load);
        expect(extent.requestsPerSecond).toBeLessThanOrEqual(CAPS.requestsPerSecondMax);
        expect(extent.connections).toBeLessThanOrEqual(CAPS.connectionsMax);
        expect(extent.durationMs).toBeLessThanOrEqual(CAPS.durationMsMax);
        expect(extent.samples).toBeLessThanOrEqual(CAPS.samplesMax);
      }),
    );
  });
});

describe('a running load', () => {
  const endOf = (
    issuedAt: (nowMs: number) => number,
    isOpenLoop = false,
  ): { readonly code: string | undefined; readonly nowMs: number } => {
    const watch = new CapWatch(CAPS, { isOpenLoop });
    for (let nowMs = 0; nowMs <= 2 * CAPS.durationMsMax; nowMs += CAP_LOOK_MS) {
      const refusal = watch.look({ nowMs, issued: Math.floor(issuedAt(nowMs)) });
      if (refusal !== undefined) return { code: refusal.cause, nowMs };
    }
    return { code: undefined, nowMs: Number.POSITIVE_INFINITY };
  };

  test('ends when it has lasted as long as one may', () => {
    expect(endOf(() => 0)).toEqual({ code: 'duration', nowMs: 60_000 });
    expect(endOf(nowMs => nowMs / 20, true)).toEqual({ code: 'duration', nowMs: 60_000 });
  });

  test('ends one look after it has sent more than the rate, not at the rate', () => {
    expect(endOf(nowMs => nowMs / 11)).toEqual({ code: 'samples', nowMs: 55_100 });
    expect(endOf(nowMs => nowMs / 10).nowMs).toBeGreaterThan(49_999);
    expect(endOf(nowMs => (nowMs < 10_000 ? nowMs / 20 : 500 + (nowMs - 10_000)))).toEqual({
      code: 'rate',
      nowMs: 10_100,
    });
  });

  test('of any shape sends at most a cap and a second of it beyond', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { minLength: 1, maxLength: 200 }), steps => {
        const watch = new CapWatch(CAPS, { isOpenLoop: false });
        let issued = 0;
        for (const [index, more] of steps.entries()) {
          if (watch.look({ nowMs: index * CAP_LOOK_MS, issued }) !== undefined) return;
          const seconds = (index * CAP_LOOK_MS) / 1_000;
          expect(issued).toBeLessThanOrEqual(CAPS.requestsPerSecondMax * (seconds + 1.2));
          issued += more;
        }
      }),
    );
  });
});
