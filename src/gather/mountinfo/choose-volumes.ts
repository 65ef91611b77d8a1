// Which mounts are volumes on which a person may store models: each file system once, without those that the kernel,
// the boot loader and container engines mount for themselves.

import type { LinuxMount } from './parse-mountinfo.ts';

export interface Volume {
  readonly mountPoint: string;
  readonly device: string;
  readonly fileSystem: string;
  /** Its server may be gone, and then every query about it hangs. */
  readonly isRemote: boolean;
}

export const chooseVolumes = (mounts: readonly LinuxMount[]): readonly Volume[] => {
  const byDevice = new Map<string, LinuxMount>();
  // A later mount on the same point hides the earlier one.
  const visible = new Map(mounts.map(mount => [mount.mountPoint, mount]));
  for (const mount of visible.values()) {
    if (!isVolume(mount)) continue;
    const known = byDevice.get(mount.deviceNumber);
    if (known === undefined || isBetter(mount, known)) byDevice.set(mount.deviceNumber, mount);
  }
  return [...byDevice.values()]
    .sort((a, b) => (a.mountPoint < b.mountPoint ? -1 : 1))
    .slice(0, VOLUMES_MAX)
    .map(({ mountPoint, device, fileSystem }) => ({
      mountPoint,
      device: device.slice(0, PATH_LENGTH_MAX),
      fileSystem: fileSystem.slice(0, 100),
      isRemote: isRemote(fileSystem),
    }));
};

const isVolume = ({ mountPoint, fileSystem, device }: LinuxMount): boolean => {
  if (
    mountPoint.length > PATH_LENGTH_MAX ||
    SYSTEM_PLACES.test(mountPoint) ||
    IMAGE_FILE_SYSTEMS.has(fileSystem)
  )
    return false;
  if (isRemote(fileSystem) || POOLED_FILE_SYSTEMS.has(fileSystem)) return true;
  // The root of a container. Elsewhere an overlay shows the space of a volume that is listed already.
  if (fileSystem === 'overlay' || fileSystem === 'fuse.fuse-overlayfs') return mountPoint === '/';
  return device.startsWith('/dev/');
};

/** The whole file system before a folder of it, then the shorter path: bind mounts repeat the same space. */
const isBetter = (mount: LinuxMount, than: LinuxMount): boolean => {
  const isWhole = mount.root === '/';
  if (isWhole !== (than.root === '/')) return isWhole;
  return mount.mountPoint.length < than.mountPoint.length;
};

const isRemote = (fileSystem: string): boolean =>
  REMOTE_FILE_SYSTEMS.has(fileSystem) || (fileSystem.startsWith('fuse.') && !LOCAL_FUSE.test(fileSystem));

const REMOTE_FILE_SYSTEMS: ReadonlySet<string> = new Set([
  '9p',
  'afs',
  'beegfs',
  'ceph',
  'cifs',
  'glusterfs',
  'gpfs',
  'lustre',
  'nfs',
  'nfs4',
  'ocfs2',
  'orangefs',
  'smb3',
  'smbfs',
  'virtiofs',
  'wekafs',
]);
/** Their device is a name, not a path. */
const POOLED_FILE_SYSTEMS: ReadonlySet<string> = new Set(['zfs', 'btrfs', 'bcachefs']);
/** Read-only images: snaps, live systems, discs. */
const IMAGE_FILE_SYSTEMS: ReadonlySet<string> = new Set(['squashfs', 'erofs', 'cramfs', 'iso9660', 'udf']);
/** FUSE file systems that hold nothing or show a local volume again. */
const LOCAL_FUSE =
  /^fuse\.(?:lxcfs|portal|gvfsd-fuse|snapfuse|fuse-overlayfs|mergerfs|encfs|gocryptfs|rootlesskit|.*AppImage.*)$/;
const SYSTEM_PLACES =
  /^\/(?:boot|efi|proc|sys|dev|snap|run\/(?:user|credentials|snapd|containerd|docker)|var\/lib\/(?:docker|containerd|containers|kubelet|snapd|rancher)|etc\/(?:hosts|hostname|resolv\.conf))(?:\/|$)/;
const VOLUMES_MAX = 128;
const PATH_LENGTH_MAX = 1_000;
