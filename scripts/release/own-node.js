// The Node that a release carries: from the packages that the development dependency `node` itself rests on, or a file that a
// person brings. Its version must be the pinned one and its bytes those that were pinned with it.

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { capture } = require('./capture.js');
const { node: NODE_VERSION, targets: TARGETS } = require('./targets.json');

/**
 * Resolves with {kind: 'node', file, license, sha256, isPinned} or {kind: 'none', problem, advice}.
 * `given`: the file of --node, or undefined.
 */
const ownNode = async (target, given, folder) => {
  const { package: name, sha256: pinned } = TARGETS[target];
  const directory = path.join(folder, `node-${target}`);
  if (given === undefined) {
    fs.mkdirSync(directory, { recursive: true });
    const packed = await capture('npm', ['pack', '--silent', `${name}@${NODE_VERSION}`], { cwd: directory });
    if (packed.code !== 0)
      return {
        kind: 'none',
        problem: `${target}: ${name}@${NODE_VERSION} cannot be had from the registry of npm`,
        advice: `Bring Node ${NODE_VERSION} of nodejs.org: --node ${target}=FILE; or leave it out with --target.`,
      };
    await capture('tar', ['-xzf', packed.stdout.trim()], { cwd: directory });
  }
  const file = given ?? path.join(directory, 'package/bin/node');
  const bytes = fs.readFileSync(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const [, version] = /download\/release\/v([\d.]+)\/node-v/.exec(bytes.toString('latin1')) ?? [];
  if (version !== NODE_VERSION)
    return {
      kind: 'none',
      problem: `${target}: ${file} is ${version === undefined ? 'not a Node' : `Node ${version}`}`,
      advice: `Bring Node ${NODE_VERSION} of nodejs.org: --node ${target}=FILE`,
    };
  if (pinned !== null && sha256 !== pinned)
    return {
      kind: 'none',
      problem: `${target}: ${file} has SHA-256 ${sha256}, and scripts/release/targets.json says ${pinned}`,
      advice: 'These are other bytes than those that were tested. If they are right, change the pin.',
    };
  const license = [path.join(directory, 'package/LICENSE'), path.join(path.dirname(file), '../LICENSE')].find(
    each => fs.existsSync(each),
  );
  return { kind: 'node', file, license, sha256, isPinned: pinned !== null };
};

module.exports = { NODE_VERSION, TARGETS, ownNode };
