// Whether the packages keep their promises: the same bytes twice from one build, and an installation in a bare Debian
// without a network, from the tarball, the .deb and the npm package. Needs root, debootstrap and a mirror of Debian;
// prints what it could not do.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { inRoot } = require('../paths.js');
const { capture } = require('./capture.js');

/** Resolves with an exit code. */
const checkRelease = async ({ out, second, version }) => {
  const sums = [out, second].map(folder => fs.readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8'));
  if (sums[0] !== sums[1]) return fail('two archives of one build differ', `${sums[0]}\n${sums[1]}`);
  print('packed twice, this build has the same bytes');
  if (process.getuid?.() !== 0) return fail('a bare Debian needs root to be made and entered', '');
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'plimsoll-bare-'));
  try {
    const made = await bareDebian(root);
    if (made.code !== 0)
      return fail('debootstrap made no bare Debian', made.stderr || made.stdout.slice(-500));
    for (const way of await waysInto(root, { out, version })) {
      const ran = await inRootAlone(root, `${way.install}\n${LIFE}`);
      if (ran.code !== 0) return fail(`installed from ${way.name}`, `${ran.stdout}${ran.stderr}`);
      const unit = ran.stdout.split(UNIT_MARK)[1] ?? '';
      const verified = await verifyUnit(root, unit);
      if (verified.code !== 0) return fail(`the unit of ${way.name}`, verified.stderr);
      print(
        `${way.name}: installs, prints its version, starts, stops, loads the mock; its unit is good (${ran.stdout.split('\n')[0]})`,
      );
      await inRootAlone(root, way.remove);
    }
    return 0;
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
};

/** PLIMSOLL_BARE_ROOT: one that was made before, which is copied. */
const bareDebian = root => {
  const made = process.env.PLIMSOLL_BARE_ROOT;
  return made === undefined
    ? capture('debootstrap', ['--variant=minbase', 'bookworm', root, mirror()])
    : capture('cp', ['--archive', `${made}/.`, root]);
};

const waysInto = async (root, { out, version }) => {
  const target = `linux-${process.arch}`;
  const name = `plimsoll-${version}-${target}`;
  const deb = fs
    .readdirSync(out)
    .find(file => file.endsWith(process.arch === 'x64' ? '_amd64.deb' : '_arm64.deb'));
  fs.copyFileSync(path.join(out, `${name}.tar.gz`), path.join(root, 'opt/release.tar.gz'));
  fs.copyFileSync(path.join(out, deb), path.join(root, 'opt/release.deb'));
  fs.cpSync(inRoot('test/fixtures/versions/1/home'), path.join(root, 'opt/home-1'), {
    recursive: true,
  });
  await npmPackageIn(path.join(root, 'opt/npm'));
  return [
    {
      name: 'the tarball',
      install: `cd /opt && tar -xzf release.tar.gz && ln -s /opt/${name}/bin/plimsoll /usr/local/bin/plimsoll`,
      remove: 'rm -r /usr/local/bin/plimsoll',
    },
    {
      name: 'the .deb',
      install: 'dpkg --install /opt/release.deb >/dev/null && dpkg --verify plimsoll',
      remove: 'dpkg --purge plimsoll && ! [ -e /usr/lib/plimsoll ]',
    },
    {
      // What npm brings, run by a Node that is installed as people install one.
      name: 'the npm package',
      install: `install -m 755 /opt/${name}/lib/node /usr/local/bin/node && ln -s /opt/npm/bin/plimsoll /usr/local/bin/plimsoll`,
      remove: 'rm /usr/local/bin/plimsoll /usr/local/bin/node',
    },
  ];
};

const npmPackageIn = async prefix => {
  const packed = await capture(
    'npm',
    ['pack', '--ignore-scripts', '--silent', '--pack-destination', os.tmpdir()],
    {
      cwd: inRoot(),
    },
  );
  const tarball = path.join(os.tmpdir(), packed.stdout.trim());
  const how = ['--global', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  const ran = await capture('npm', ['install', ...how, '--prefix', prefix, tarball]);
  fs.rmSync(tarball, { force: true });
  if (ran.code !== 0) throw new Error(ran.stderr);
};

/** In namespaces of its own: no network but loopback, and no process outlives it. */
const inRootAlone = (root, script) => {
  fs.writeFileSync(path.join(root, 'check.sh'), `set -e\nexport HOME=/root PATH=${BARE_PATH}\n${script}\n`);
  const enter = `ip link set lo up && mount -t proc proc "${root}/proc" && exec chroot "${root}" /bin/sh /check.sh`;
  return capture('unshare', ['--mount', '--net', '--pid', '--fork', '--kill-child', 'sh', '-c', enter], {
    env: { PATH: BARE_PATH },
  });
};

const verifyUnit = (root, unit) => {
  fs.writeFileSync(path.join(root, 'etc/systemd/system/plimsoll.service'), unit);
  return capture('systemd-analyze', [
    `--root=${root}`,
    '--man=no',
    '--recursive-errors=no',
    'verify',
    'plimsoll.service',
  ]);
};

/** As Debian's own tools would take it, from what apt uses here. */
const mirror = () => {
  for (const file of ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list']) {
    const [, found] = fs.existsSync(file)
      ? (/^(?:URIs:|deb(?: \[[^\]]*\])?) (\S+)/m.exec(fs.readFileSync(file, 'utf8')) ?? [])
      : [];
    if (found !== undefined) return found;
  }
  return 'http://deb.debian.org/debian';
};

const print = text => process.stdout.write(`check: ${text}\n`);

const fail = (what, detail) => {
  process.stderr.write(`check failed: ${what}\n${detail}\n`);
  return 1;
};

const BARE_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const UNIT_MARK = '--- unit ---\n';
/** What a person does with it first. The mock and a bench load ZeroMQ's binary. */
const LIFE = `
plimsoll --version
plimsoll up --once --home /tmp/once --http 127.0.0.1:0 --no-open >/tmp/once.log
rm -rf /tmp/home
plimsoll up --home /tmp/home --http 127.0.0.1:0 --no-open --probes off >/tmp/up.log 2>&1 &
daemon=$!
until [ -e /tmp/home/daemon.json ]; do kill -0 $daemon; sleep 0.1; done
plimsoll status --home /tmp/home
plimsoll mock --port 8099 >/tmp/mock.log 2>&1 &
mock=$!
until plimsoll bench http://127.0.0.1:8099 --home /tmp/home --requests 20 >/tmp/bench.log 2>&1; do kill -0 $mock; sleep 0.5; done
kill $mock $daemon
wait $daemon
# A home in version 1 of the formats: the same node afterwards, with its journal.
rm -rf /tmp/old && cp -r /opt/home-1 /tmp/old && chmod 700 /tmp/old
plimsoll up --home /tmp/old --http 127.0.0.1:0 --no-open --probes off >/tmp/old.log 2>&1 &
daemon=$!
until [ -e /tmp/old/daemon.json ]; do kill -0 $daemon; sleep 0.1; done
cmp /opt/home-1/node-key.pem /tmp/old/node-key.pem
plimsoll status --home /tmp/old --json >/tmp/old.json
kill $daemon
wait $daemon
! ls /tmp/old | grep damaged
echo '--- unit ---'
plimsoll service install --print
`;

module.exports = { checkRelease };
