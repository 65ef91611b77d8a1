// Space on the volumes of a Linux machine. Local volumes are queried first, so a network file system that does not
// answer delays only itself; it is reported as a failure together with the volumes that did answer.

import type { Clock } from '../../clock/clock.ts';
import type { DiskVolume } from '../../core/node/disk.ts';
import { errorMessage } from '../../core/problem.ts';
import type { ReasonCode } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { isUnreadable, readFailed } from '../machine-files.ts';
import type { ReadSpace, SpaceAnswer } from '../machine-host.ts';
import { poll } from '../poll.ts';
import { type LinuxMount, parseMountinfo } from './parse-mountinfo.ts';

/** `readSpace` queries one volume, whose file system may never answer. */
export const linuxDiskGatherer = (
  { files, host, intervals, timeouts }: MachineAccess,
  readSpace: ReadSpace = path => host.volumeSpace(path),
): Gatherer => ({
  name: 'mountinfo-disk',
  reports: [DISK],
  intervalMs: intervals.diskMs,
  gather: async session => {
    const spaces = new VolumeSpaces(readSpace, {
      clock: session.clock,
      waitMs: timeouts.kernelMs,
    });
    await poll(session, intervals.diskMs, async signal => {
      const text = files.textNow('/proc/self/mountinfo');
      if (isUnreadable(text)) throw readFailed(text);
      const chosen = chooseVolumes(parseMountinfo(text));
      const volumes: DiskVolume[] = [];
      const failures: { readonly reason: string; readonly code?: ReasonCode }[] = [];
      const request = async (volume: Volume): Promise<void> => {
        const space = await spaces.read(volume, signal);
        if (space.kind === 'volume') volumes.push(space.volume);
        if (space.kind === 'failed') failures.push(space);
      };
      try {
        for (const volume of chosen.filter(({ isRemote }) => !isRemote)) await request(volume);
        for (const volume of chosen.filter(({ isRemote }) => isRemote)) await request(volume);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      volumes.sort((a, b) => (a.mountPoint < b.mountPoint ? -1 : 1));
      session.emit('mountinfo, statfs', { kind: 'disk', value: { volumes } });
      if (failures.length === 0) return;
      const reason = failures.map(failure => failure.reason).join('; ');
      const code = failures.find(failure => failure.code !== undefined)?.code;
      session.fail(DISK, 'statfs', reason.slice(0, REASON_LENGTH_MAX), code);
    });
  },
});

const REASON_LENGTH_MAX = 1_000;
const DISK: GatheredKind = { reading: 'disk', vendor: 'none' };

// Space of one volume, with a time limit. A query about a network file system whose server is gone never returns and
// occupies one of the few threads of the runtime's pool: such a volume is not queried again until it has answered, and
// at most two of them are waited for at a time.
type VolumeSpace =
  | { readonly kind: 'volume'; readonly volume: DiskVolume }
  /** Not a place to store anything: a file that was mounted on, a pseudo file system. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly reason: string; readonly code?: ReasonCode };

class VolumeSpaces {
  readonly #request: ReadSpace;
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #silent = new Set<string>();

  constructor(request: ReadSpace, options: { readonly clock: Clock; readonly waitMs: number }) {
    this.#request = request;
    this.#clock = options.clock;
    this.#waitMs = options.waitMs;
  }

  /** @throws only the signal's reason, when it aborts. */
  async read(volume: Volume, signal: AbortSignal): Promise<VolumeSpace> {
    const { mountPoint } = volume;
    if (this.#silent.has(mountPoint))
      return { kind: 'failed', reason: `${mountPoint} still does not answer`, code: 'no-answer' };
    if (volume.isRemote && this.#silent.size >= SILENT_MAX) {
      return { kind: 'failed', reason: `${mountPoint} is not read while other volumes do not answer` };
    }
    this.#silent.add(mountPoint);
    const answered = this.#request(mountPoint)
      .then(
        answer => spaceOf(volume, answer),
        (error: unknown): VolumeSpace => ({
          kind: 'failed',
          reason: `${mountPoint}: ${errorMessage(error)}`,
        }),
      )
      .finally(() => this.#silent.delete(mountPoint));
    const giveUp = new AbortController();
    const late: Promise<VolumeSpace> = this.#clock
      .sleep(this.#waitMs, AbortSignal.any([signal, giveUp.signal]))
      .then(() => ({
        kind: 'failed',
        reason: `${mountPoint} gave no answer in ${this.#waitMs} ms`,
        code: 'no-answer',
      }));
    late.catch(() => {}); // given up, or aborted: the race below decides which
    try {
      return await Promise.race([answered, late]);
    } finally {
      giveUp.abort();
    }
  }
}

const spaceOf = (volume: Volume, { isFolder, totalBytes, availableBytes }: SpaceAnswer): VolumeSpace => {
  if (!isFolder || totalBytes <= 0n) return { kind: 'none' };
  const { mountPoint, device, fileSystem } = volume;
  return {
    kind: 'volume',
    volume: {
      mountPoint,
      device,
      fileSystem,
      totalBytes: exact(totalBytes),
      availableBytes: exact(availableBytes),
    },
  };
};

/** Elastic network file systems report 8 EiB for "unlimited": more than a number holds exactly. */
const exact = (bytes: bigint): number => (bytes < 0n ? 0 : Number(bytes > SAFE_MAX ? SAFE_MAX : bytes));

const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);
/** Of the four threads that the runtime has by default. */
const SILENT_MAX = 2;

// Which mounts are volumes on which a person may store models: each file system once, without those that the kernel,
// the boot loader and container engines mount for themselves.
interface Volume {
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
    SYSTEM_PATHS.test(mountPoint) ||
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
const SYSTEM_PATHS =
  /^\/(?:boot|efi|proc|sys|dev|snap|run\/(?:user|credentials|snapd|containerd|docker)|var\/lib\/(?:docker|containerd|containers|kubelet|snapd|rancher)|etc\/(?:hosts|hostname|resolv\.conf))(?:\/|$)/;
const VOLUMES_MAX = 128;
const PATH_LENGTH_MAX = 1_000;
