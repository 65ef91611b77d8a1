// The Node versions that may prepare the repository. Their npm installs the native parts of Vite, which other versions leave out
// (package-lock.json, engines of optional packages). After that, the Node 24 pinned by the lockfile runs.

const isSupported = version => {
  const [major, minor] = version.split('.').map(Number);
  const minorMin = { 20: 19, 22: 13, 23: 5 }[major];
  return minorMin === undefined ? major > 23 : minor >= minorMin;
};

if (!isSupported(process.versions.node)) {
  const lines = [
    `Plimsoll cannot be prepared by Node ${process.versions.node}; it needs Node 20.19, 22.13 or newer.`,
    'Install a current Node from https://nodejs.org (24 is best), then run the same command again.',
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exit(1);
}

module.exports = { isSupported };
