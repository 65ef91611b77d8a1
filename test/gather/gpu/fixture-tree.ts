// A machine's /sys and /proc from a fixture: `files` maps a path to its text, `links` a path to a symbolic link's target.

import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface TreeFixture {
  readonly files: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
}

export class FixtureTree {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  static async create(...fixtures: readonly TreeFixture[]): Promise<FixtureTree> {
    const tree = new FixtureTree(await mkdtemp(join(tmpdir(), 'plimsoll-tree-')));
    for (const fixture of fixtures) {
      for (const [path, text] of Object.entries(fixture.files)) await tree.write(path, text);
      for (const [path, target] of Object.entries(fixture.links ?? {})) await tree.link(path, target);
    }
    return tree;
  }

  async write(path: string, text: string | Uint8Array): Promise<void> {
    await mkdir(dirname(join(this.root, path)), { recursive: true });
    await writeFile(join(this.root, path), text);
  }

  async link(path: string, target: string): Promise<void> {
    await mkdir(dirname(join(this.root, path)), { recursive: true });
    await symlink(target, join(this.root, path));
  }

  async remove(path: string): Promise<void> {
    await rm(join(this.root, path), { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

export const fixtureText = (path: string): string =>
  readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), 'utf8');

export const treeFixture = (name: string): TreeFixture => {
  const fixture: TreeFixture = JSON.parse(fixtureText(`sysfs-drm/${name}.json`));
  return fixture;
};
