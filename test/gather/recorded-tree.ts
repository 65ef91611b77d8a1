// Recordings of /proc and /sys as fixtures, read in memory or planted as real files beneath a temporary folder.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fixture } from '../support/fixture.ts';
import type { RecordedTree } from '../support/recorded-files.ts';

export const recordedTree = (path: string): RecordedTree => {
  const tree: RecordedTree = JSON.parse(fixture(path));
  return tree;
};

/** Paths from the root, as in { '/proc/loadavg': '0.1 …' }. */
export const filesAt = (files: Readonly<Record<string, string>>): RecordedTree => ({
  root: '',
  files: Object.fromEntries(Object.entries(files).map(([path, text]) => [path.replace(/^\//, ''), text])),
});

/** What a folder on disk cannot hold (an attribute that answers EINVAL) is left out. */
export const plant = (root: string, trees: readonly RecordedTree[]): void => {
  for (const tree of trees) {
    const pathOf = (path: string): string => join(root, tree.root, path);
    for (const [path, text] of Object.entries(tree.files)) {
      mkdirSync(dirname(pathOf(path)), { recursive: true });
      writeFileSync(pathOf(path), text);
    }
    const links = Object.entries(tree.links ?? {});
    const paths = [...Object.keys(tree.files), ...links.map(([path]) => path)];
    for (const [path, target] of links) {
      mkdirSync(dirname(pathOf(path)), { recursive: true });
      const isFolder = target === '(directory)' || paths.some(other => other.startsWith(`${path}/`));
      if (path.endsWith('/net')) mkdirSync(join(pathOf(path), target), { recursive: true });
      else if (isFolder) mkdirSync(pathOf(path), { recursive: true });
      else symlinkSync(target, pathOf(path));
    }
  }
};
