// What `npm run release` writes: archives that other programs read, the same each time. That they install and run is what
// `npm run release -- --check` shows, in a bare Debian.

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryFiles } from '../support/repository.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const require = createRequire(import.meta.url);

interface Entry {
  readonly path: string;
  readonly mode?: number;
  readonly bytes?: Buffer;
  readonly link?: string;
}

const {
  writeTarGz,
}: {
  writeTarGz(
    path: string,
    entries: readonly Entry[],
    options: { epochSeconds: number; prefix?: string },
  ): Promise<number>;
} = require('../../scripts/release/tar.js');
const {
  writeDeb,
}: {
  writeDeb(
    path: string,
    entries: readonly Entry[],
    options: { epochSeconds: number; version: string; target: string; folder: string },
  ): Promise<void>;
} = require('../../scripts/release/deb.js');
const { sbomText }: { sbomText(what: object): string } = require('../../scripts/release/sbom.js');
const {
  ownNode,
}: {
  ownNode(target: string, file: string, folder: string): Promise<{ readonly problem: string }>;
} = require('../../scripts/release/own-node.js');
const {
  STARTER,
  deployFiles,
}: {
  readonly STARTER: string;
  deployFiles(): readonly Required<Pick<Entry, 'path' | 'mode'>>[];
} = require('../../scripts/release/tree.js');

const EPOCH = { epochSeconds: 1_700_000_000 };
const LONG = `lib/${'folder/'.repeat(20)}${'f'.repeat(80)}.js`;
const ENTRIES = [
  { path: 'bin/plimsoll', mode: 0o755, bytes: Buffer.from(STARTER) },
  { path: LONG, mode: 0o644, bytes: Buffer.from('x'.repeat(1_025)) },
  { path: 'empty', mode: 0o644, bytes: Buffer.alloc(0) },
  { path: 'link', link: 'bin/plimsoll' },
  { path: 'share/man/man1/plimsoll.1', mode: 0o644, bytes: Buffer.from('.TH PLIMSOLL 1\n') },
];

test('an archive has the same bytes for any order, and tar unpacks it as it was', async () => {
  using folder = temporaryDirectory();
  const one = join(folder.path, 'one.tar.gz');
  const other = join(folder.path, 'other.tar.gz');
  await writeTarGz(one, ENTRIES, { ...EPOCH, prefix: 'p/' });
  await writeTarGz(other, ENTRIES.toReversed(), { ...EPOCH, prefix: 'p/' });
  expect(readFileSync(one).equals(readFileSync(other))).toBe(true);
  execFileSync('tar', ['-xzf', one, '-C', folder.path]);
  expect(readFileSync(join(folder.path, 'p', LONG), 'utf8')).toBe('x'.repeat(1_025));
  expect(statSync(join(folder.path, 'p/bin/plimsoll')).mode & 0o777).toBe(0o755);
  expect(statSync(join(folder.path, 'p/empty')).size).toBe(0);
  expect(statSync(join(folder.path, 'p/link')).mtimeMs).toBe(EPOCH.epochSeconds * 1_000);
});

test('a name that no tar could hold is refused', async () => {
  using folder = temporaryDirectory();
  const entries = [{ path: 'n'.repeat(300), mode: 0o644, bytes: Buffer.alloc(1) }];
  await expect(writeTarGz(join(folder.path, 'a'), entries, EPOCH)).rejects.toThrow('too long');
});

test('dpkg reads the package: its fields, its files, and that they are whole', async context => {
  if (spawnSync('dpkg-deb', ['--version']).status !== 0) context.skip('there is no dpkg-deb here');
  using folder = temporaryDirectory();
  const one = join(folder.path, 'one.deb');
  const other = join(folder.path, 'other.deb');
  const options = { ...EPOCH, version: '1.2.3', target: 'linux-arm64', folder: folder.path };
  await writeDeb(one, ENTRIES, options);
  await writeDeb(other, ENTRIES, options);
  expect(readFileSync(one).equals(readFileSync(other))).toBe(true);
  const requested = (args: readonly string[]): string =>
    execFileSync('dpkg-deb', [...args], { encoding: 'utf8' });
  expect(requested(['--field', one, 'Version', 'Architecture'])).toBe(
    'Version: 1.2.3\nArchitecture: arm64\n',
  );
  requested(['--raw-extract', one, join(folder.path, 'raw')]);
  const checked = spawnSync('md5sum', ['--check', '--quiet', 'DEBIAN/md5sums'], {
    cwd: join(folder.path, 'raw'),
  });
  expect(checked.status, checked.stdout.toString()).toBe(0);
  expect(statSync(join(folder.path, 'raw/usr/share/man/man1/plimsoll.1.gz')).size).toBeGreaterThan(20);
  expect(statSync(join(folder.path, 'raw/usr/bin/plimsoll')).mode & 0o111).toBe(0o111);
});

