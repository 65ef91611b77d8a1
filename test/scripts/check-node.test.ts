import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { textOf } from '../support/repository.ts';

const { isSupported }: { isSupported(version: string): boolean } = createRequire(import.meta.url)(
  '../../scripts/check-node.js',
);

test.each([
  ['6.17.1', false],
  ['16.20.2', false],
  ['20.18.9', false],
  ['20.19.0', true],
  ['21.7.3', false],
  ['22.12.0', false],
  ['22.13.0', true],
  ['23.4.0', false],
  ['23.5.0', true],
  ['24.21.0', true],
])('Node %s prepares the repository: %s', (version, expected) => {
  expect(isSupported(version)).toBe(expected);
});

test('npm leaves out no native part for a Node that is supported', () => {
  const { packages }: { packages: Record<string, { optional?: true; engines?: { node?: string } }> } =
    JSON.parse(textOf('package-lock.json'));
  const ranges = new Set(
    Object.values(packages).flatMap(({ optional, engines }) => (optional ? [engines?.node ?? '>=0'] : [])),
  );
  expect([...ranges].filter(range => !ACCEPTED.includes(range) && !isWide(range))).toEqual([]);
});

const isWide = (range: string): boolean => Number(/^>= ?(\d+)/.exec(range)?.[1]) <= 20;

/** Each accepts every version that is supported. */
const ACCEPTED: readonly string[] = [
  '^20.19.0 || >=22.12.0',
  '^20.19.0 || ^22.13.0 || >=23.5.0',
  '^8.16.0 || ^10.6.0 || >=11.0.0',
];
