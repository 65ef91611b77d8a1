// The package as a user gets it: packed from this build and installed into an empty folder, without install scripts, so
// nothing that is tested here needs one.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { requireBuild } from './build.ts';
import { repositoryRoot } from './repository-root.ts';

export interface InstalledPackage extends AsyncDisposable {
  /** Holds node_modules and nothing else that matters. */
  readonly folder: string;
  /** The files in the tarball according to npm, relative to the package. */
  readonly files: readonly string[];
  readonly tarballBytes: number;
}

export type Installed =
  | { readonly kind: 'installed'; readonly package: InstalledPackage }
  | { readonly kind: 'offline'; readonly reason: string };

export const installPackage = async (): Promise<Installed> => {
  requireBuild();
  const root = await mkdtemp(join(tmpdir(), 'plimsoll-package-'));
  const dispose = (): Promise<void> => rm(root, { recursive: true, force: true });
  const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', root], {
    cwd: repositoryRoot,
  });
  if (packed.code !== 0) throw new Error(`npm pack failed:\n${packed.stderr}`);
  const [tarball]: readonly PackedTarball[] = JSON.parse(packed.stdout);
  if (tarball === undefined) throw new Error(`npm pack printed nothing: ${packed.stdout}`);
  const folder = join(root, 'an empty folder');
  await mkdir(folder);
  const install = [
    'install',
    '--ignore-scripts',
    '--prefer-offline',
    '--fetch-retries=1',
    '--no-audit',
    '--no-fund',
  ];
  const installed = await run('npm', [...install, join(root, tarball.filename)], { cwd: folder });
  if (installed.code !== 0) {
    await dispose();
    if (OFFLINE.test(installed.stderr))
      return { kind: 'offline', reason: 'the npm registry cannot be reached' };
    throw new Error(`npm install of the tarball failed:\n${installed.stderr}`);
  }
  const files = tarball.files.map(({ path }) => path);
  return {
    kind: 'installed',
    package: { folder, files, tarballBytes: tarball.size, [Symbol.asyncDispose]: dispose },
  };
};

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const run = async (
  command: string,
  args: readonly string[],
  options: { readonly cwd: string },
): Promise<Ran> => {
  const child = spawn(command, args, { ...options, env: plainEnv(), stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
};

/** A person's shell with this Node first: what `npm test` sets for its scripts would lead npm back to this checkout. */
export const plainEnv = (): Readonly<Record<string, string | undefined>> => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(?!config_)|npm_config_local_prefix$|INIT_CWD$|NODE_OPTIONS$|VITEST)/i.test(name),
    ),
  ),
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
});

interface PackedTarball {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

const OFFLINE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b/;
