import { expect, test } from 'vitest';
import { canonicalHash } from '../../../src/mesh/replication/canonical-hash.ts';
import { fetchJson } from './http-exchange.ts';
import { identityFact, memoryFact, OTHER, SELF, serveCluster } from './served-cluster.ts';

const hashOf = async (port: number): Promise<string> =>
  (await fetchJson({ port, path: '/api/mesh/hash' })).json.hash;

test('the hash of the mesh follows durable facts, of any node, and nothing else', async () => {
  await using served = await serveCluster();
  const { port } = served;
  const empty = await hashOf(port);
  expect(empty).toMatch(/^[0-9a-f]{64}$/);
  served.report(SELF, identityFact('anvil'));
  const one = await hashOf(port);
  expect(one).not.toBe(empty);
  served.report(SELF, memoryFact(64));
  await served.clock.advance(5_000);
  expect(await hashOf(port)).toBe(one);
  served.report(OTHER, identityFact('bellows'));
  const both = await hashOf(port);
  expect(both).not.toBe(one);
  expect(both).toBe(canonicalHash(served.cluster.state));
  expect((await fetchJson({ port, path: '/api/mesh/hash' })).json.nodeId).toBe(SELF);
});
