// docs/threat-model.md names a test for each threat: it must exist, by its name. What it states about packages is checked here.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('..', import.meta.url);

const threats = readFileSync(new URL('docs/threat-model.md', root), 'utf8')
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| threat |'));
const rows = threats.flatMap(line => {
  const [, file, title] = /\| `(test\/[^`]+)`: ?(.*?) \|$/.exec(line) ?? [];
  return file === undefined || title === undefined ? [] : [{ file, title }];
});

test('every threat has its test', () => {
  expect(rows.length).toBeGreaterThan(25);
  expect(rows.length).toBe(threats.length);
  const missing = rows.filter(
    ({ file, title }) => !readFileSync(new URL(file, root), 'utf8').includes(title),
  );
  expect(missing).toEqual([]);
});

test('every package has a digest, and only those that are named bring install scripts', () => {
  const lock: unknown = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'));
  const packages = Object.entries(fields(fields(lock)['packages'])).filter(([path]) => path !== '');
  expect(packages.length).toBeGreaterThan(100);
  expect(packages.filter(([, one]) => typeof fields(one)['integrity'] !== 'string')).toEqual([]);
  const scripted = packages.filter(([, one]) => fields(one)['hasInstallScript'] === true);
  expect(scripted.map(([path]) => path.replace('node_modules/', ''))).toEqual([
    'koffi',
    'node',
    'webgpu',
    'zeromq',
  ]);
});

const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
