// Prepares a checkout to run Plimsoll: dependencies installed, sources built. Costs two reads if everything is there,
// and uses the network only to install.

const { LOCK, build } = require('./build.js');
const { INSTALL_FAILED_LINES, install, isInstalled } = require('./install.js');
const { withLock } = require('./lock.js');
const { exitCodeOf } = require('./run-command.js');
const { isBuilt, sourcesHash } = require('./sources.js');

/** Resolves with {kind: 'ready'} or {kind: 'failed', step: 'install' | 'build', code}, after saying why. */
const prepare = async () => {
  if (isInstalled() && isBuilt(sourcesHash())) return READY;
  return await locked(async () => {
    const installed = await installMissing();
    if (installed.kind === 'failed' || isBuilt(sourcesHash())) return installed;
    print('building (tsc and vite).');
    const code = await build();
    if (code === 0) return READY;
    print('the build failed; see above.');
    return { kind: 'failed', step: 'build', code };
  });
};

/** Only the dependencies: what runs from source needs no build. */
const prepareInstall = async () => (isInstalled() ? READY : await locked(installMissing));

const installMissing = async () => {
  if (isInstalled()) return READY;
  print('installing dependencies (npm ci). The first time this takes a minute.');
  const ending = await install();
  if (exitCodeOf(ending) === 0) return READY;
  if (ending.error) process.stderr.write(`npm: ${ending.error.message}\n`);
  if (ending.signal === null) for (const line of INSTALL_FAILED_LINES) process.stderr.write(`${line}\n`);
  return { kind: 'failed', step: 'install', code: exitCodeOf(ending) };
};

const locked = work =>
  withLock(LOCK, pid => print(`process ${pid} is installing or building here; waiting for it.`), work);

const print = text => process.stderr.write(`Plimsoll: ${text}\n`);

const READY = { kind: 'ready' };

module.exports = { prepare, prepareInstall, print };
