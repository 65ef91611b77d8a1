// The tree of a release for one target: what `npm pack` would publish, its dependencies as the lockfile pins them for that
// target and without what never runs there, a Node, and one script that starts it all.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, inRoot, nodeToRun } = require('../paths.js');
const { capture } = require('./capture.js');
const { NODE_VERSION } = require('./own-node.js');
const { sbomText } = require('./sbom.js');

/**
 * Resolves with {entries, sbom}; entries are for tar.js, relative to the root of the release. @throws Error with
 * npm's output.
 */
const releaseTree = async ({ target, node, version, epochSeconds, folder }) => {
  const staged = path.join(folder, `tree-${target}`);
  fs.mkdirSync(staged, { recursive: true });
  await unpackPackage(staged);
  await installDependencies(staged, target);
  const program = filesUnder(staged).filter(file => isOfUse(file, target));
  const parts = [
    ...installedParts(staged),
    ...packedParts(staged),
    {
      name: 'node',
      version: NODE_VERSION,
      license: 'MIT',
      type: 'application',
      sha256: node.sha256,
      purl: `pkg:generic/node@${NODE_VERSION}`,
    },
  ];
  const sbom = sbomText({ name: 'plimsoll', version, epochSeconds, parts });
  const entries = [
    { path: 'bin/plimsoll', mode: 0o755, bytes: Buffer.from(STARTER) },
    { path: NODE_PATH_IN_PACKAGE, mode: 0o755, file: node.file },
    ...(node.license === undefined ? [] : [{ path: 'lib/node.LICENSE', mode: 0o644, file: node.license }]),
    ...program.map(file => ({ path: `lib/plimsoll/${file}`, mode: 0o644, file: path.join(staged, file) })),
    ...keptCode(target).map(file => ({ path: `lib/plimsoll/${file}`, mode: 0o644, file: inRoot(file) })),
    ...['LICENSE', 'README.md', 'CHANGELOG.md'].map(file => ({
      path: file,
      mode: 0o644,
      file: inRoot(file),
    })),
    ...deployFiles(),
    { path: 'sbom.cdx.json', mode: 0o644, bytes: Buffer.from(sbom) },
    ...(await words()),
  ];
  return { entries, sbom };
};

/** What brings it into other systems: alerts for Prometheus, dashboards for Grafana, the Helm chart. */
const deployFiles = () =>
  DEPLOY_FOLDERS.flatMap(folder =>
    filesUnder(inRoot(folder)).map(file => ({
      path: `${folder}/${file}`,
      mode: 0o644,
      file: path.join(inRoot(folder), file),
    })),
  );

const unpackPackage = async staged => {
  const packed = await npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', staged], ROOT);
  const tarball = path.join(staged, packed.trim());
  const unpacked = await capture('tar', ['-xzf', tarball, '--strip-components=1'], { cwd: staged });
  if (unpacked.code !== 0) throw new Error(unpacked.stderr);
  fs.rmSync(tarball);
};

const installDependencies = async (staged, target) => {
  const [os, cpu] = target.split('-');
  fs.copyFileSync(inRoot('package-lock.json'), path.join(staged, 'package-lock.json'));
  const how = [
    '--omit=dev',
    '--omit=peer',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
  ];
  const libc = os === 'linux' ? ['--libc=glibc'] : [];
  await npm(['ci', ...how, `--os=${os}`, `--cpu=${cpu}`, ...libc], staged);
  fs.rmSync(path.join(staged, 'package-lock.json'));
};

const npm = async (args, cwd) => {
  const ran = await capture('npm', args, { cwd });
  if (ran.code !== 0) throw new Error(`npm ${args[0]} failed:\n${ran.stderr}`);
  return ran.stdout;
};

const filesUnder = folder =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)));

/** Types, maps and sources of C++ are for developers; binaries of other machines do not load. */
const isOfUse = (file, target) => {
  if (!file.startsWith('node_modules/')) return true;
  if (/^node_modules\/(\.|node-addon-api\/|typescript\/|zeromq\/(src|script)\/)/.test(file)) return false;
  if (/\.(map|d\.[cm]?ts|[cm]?ts|cc|hh?|gypi?|cmake)$/.test(file)) return false;
  const [, os, cpu, rest] = /^node_modules\/zeromq\/build\/(\w+)\/(\w+)\/(.*)$/.exec(file) ?? [];
  return os === undefined || (`${os}-${cpu}` === target && !rest.includes('musl'));
};

/** What V8 compiled at build time: of use with the Node that goes along, where this build was made by that one. */
const keptCode = target =>
  filesUnder(inRoot('dist/packed'))
    .filter(file => file.endsWith(`.${target}.cache`))
    .map(file => `dist/packed/${file}`);

const installedParts = staged => {
  const { packages } = JSON.parse(
    fs.readFileSync(path.join(staged, 'node_modules/.package-lock.json'), 'utf8'),
  );
  return Object.entries(packages)
    .map(([lockPath, { version, license, integrity }]) => ({
      name: lockPath.replace(/^.*node_modules\//, ''),
      version,
      license,
      integrity,
    }))
    .filter(({ name }) => !['typescript', 'node-addon-api'].includes(name));
};

/** Packages that Vite bundled into dist/, with the versions that LICENSES.txt lists, and the parts of the dashboard. */
const packedParts = staged => {
  const text = fs.readFileSync(path.join(staged, 'dist/libraries/LICENSES.txt'), 'utf8');
  const { packages } = JSON.parse(fs.readFileSync(inRoot('package-lock.json'), 'utf8'));
  return [
    ...[...text.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d+\.\d+\.\d+\S*) \((.+)\)$/gm)].map(
      ([, name, version, license]) => ({ name, version, license }),
    ),
    ...DASHBOARD_PARTS.map(name => {
      const { version, license, integrity } = packages[`node_modules/${name}`];
      return { name, version, license, integrity };
    }),
  ];
};

/** The manual page and completions, as this build writes them. */
const words = async () => {
  const node = nodeToRun().path;
  const written = async (packagePath, args) => {
    const ran = await capture(node, [inRoot('bin/plimsoll.js'), ...args], { cwd: '/', env: { LC_ALL: 'C' } });
    if (ran.code !== 0) throw new Error(ran.stderr);
    return { path: packagePath, mode: 0o644, bytes: Buffer.from(ran.stdout) };
  };
  return await Promise.all([
    written('share/man/man1/plimsoll.1', ['man']),
    written('share/bash-completion/completions/plimsoll', ['completion', 'bash']),
    written('share/zsh/site-functions/_plimsoll', ['completion', 'zsh']),
    written('share/fish/vendor_completions.d/plimsoll.fish', ['completion', 'fish']),
  ]);
};

const NODE_PATH_IN_PACKAGE = 'lib/node';
/** The image is built from a checkout: its folder is of no use elsewhere. */
const DEPLOY_FOLDERS = ['deploy/prometheus', 'deploy/grafana', 'deploy/helm'];
const DASHBOARD_PARTS = ['svelte', 'uplot'];
/** Follows links to itself, so that one in /usr/local/bin works. */
const STARTER = `#!/bin/sh
# plimsoll with a Node of its own.
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
root=$(CDPATH= cd -P "$(dirname "$self")/.." && pwd) || exit 1
exec "$root/lib/node" "$root/lib/plimsoll/bin/plimsoll.js" "$@"
`;

module.exports = { NODE_PATH_IN_PACKAGE, STARTER, deployFiles, releaseTree };
