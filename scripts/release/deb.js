// A Debian package of a release tree: the tree under /usr/lib/plimsoll, a link in /usr/bin, the manual page and the completions
// where Debian looks for them. No script runs at installation; `plimsoll service install` starts the daemon.

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { gzipSync } = require('node:zlib');
const { arBytes, writeTarGz } = require('./tar.js');

const ARCHITECTURES = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };

/** Undefined for a target that Debian does not run on. */
const debArchitecture = target => ARCHITECTURES[target];

/** Writes the package; `folder` takes its parts meanwhile. */
const writeDeb = async (path, entries, { version, target, epochSeconds, folder }) => {
  const files = [
    ...entries.map(entry => ({ ...entry, path: `usr/lib/plimsoll/${entry.path}` })),
    { path: 'usr/bin/plimsoll', link: '../lib/plimsoll/bin/plimsoll' },
    { path: 'usr/share/plimsoll/deploy', link: '../../lib/plimsoll/deploy' },
    ...entries.flatMap(debianEntries),
  ];
  const options = { epochSeconds, prefix: './' };
  const parts = { control: `${folder}/control.tar.gz`, data: `${folder}/data.tar.gz` };
  const installedBytes = files.reduce((total, file) => total + sizeOf(file), 0);
  const control = controlText({ version, target, installedBytes });
  await writeTarGz(parts.data, files, options);
  await writeTarGz(
    parts.control,
    [
      { path: 'control', mode: 0o644, bytes: Buffer.from(control) },
      { path: 'md5sums', mode: 0o644, bytes: Buffer.from(md5sums(files)) },
    ],
    options,
  );
  fs.writeFileSync(
    path,
    arBytes(
      [
        ['debian-binary', Buffer.from('2.0\n')],
        ['control.tar.gz', fs.readFileSync(parts.control)],
        ['data.tar.gz', fs.readFileSync(parts.data)],
      ],
      epochSeconds,
    ),
  );
  for (const part of Object.values(parts)) fs.rmSync(part);
};

const controlText = ({ version, target, installedBytes }) =>
  [
    'Package: plimsoll',
    `Version: ${version}`,
    `Architecture: ${ARCHITECTURES[target]}`,
    'Maintainer: The Plimsoll authors <plimsoll@localhost>',
    `Installed-Size: ${Math.ceil(installedBytes / 1024)}`,
    // What its own Node links, and ZeroMQ's binary: https://github.com/nodejs/node/blob/main/BUILDING.md
    'Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 8)',
    'Recommends: iproute2',
    'Section: net',
    'Priority: optional',
    'Description: load line for AI clusters',
    ' Shows every machine and every cable of a cluster, measured rather than guessed, and',
    ' loads inference endpoints so that the figures can be trusted. Has a Node of its own.',
    '',
  ].join('\n');

const debianEntries = entry => {
  const installedPath = DEBIAN_PATHS[entry.path];
  if (installedPath === undefined) return [];
  const isManual = installedPath.endsWith('.gz');
  return [
    { ...entry, path: installedPath, ...(isManual ? { bytes: gzipSync(entry.bytes, { level: 9 }) } : {}) },
  ];
};

const DEBIAN_PATHS = {
  'share/man/man1/plimsoll.1': 'usr/share/man/man1/plimsoll.1.gz',
  'share/bash-completion/completions/plimsoll': 'usr/share/bash-completion/completions/plimsoll',
  'share/zsh/site-functions/_plimsoll': 'usr/share/zsh/vendor-completions/_plimsoll',
  'share/fish/vendor_completions.d/plimsoll.fish': 'usr/share/fish/vendor_completions.d/plimsoll.fish',
  LICENSE: 'usr/share/doc/plimsoll/copyright',
};

const bytesOf = ({ file, bytes }) => (file === undefined ? bytes : fs.readFileSync(file));

const sizeOf = ({ file, bytes }) => (file === undefined ? (bytes?.length ?? 0) : fs.statSync(file).size);

const md5sums = files =>
  files
    .filter(({ link }) => link === undefined)
    .map(file => `${createHash('md5').update(bytesOf(file)).digest('hex')}  ${file.path}\n`)
    .sort((a, b) => (a.slice(34) < b.slice(34) ? -1 : 1))
    .join('');

module.exports = { debArchitecture, writeDeb };
