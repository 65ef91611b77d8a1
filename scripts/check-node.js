// The oldest Node that may prepare the repository: the first whose bundled npm reads a version 3 lockfile. After that,
// the Node 24 pinned by the lockfile runs.

const OLDEST_MAJOR = 16;

const found = process.versions.node;
if (Number(found.split('.')[0]) < OLDEST_MAJOR) {
  const lines = [
    `Plimsoll cannot be prepared by Node ${found}; it needs Node ${OLDEST_MAJOR} or newer.`,
    'Install a current Node from https://nodejs.org (24 is best), then run the same command again.',
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exit(1);
}