test('tarball and package have the alerts, the dashboards and the chart, all of each', async context => {
  const files = deployFiles();
  const tracked = repositoryFiles();
  if (tracked === undefined) return context.skip('there is no git');
  const isMeant = (path: string): boolean => /^deploy\/(?:prometheus|grafana|helm)\//.test(path);
  expect(files.map(({ path }) => path).sort()).toEqual(tracked.filter(isMeant).sort());
  expect(files.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      'deploy/prometheus/plimsoll-alerts.yml',
      'deploy/grafana/cluster.json',
      'deploy/helm/plimsoll/Chart.yaml',
      'deploy/helm/plimsoll/templates/daemonset.yaml',
    ]),
  );
  using folder = temporaryDirectory();
  const tarball = join(folder.path, 't.tar.gz');
  await writeTarGz(tarball, [...ENTRIES, ...files], { ...EPOCH, prefix: 'p/' });
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).split('\n');
  for (const { path } of files) expect(listed).toContain(`p/${path}`);
  if (spawnSync('dpkg-deb', ['--version']).status !== 0) context.skip('there is no dpkg-deb here');
  const deb = join(folder.path, 'one.deb');
  const options = { ...EPOCH, version: '1.2.3', target: 'linux-x64', folder: folder.path };
  await writeDeb(deb, [...ENTRIES, ...files], options);
  const root = join(folder.path, 'root');
  execFileSync('dpkg-deb', ['--extract', deb, root]);
  for (const { path } of files)
    expect(readFileSync(join(root, 'usr/share/plimsoll', path))).toEqual(
      readFileSync(join(repositoryRoot, path)),
    );
});

test('the starter finds its own Node through links, also relative ones and with spaces', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'a place');
  const node = '#!/bin/sh\nprintf "%s|" "$@"\n';
  const entries = [...ENTRIES.slice(0, 1), { path: 'lib/node', mode: 0o755, bytes: Buffer.from(node) }];
  await writeTarGz(join(folder.path, 't.tar.gz'), entries, { ...EPOCH, prefix: 'a place/' });
  execFileSync('tar', ['-xzf', 't.tar.gz'], { cwd: folder.path });
  symlinkSync('a place/bin/plimsoll', join(folder.path, 'near'));
  symlinkSync(join(folder.path, 'near'), join(folder.path, 'far'));
  const reported = execFileSync(join(folder.path, 'far'), ['up', 'two words'], { encoding: 'utf8' });
  expect(reported).toBe(`${path}/lib/plimsoll/bin/plimsoll.js|up|two words|`);
});

test('a list of parts reports each with its licence and hash, and is the same for the same parts', () => {
  const parts = [
    { name: '@nats-io/nkeys', version: '2.0.3', license: 'Apache-2.0', integrity: 'sha512-AAAA' },
    { name: 'zeromq', version: '6.8.0', license: 'MIT AND MPL-2.0' },
  ];
  const text = sbomText({ name: 'plimsoll', version: '1.2.3', ...EPOCH, parts });
  expect(sbomText({ name: 'plimsoll', version: '1.2.3', ...EPOCH, parts: parts.toReversed() })).toBe(text);
  expect(JSON.parse(text)).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: expect.stringMatching(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/,
    ),
    components: [
      { purl: 'pkg:npm/%40nats-io/nkeys@2.0.3', hashes: [{ alg: 'SHA-512', content: '000000' }] },
      { name: 'zeromq', licenses: [{ expression: 'MIT AND MPL-2.0' }] },
    ],
  });
});

test('a Node of another version, with other bytes or that is none is not packed', async () => {
  using folder = temporaryDirectory();
  const file = join(folder.path, 'node');
  const come = async (text: string): Promise<string> => {
    writeFileSync(file, text);
    return (await ownNode('linux-x64', file, folder.path)).problem;
  };
  expect(await come('nothing')).toContain('is not a Node');
  expect(await come('download/release/v22.1.0/node-v22')).toContain('is Node 22.1.0');
  expect(await come('download/release/v24.21.0/node-v24')).toContain('and scripts/release/targets.json says');
});
