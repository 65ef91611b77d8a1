// Programs that tests need and npm cannot install. On Debian as root they are installed with apt, after saying so;
// elsewhere, and with PLIMSOLL_NO_APT=1, tests without their program skip and name it.

const fs = require('node:fs');
const path = require('node:path');
const { exitCodeOf, runCommand } = require('./run-command.js');

/** Resolves when everything possible is installed; never fails, because a test without its program skips. */
const installSystemPackages = async () => {
  const missing = NEEDED.filter(({ programs }) => !programs.some(isOnPath));
  if (missing.length === 0) return;
  const list = missing.map(({ apt, use }) => `${apt} (${use})`).join(', ');
  const reason = reasonAgainstApt();
  if (reason !== undefined) {
    print(`not installed: ${list}. ${reason} The tests that need them skip.`);
    return;
  }
  print(`installing by apt-get: ${list}. PLIMSOLL_NO_APT=1 forbids this.`);
  const options = { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  const install = ['install', '--yes', '--no-install-recommends', ...missing.map(({ apt }) => apt)];
  if (exitCodeOf(await runCommand('apt-get', install, options)) === 0) return;
  // A fresh container has no package lists, and old lists name files that are gone.
  await runCommand('apt-get', ['update'], options);
  if (exitCodeOf(await runCommand('apt-get', install, options)) === 0) return;
  print('apt-get could not install them; see above. The tests that need them skip.');
};

const reasonAgainstApt = () => {
  if (process.env.PLIMSOLL_NO_APT === '1') return 'PLIMSOLL_NO_APT=1 forbids apt.';
  if (!isDebian()) return 'Only on Debian are they installed for you.';
  if (process.getuid() !== 0) return 'Only root may install them.';
  return isOnPath('apt-get') ? undefined : 'There is no apt-get.';
};

/** Debian itself: Ubuntu's chromium package is a snap, which a container cannot run. */
const isDebian = () => {
  try {
    return /^ID="?debian"?$/m.test(fs.readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
};

const isOnPath = program =>
  [...(process.env.PATH || '').split(path.delimiter), '/usr/sbin', '/sbin']
    .filter(folder => folder !== '')
    .some(folder => {
      try {
        fs.accessSync(path.join(folder, program), fs.constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });

const print = text => process.stderr.write(`Plimsoll: ${text}\n`);

const NEEDED = [
  {
    // Chromium without a window, its menus and its address bar: less to install, and a test costs a fifth less.
    apt: 'chromium-headless-shell',
    programs: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
    use: 'browser tests',
  },
  { apt: 'iproute2', programs: ['ip'], use: 'tests in network namespaces' },
  { apt: 'nftables', programs: ['nft'], use: 'tests of hosts that do not hear each other' },
  { apt: 'iperf3', programs: ['iperf3'], use: 'tests that hold link probes against it' },
  { apt: 'nats-server', programs: ['nats-server'], use: 'tests of fleets' },
  { apt: 'ucx-utils', programs: ['ucx_perftest'], use: 'tests of RDMA probes' },
];

module.exports = { installSystemPackages };
