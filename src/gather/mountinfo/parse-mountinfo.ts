// /proc/self/mountinfo (Documentation/filesystems/proc.rst §3.5): what is mounted where, as this process sees it.

export interface LinuxMount {
  /** "259:2"; equal for bind mounts of one file system. */
  readonly deviceNumber: string;
  /** The folder of that file system which is mounted: "/" unless it is a bind mount. */
  readonly root: string;
  readonly mountPoint: string;
  readonly fileSystem: string;
  /** "/dev/nvme0n1p2", "server:/export", "tmpfs". */
  readonly device: string;
  readonly superOptions: readonly string[];
}

/** Lines that are not of this form are left out: a later kernel may add others. */
export const parseMountinfo = (text: string): readonly LinuxMount[] =>
  text
    .split('\n')
    .slice(0, MOUNTS_MAX)
    .flatMap(line => {
      const separator = line.indexOf(' - ');
      if (separator === -1) return [];
      const [, , deviceNumber, root, mountPoint] = line.slice(0, separator).split(' ');
      const [fileSystem, device, superOptions] = line.slice(separator + 3).split(' ');
      if (deviceNumber === undefined || root === undefined || !mountPoint || !fileSystem) return [];
      return [
        {
          deviceNumber,
          root: unescapeOctal(root),
          mountPoint: unescapeOctal(mountPoint),
          fileSystem,
          device: unescapeOctal(device ?? ''),
          superOptions: (superOptions ?? '').split(','),
        },
      ];
    });

/** Spaces, tabs, newlines and backslashes come as \040, \011, \012 and \134; everything else as it is. */
const unescapeOctal = (text: string): string =>
  text.replaceAll(/\\([01][0-7]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );

const MOUNTS_MAX = 10_000;
