// A machine's files as a recording: contents, symbolic links, and read errors. It can contain what no folder on disk
// can, such as an attribute that returns EINVAL.

import {
  type FileText,
  type MachineFiles,
  type Unreadable,
  unreadable,
} from '../../src/gather/machine-files.ts';

export interface RecordedTree {
  /** Folder that the paths below are relative to, "/sys/class/net". */
  readonly root: string;
  readonly files: Readonly<Record<string, string>>;
  /** Path to the errno that reading gives. */
  readonly errors?: Readonly<Record<string, string>>;
  /** Path to the link's target or the last part of it. */
  readonly links?: Readonly<Record<string, string>>;
}

export const recordedFiles = (trees: readonly RecordedTree[]): MachineFiles => {
  const files = merge(trees, tree => tree.files);
  const errors = merge(trees, tree => tree.errors ?? {});
  const links = merge(trees, tree => tree.links ?? {});
  const folders = foldersOf([...files.keys(), ...errors.keys(), ...links.keys()]);
  for (const [path, target] of links) {
    // "device/net" is recorded as the one name that the folder holds.
    if (path.endsWith('/net')) add(folders, path, target);
    if (target === '(directory)') folders.set(path, new Set());
  }

  const textNow = (path: string): FileText => {
    const code = errors.get(path) ?? (folders.has(path) ? 'EISDIR' : 'ENOENT');
    return files.get(path) ?? unreadable(code, path);
  };
  return {
    textNow,
    text: path => Promise.resolve(textNow(path)),
    namesNow: path => {
      const names = folders.get(path);
      return names === undefined ? unreadable('ENOENT', path) : [...names];
    },
    linkNow: (path): string | Unreadable => links.get(path) ?? unreadable('ENOENT', path),
    keepOpen: path => ({
      readNow: () => textNow(path),
      read: () => Promise.resolve(textNow(path)),
      [Symbol.dispose]: () => {},
    }),
  };
};

const merge = (
  trees: readonly RecordedTree[],
  part: (tree: RecordedTree) => Readonly<Record<string, string>>,
): Map<string, string> => {
  const merged = new Map<string, string>();
  for (const tree of trees) {
    const root = tree.root === '/' ? '' : tree.root;
    for (const [path, text] of Object.entries(part(tree))) merged.set(`${root}/${path}`, text);
  }
  return merged;
};

const foldersOf = (paths: readonly string[]): Map<string, Set<string>> => {
  const folders = new Map<string, Set<string>>();
  for (const path of paths) {
    const parts = path.split('/');
    for (let depth = parts.length - 1; depth > 0; depth--) {
      add(folders, parts.slice(0, depth).join('/'), parts[depth] ?? '');
    }
  }
  return folders;
};

const add = (folders: Map<string, Set<string>>, folder: string, name: string): void => {
  const names = folders.get(folder) ?? new Set();
  names.add(name);
  folders.set(folder, names);
};
