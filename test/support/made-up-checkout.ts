// A checkout with the real scripts and stand-ins for npm, tsc, Vite and the daemon, which write down that they ran. In a
// folder with a space, because a person's home may have one.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryRoot } from './repository-root.ts';

interface CheckoutOptions {
  /** Whether node_modules holds what the lockfile asks for. */
  readonly isInstalled: boolean;
  /** Source of bin/plimsoll.js. */
  readonly daemon: string;
  /** What the stand-in of npm does after it wrote that it ran. */
  readonly npm?: string;
  readonly hasPinnedNode?: boolean;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class MadeUpCheckout implements AsyncDisposable {
  readonly folder: string;
  readonly #children: ChildProcess[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(options: CheckoutOptions): Promise<MadeUpCheckout> {
    const folder = join(await mkdtemp(join(tmpdir(), 'plimsoll-')), 'a checkout');
    const checkout = new MadeUpCheckout(folder);
    await cp(join(repositoryRoot, 'scripts'), join(folder, 'scripts'), { recursive: true });
    await checkout.write('package.json', '{"name":"made-up","version":"1.0.0","type":"module"}');
    await checkout.write('package-lock.json', LOCKFILE);
    await checkout.write('src/main.ts', 'export const one = 1;\n');
    await checkout.write('test/flaky-tests.json', '[]');
    await checkout.write('bin/plimsoll.js', options.daemon);
    await checkout.write('npm/package.json', '{"type":"commonjs"}');
    await checkout.write('npm/npm-cli.js', `${noting('npm')}\n${options.npm ?? ''}`);
    await checkout.write('node_modules/typescript/bin/tsc', `${noting('tsc')} ${MAKES_DIST}`);
    await checkout.write('node_modules/vite/bin/vite.js', noting('vite'));
    if (options.isInstalled) await checkout.write('node_modules/.package-lock.json', LOCKFILE);
    if (options.hasPinnedNode !== false) await checkout.pinNode();
    return checkout;
  }

  async write(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.folder, file)), { recursive: true });
    await writeFile(join(this.folder, file), text);
  }

  async pinNode(): Promise<void> {
    await mkdir(join(this.folder, 'node_modules/node/bin'), { recursive: true });
    await symlink(process.execPath, join(this.folder, 'node_modules/node/bin/node'));
  }

  /** What ran, in order: "npm", "tsc", "vite", and the notes of the daemon. */
  async notes(): Promise<readonly string[]> {
    const text = await readFile(join(this.folder, 'notes'), 'utf8').catch(() => '');
    return text.split('\n').filter(line => line !== '');
  }

  start(args: readonly string[] = [], node: string = process.execPath): StartedScript {
    return this.#spawn(node, [join(this.folder, 'scripts/start.js'), ...args], {});
  }

  /** `npm test` without apt. */
  test(env: Readonly<Record<string, string>> = {}, args: readonly string[] = []): StartedScript {
    const script = join(this.folder, 'scripts/test.js');
    return this.#spawn(process.execPath, [script, ...args], { PLIMSOLL_NO_APT: '1', ...env });
  }

  /** The trailing `true` keeps the shell from becoming the script. */
  startByShell(): StartedScript {
    const script = '"$NODE" scripts/start.js; true';
    return this.#spawn('sh', ['-c', script], { NODE: process.execPath, npm_lifecycle_event: 'start' });
  }

  #spawn(program: string, args: readonly string[], env: Readonly<Record<string, string>>): StartedScript {
    const npm = { npm_execpath: join(this.folder, 'npm/npm-cli.js'), npm_node_execpath: process.execPath };
    const child = spawn(program, args, {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, npm_lifecycle_event: '', ...npm, ...env },
    });
    this.#children.push(child);
    return new StartedScript(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await rm(dirname(this.folder), { recursive: true, force: true });
  }
}

class StartedScript {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  #stdout = '';
  #stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding('utf8').on('data', text => {
      this.#stdout += text;
      child.emit('reported');
    });
    child.stderr?.setEncoding('utf8').on('data', text => {
      this.#stderr += text;
    });
    this.ended = once(child, 'close').then(([code, signal]) => ({
      code,
      signal,
      stdout: this.#stdout,
      stderr: this.#stderr,
    }));
  }

  async untilStdout(text: string): Promise<void> {
    while (!this.#stdout.includes(text)) {
      await Promise.race([once(this.child, 'reported'), this.ended]);
      if (this.child.exitCode !== null && !this.#stdout.includes(text))
        throw new Error(`ended before it wrote "${text}": ${this.#stderr}`);
    }
  }
}

const noting = (name: string): string => `require('fs').appendFileSync('notes', '${name}\\n');`;

const MAKES_DIST = `require('fs').mkdirSync('dist', { recursive: true });`;

const LOCKFILE = JSON.stringify({
  lockfileVersion: 3,
  packages: { '': { name: 'made-up' }, 'node_modules/vite': { version: '1.0.0' } },
});
