// Hosts with a real sshd each, for surveys: every one has folders of its own for what a survey could leave behind, and keys that exist for
// one test. The user's own ssh is used with a configuration file of the test; ~/.ssh is never read.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';
import { until } from '../support/until.ts';
import type { HostProcess } from './namespaces.ts';
import { TestBed } from './test-bed.ts';

const SSHD = '/usr/sbin/sshd';
/** Its title once it listens. */
const LISTENER = /^(?:sshd: )?\/usr\/sbin\/sshd .*-f \/run\/own\/sshd_config/;
const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

interface SshHostOptions {
  /** The login shell. Default: /bin/bash. */
  readonly shell?: string;
  /** What its login prints. */
  readonly greeting?: string;
  readonly acceptsKey?: boolean;
  readonly isKnown?: boolean;
  readonly listens?: boolean;
}

export interface SurveyRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class SshHosts implements AsyncDisposable {
  readonly bed: TestBed;
  readonly #names: string[] = [];
  readonly #signal: AbortSignal;

  private constructor(bed: TestBed, signal: AbortSignal) {
    this.bed = bed;
    this.#signal = signal;
  }

  /** Skips the test with its reason where it cannot be done. */
  static async open(context: TestContext): Promise<SshHosts> {
    if (!existsSync(SSHD)) context.skip('there is no sshd: apt-get install openssh-server');
    if (spawnSync('ssh', ['-V']).error !== undefined)
      context.skip('there is no ssh: apt-get install openssh-client');
    const bed = await TestBed.open(context);
    const hosts = new SshHosts(bed, context.signal);
    bed.net.addHost('desk');
    for (const name of ['host', 'user'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(bed.folder, name)]);
    return hosts;
  }

  /** With a cable to the desk, from which surveys run. */
  async add(name: string, options: SshHostOptions = {}): Promise<void> {
    const { net, folder } = this.bed;
    this.#names.push(name);
    const network = `10.77.${this.#names.length}`;
    net.addHost(name);
    net.connect(
      { host: 'desk', name: `to-${name}`, ipv4: `${network}.1/24` },
      { host: name, name: 'desk0', ipv4: `${network}.2/24` },
    );
    this.#configure();
    if (options.isKnown !== false) this.#know(`${network}.2`);
    if (options.listens === false) return;
    const own = join(folder, name);
    mkdirSync(own);
    const files: Readonly<Record<string, string>> = {
      sshd_config: SSHD_CONFIG,
      passwd: `root:x:0:0:root:/root:${options.shell ?? '/bin/bash'}\nsshd:x:101:65534::/run/sshd:/usr/sbin/nologin\n`,
      greeting: options.greeting ?? '',
      accepts: options.acceptsKey === false ? '' : 'yes',
    };
    for (const [file, text] of Object.entries(files)) writeFileSync(join(own, file), text);
    net.spawn(name, 'unshare', ['--mount', '--propagation', 'private', 'sh', '-c', START, own, folder, SSHD]);
    await until(() => this.#listens(name), this.#signal);
  }

  /** A cable between two of them, which a survey measures. */
  connect(one: string, other: string, network: string): void {
    this.bed.net.connect(
      { host: one, name: `to-${other}`, ipv4: `${network}.1/24` },
      { host: other, name: `to-${one}`, ipv4: `${network}.2/24` },
    );
  }

  /** `plimsoll survey`, from the desk, to its end. */
  async survey(...options: readonly string[]): Promise<SurveyRun> {
    const errors = join(this.bed.folder, 'stderr');
    const child = this.start(errors, ...options);
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', text => {
      stdout += text;
    });
    const code = await new Promise<number | null>(resolve => child.once('close', resolve));
    return { code, stdout, stderr: execFileSync('cat', [errors], { encoding: 'utf8' }) };
  }

  start(errors: string, ...options: readonly string[]): HostProcess {
    const words = [process.execPath, MAIN, 'survey', '--ssh-config', this.#config, ...options];
    return this.bed.net.spawn('desk', 'env', [
      `HOME=${this.bed.home('desk-home')}`,
      'sh',
      '-c',
      'exec "$@" 2>"$0"',
      errors,
      ...words,
    ]);
  }

  /** What a survey could leave on a host: files in its folders, and processes apart from sshd's own. */
  traces(name: string): { readonly files: readonly string[]; readonly processes: readonly string[] } {
    const pids = this.#pids(name);
    // A process of a session may end before it is looked at; the one that listens stays.
    const daemon = pids.find(pid => LISTENER.test(commandOf(pid))) ?? '';
    const files = execFileSync('nsenter', [
      ...['--target', daemon, '--mount', '--', 'find'],
      ...['/tmp', '/var/tmp', '/dev/shm', '/root', '/run', '-xdev', '-printf', '%p %s %m\n'],
    ]);
    return {
      files: files.toString('utf8').trim().split('\n').sort(),
      processes: pids
        .map(pid => commandOf(pid))
        .filter(command => command !== '' && !/^(?:sshd|\/usr\/sbin\/sshd)/.test(command)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of ['desk', ...this.#names])
      for (const pid of this.#pids(name)) spawnSync('kill', ['-KILL', pid]);
    await this.bed[Symbol.asyncDispose]();
  }

  get #config(): string {
    return join(this.bed.folder, 'ssh_config');
  }

  #listens(name: string): boolean {
    return this.bed.net.run(name, 'ss', '-Hltn', 'sport', '=', ':22') !== '';
  }

  #pids(name: string): readonly string[] {
    const { net } = this.bed;
    return execFileSync('ip', ['netns', 'pids', net.nameOf(name)], { encoding: 'utf8' })
      .split('\n')
      .filter(pid => pid !== '');
  }

  #configure(): void {
    const { folder } = this.bed;
    const hosts = this.#names.map((name, at) => `Host ${name}\n  HostName 10.77.${at + 1}.2\n`);
    const common = [
      'Host *',
      'User root',
      `IdentityFile ${join(folder, 'user')}`,
      'IdentitiesOnly yes',
      `UserKnownHostsFile ${join(folder, 'known_hosts')}`,
      'GlobalKnownHostsFile /dev/null',
      'StrictHostKeyChecking yes',
    ];
    writeFileSync(this.#config, `${hosts.join('')}${common.join('\n  ')}\n`);
  }

  #know(address: string): void {
    const key = execFileSync('ssh-keygen', ['-y', '-f', join(this.bed.folder, 'host')], { encoding: 'utf8' });
    writeFileSync(join(this.bed.folder, 'known_hosts'), `${address} ${key}`, { flag: 'a' });
  }
}

const commandOf = (pid: string): string => {
  const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', pid], { encoding: 'utf8' });
  return stdout.trim();
};

/** In mounts of its own: keys and settings below /run, and empty folders where programs leave things. $0: the host's files, $1: the test's. */
const START = `set -e
mount -t tmpfs none /run
mkdir -p /run/sshd /run/own
cp "$0/sshd_config" "$0/greeting" "$1/host" /run/own
[ ! -s "$0/accepts" ] || cp "$1/user.pub" /run/own/authorized
cp "$0/passwd" /run/own/passwd
mount --bind /run/own/passwd /etc/passwd
for folder in /tmp /var/tmp /dev/shm /root; do mount -t tmpfs none "$folder"; done
[ ! -s /run/own/greeting ] || cp /run/own/greeting /root/.bashrc
cd /
exec "$2" -D -f /run/own/sshd_config`;

const SSHD_CONFIG = `Port 22
HostKey /run/own/host
AuthorizedKeysFile /run/own/authorized
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
PasswordAuthentication yes
LogLevel QUIET
`;
