// Which folders hold the limits of this process: those of its control group and of every group above it, since the tightest
// limit counts. Pure: finding is separate from reading.

import { digitsIn } from '../machine-files.ts';
import type { LinuxMount } from '../mountinfo/parse-mountinfo.ts';

interface ControlGroupFolder {
  readonly version: 1 | 2;
  readonly path: string;
}

/** From the process's own group upwards; version 2 before version 1, where a hybrid system mounts both. */
export const controlGroupFolders = (
  selfCgroup: string,
  mounts: readonly LinuxMount[],
  controller: 'cpu' | 'memory' = 'memory',
): readonly ControlGroupFolder[] => {
  const own = parseSelfCgroup(selfCgroup, controller);
  const unified = mounts.find(mount => mount.fileSystem === 'cgroup2');
  const alone = mounts.find(
    mount => mount.fileSystem === 'cgroup' && mount.superOptions.includes(controller),
  );
  return [...foldersUpwards(2, unified, own.unifiedPath), ...foldersUpwards(1, alone, own.controllerPath)];
};

export const controlGroupFiles = (
  folder: ControlGroupFolder,
): { limit: string; used: string; stat: string } => ({
  limit: `${folder.path}/${folder.version === 2 ? 'memory.max' : 'memory.limit_in_bytes'}`,
  used: `${folder.path}/${folder.version === 2 ? 'memory.current' : 'memory.usage_in_bytes'}`,
  stat: `${folder.path}/memory.stat`,
});

/** Undefined for "max" and for version 1's largest number, which both mean that there is no limit. */
export const parseMemoryLimit = (text: string): number | undefined => {
  const trimmed = text.trim();
  // Version 1 writes 2^63 rounded down to a page, 19 digits, for no limit; digitsIn stops at 2^53, and no limit is above that.
  return digitsIn(trimmed);
};

/** Page cache that is freed first when memory is short; container tools subtract it from usage, and so do we. */
export const parseInactiveFileBytes = (memoryStat: string): number =>
  digitsIn(/^(?:total_)?inactive_file (\d+)$/m.exec(memoryStat)?.[1]) ?? 0;

/** Lines "9:memory:/path" and "0::/path". */
const parseSelfCgroup = (
  text: string,
  controller: string,
): { readonly unifiedPath: string | undefined; readonly controllerPath: string | undefined } => {
  let unifiedPath: string | undefined;
  let controllerPath: string | undefined;
  for (const line of text.split('\n')) {
    const match = /^(\d+):([^:]*):(\/.*)$/.exec(line);
    if (match === null) continue;
    const [, hierarchy, controllers = '', path] = match;
    if (hierarchy === '0' && controllers === '') unifiedPath ??= path;
    if (controllers.split(',').includes(controller)) controllerPath ??= path;
  }
  return { unifiedPath, controllerPath };
};

const foldersUpwards = (
  version: 1 | 2,
  mount: LinuxMount | undefined,
  ownPath: string | undefined,
): readonly ControlGroupFolder[] => {
  if (mount === undefined || ownPath === undefined) return [];
  const parts = pathBelowMount(mount.root, ownPath)
    .split('/')
    .filter(part => part !== '');
  // "/../x" is a group outside this process's namespace: only the mount point itself can be read.
  const depth = parts.includes('..') ? 0 : Math.min(parts.length, DEPTH_MAX);
  return Array.from({ length: depth + 1 }, (_, level) => ({
    version,
    path: [mount.mountPoint, ...parts.slice(0, depth - level)].join('/'),
  }));
};

/** Docker on version 1 shows the host's path in /proc/self/cgroup, but mounts only the part below it. */
const pathBelowMount = (mountRoot: string, ownPath: string): string => {
  if (mountRoot === '/') return ownPath;
  if (ownPath === mountRoot) return '/';
  return ownPath.startsWith(`${mountRoot}/`) ? ownPath.slice(mountRoot.length) : '/';
};

const DEPTH_MAX = 32;
