// `npm run release`: archives that need no network and no Node, for each target, with checksums and a list of their parts.
// The same build gives the same bytes. `--check` packs it twice, and installs what it packed in a bare Debian.

const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { exitWith } = require('./exit-with.js');
const { ROOT, inRoot } = require('./paths.js');
const { checkRelease } = require('./release/check.js');
const { debArchitecture, writeDeb } = require('./release/deb.js');
const { TARGETS, ownNode } = require('./release/own-node.js');
const { tarGzBytes, writeTarGz } = require('./release/tar.js');
const { NODE_PATH_IN_PACKAGE, releaseTree } = require('./release/tree.js');
const { hasBuild } = require('./sources.js');

const USAGE = `npm run release -- [OPTIONS]

  --out DIR            where to write. Default: release
  --target TARGET      ${Object.keys(TARGETS).join(', ')}; may be repeated. Default: all
  --node TARGET=FILE   the Node to pack, where npm has none; may be repeated
  --check              pack the build twice and compare; install tarball, .deb and npm package in a bare Debian (root)
`;

const release = async args => {
  const options = optionOf(args);
  if (typeof options === 'string') {
    process.stderr.write(`release: ${options}\n\n${USAGE}`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (!hasBuild()) {
    process.stderr.write('release: there is no build. Run: npm run build\n');
    return 1;
  }
  const first = await buildAll(options, options.out);
  if (!options.check || first !== 0) return first;
  const second = fs.mkdtempSync(path.join(os.tmpdir(), 'plimsoll-release-'));
  try {
    const again = await buildAll(options, second);
    return again === 0 ? await checkRelease({ out: options.out, second, version }) : again;
  } finally {
    fs.rmSync(second, { recursive: true, force: true });
  }
};

/** Exit code: 1 where a target is missing. */
const buildAll = async ({ targets, nodes }, out) => {
  fs.mkdirSync(out, { recursive: true });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plimsoll-release-'));
  const written = [];
  let code = 0;
  try {
    for (const target of targets) {
      const node = await ownNode(target, nodes.get(target), folder);
      if (node.kind === 'none') {
        process.stderr.write(`release: ${node.problem}\n${node.advice}\n`);
        code = 1;
        continue;
      }
      if (!node.isPinned)
        process.stdout.write(`${target}: Node with SHA-256 ${node.sha256}, which is not pinned\n`);
      written.push(...(await buildTarget({ target, node, out, folder })));
    }
    const sums = written.sort().map(name => `${sha256Of(path.join(out, name))}  ${name}\n`);
    fs.writeFileSync(path.join(out, 'SHA256SUMS'), sums.join(''));
    return code;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
};

const buildTarget = async ({ target, node, out, folder }) => {
  const epochSeconds = sourceEpoch();
  const { entries, sbom } = await releaseTree({ target, node, version, epochSeconds, folder });
  const name = `plimsoll-${version}-${target}`;
  const options = { epochSeconds, prefix: `${name}/` };
  const own = await tarGzBytes(
    entries.filter(entry => entry.path !== NODE_PATH_IN_PACKAGE),
    options
  );
  const bytes = await writeTarGz(path.join(out, `${name}.tar.gz`), entries, options);
  fs.writeFileSync(path.join(out, `${name}.cdx.json`), sbom);
  process.stdout.write(`${name}.tar.gz  ${megabytes(bytes)}, without Node ${megabytes(own)}\n`);
  if (own > OWN_BYTES_MAX) throw new Error(`without Node it has more than ${megabytes(OWN_BYTES_MAX)}`);
  const architecture = debArchitecture(target);
  if (architecture === undefined) return [`${name}.tar.gz`, `${name}.cdx.json`];
  const deb = `plimsoll_${version}_${architecture}.deb`;
  await writeDeb(path.join(out, deb), entries, { version, target, epochSeconds, folder });
  process.stdout.write(`${deb}  ${megabytes(fs.statSync(path.join(out, deb)).size)}\n`);
  return [`${name}.tar.gz`, `${name}.cdx.json`, deb];
};

const optionOf = args => {
  try {
    const { values } = parseArgs({ args, options: OPTIONS });
    const targets = values.target ?? Object.keys(TARGETS);
    const wrong = targets.find(target => !(target in TARGETS));
    if (wrong !== undefined) return `there is no target ${wrong}`;
    const pairs = (values.node ?? []).map(text => text.split('='));
    const bad = pairs.find(([target, file]) => !(target in TARGETS) || !file || !fs.existsSync(file));
    if (bad !== undefined)
      return `--node ${bad.join('=')} is not TARGET=FILE of a target and a file that is there`;
    return { ...values, targets, out: path.resolve(values.out ?? inRoot('release')), nodes: new Map(pairs) };
  } catch (error) {
    return error.message;
  }
};

/** Of the sources, as https://reproducible-builds.org/specs/source-date-epoch/ has it. */
const sourceEpoch = () => {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined && /^\d+$/.test(given)) return Number(given);
  return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' }));
};

const sha256Of = file => createHash('sha256').update(fs.readFileSync(file)).digest('hex');

const megabytes = bytes => `${(bytes / 1e6).toFixed(1)} MB`;

const OPTIONS = {
  out: { type: 'string' },
  target: { type: 'string', multiple: true },
  node: { type: 'string', multiple: true },
  check: { type: 'boolean' },
  help: { type: 'boolean' },
};
const OWN_BYTES_MAX = 25_000_000;
const { version } = JSON.parse(fs.readFileSync(inRoot('package.json'), 'utf8'));

if (require.main === module) exitWith(release(process.argv.slice(2)));
