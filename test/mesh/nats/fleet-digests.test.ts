import { expect, test } from 'vitest';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { FleetClaims } from '../../../src/mesh/nats/fleet-claims.ts';
import { FleetDigests } from '../../../src/mesh/nats/fleet-digests.ts';
import { FLEET_WAYS, FleetMembers } from '../../../src/mesh/nats/fleet-members.ts';
import { DIGEST_ENTRIES_MAX } from '../../../src/mesh/nats/fleet-subjects.ts';
import { encodeMeshMessage } from '../../../src/wire/mesh-message.ts';
import { MESH_LIST_LENGTH_MAX } from '../../../src/wire/version-vector.ts';

const LETTERS = 'abcdefghijklmnop';
/** Different for each number below 16^6. */
const node = (number: number): NodeId => {
  const digits = number.toString(16).padStart(6, '0');
  return nodeId(`${'a'.repeat(20)}${[...digits].map(digit => LETTERS[Number.parseInt(digit, 16)]).join('')}`);
};

const digestOf = (origins: readonly NodeId[], way = FLEET_WAYS.all): Uint8Array =>
  encodeMeshMessage({
    kind: 'digest',
    vectors: origins.map(origin => ({ origin, epoch: 1, through: 1 })),
    live: [],
    neighboursVersion: way,
  });

const digestsOf = () => {
  const members = new FleetMembers(() => 0);
  const claims = new FleetClaims({ self: node(0), members });
  return { members, digests: new FleetDigests({ members, claims }) };
};

test('a member that makes up origins uses its own share of what is taken, and another one is still accepted', () => {
  const { members, digests } = digestsOf();
  const [liar, honest] = [node(1), node(2)];
  members.received(liar);
  members.received(honest);
  for (let from = 1_000; from < 11_000; from += 100)
    digests.receive(liar, digestOf(Array.from({ length: 100 }, (_, index) => node(from + index))));
  digests.receive(honest, digestOf([honest]));
  const taken = digests.take();
  expect(taken.length).toBe(DIGEST_ENTRIES_MAX + 1);
  expect(taken.some(({ origin }) => origin === honest)).toBe(true);
  digests.receive(liar, digestOf([node(500)]));
  expect(digests.take().map(({ origin }) => origin)).toEqual([node(500)]);
});

test('all together bring no more than one message of the mesh can have', () => {
  const { members, digests } = digestsOf();
  for (let publisher = 1; publisher <= 20; publisher += 1) {
    members.received(node(publisher));
    const origins = Array.from({ length: DIGEST_ENTRIES_MAX }, (_, index) => node(publisher * 1_000 + index));
    digests.receive(node(publisher), digestOf(origins));
  }
  expect(digests.take().length).toBe(MESH_LIST_LENGTH_MAX);
});

test('a subscription by a number that this version does not have counts as all readings', () => {
  const { members, digests } = digestsOf();
  const publisher = node(1);
  members.received(publisher);
  const hasOfGroups = (way: number): boolean => {
    digests.receive(publisher, digestOf([publisher], way));
    return members.hasOfGroups;
  };
  expect([2, 1, 2, 0, 2, 3].map(hasOfGroups)).toEqual([true, false, true, false, true, false]);
});
