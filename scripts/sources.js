// Whether the build matches the current sources: a hash of their names and contents, stored next to the build.
// Contents rather than times, because git and cp make old files look new and new ones old. A few hundred files take
// about 30 ms.

const crypto = require('node:crypto');
const fs = require('node:fs');
const { inRoot } = require('./paths.js');

const STAMP = inRoot('dist', '.build-stamp');

const sourcesHash = () => {
  const hash = crypto.createHash('sha256');
  for (const file of sourceFiles()) {
    hash.update(`${file}\0`);
    hash.update(fs.readFileSync(inRoot(file)));
    hash.update('\0');
  }
  return hash.digest('hex');
};

const isBuilt = hash => {
  try {
    return fs.readFileSync(STAMP, 'utf8') === hash;
  } catch {
    return false;
  }
};

const hasBuild = () => fs.existsSync(STAMP);

const forgetBuild = () => fs.rmSync(STAMP, { force: true });

const stampBuild = hash => {
  fs.mkdirSync(inRoot('dist'), { recursive: true });
  fs.writeFileSync(`${STAMP}.new`, hash);
  fs.renameSync(`${STAMP}.new`, STAMP);
};

/** Relative to the checkout, in one order on every machine. */
const sourceFiles = () =>
  [...SOURCE_FILES.filter(file => fs.existsSync(inRoot(file))), ...SOURCE_FOLDERS.flatMap(filesUnder)].sort();

const filesUnder = folder => {
  if (!fs.existsSync(inRoot(folder))) return [];
  return fs.readdirSync(inRoot(folder), { withFileTypes: true }).flatMap(entry => {
    const relativePath = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesUnder(relativePath);
    return entry.isFile() && !NOISE.test(entry.name) ? [relativePath] : [];
  });
};

const SOURCE_FOLDERS = ['src', 'dashboard', 'scripts/libraries'];
const SOURCE_FILES = [
  'scripts/libraries.config.mjs',
  'scripts/packed.config.mjs',
  'scripts/keep-code.js',
  'scripts/keep-code-preload.js',
  'bin/load-packed.js',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.build.json',
];
/** Temporary files of editors, Finder and Vite. */
const NOISE = /^\.DS_Store$|~$|\.sw[a-p]$|\.timestamp-/;

module.exports = { sourcesHash, sourceFiles, isBuilt, hasBuild, forgetBuild, stampBuild };
