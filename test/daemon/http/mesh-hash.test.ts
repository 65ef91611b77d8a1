import { expect, test } from 'vitest';
import { canonicalHash } from '../../../src/mesh/replication/canonical-hash.ts';
import { askJson } from './http-exchange.ts';
import { identityFact, memoryFact, OTHER, SELF, serveCluster } from './served-cluster.ts';

const hashOf = async (port: number): Promise<string> =>
  (await askJson({ port, path: '/api/mesh/hash' })).json.hash;

test('the hash of the mesh follows durable facts, of whatever node, and nothing else', async () => {
  await using served = await serveCluster();
  const { port } = served;
  const empty = await hashOf(port);
  expect(empty).toMatch(/^[0-9a-f]{64}$/);
  served.tell(SELF, identityFact('anvil'));
  const one = await hashOf(port);
  expect(one).not.toBe(empty);
  served.tell(SELF, memoryFact(64));
  await served.clock.advance(5_000);
  expect(await hashOf(port)).toBe(one);
  served.tell(OTHER, identityFact('bellows'));
  const both = await hashOf(port);
  expect(both).not.toBe(one);
  expect(both).toBe(canonicalHash(served.cluster.state));
  expect((await askJson({ port, path: '/api/mesh/hash' })).json.nodeId).toBe(SELF);
});
