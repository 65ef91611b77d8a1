// Whether a machine is a virtual one, a container, or both, by the same evidence as systemd-detect-virt: firmware
// names, the hypervisor flag, marker files and control groups.

import { type Reported, unknown } from '../../core/unknown.ts';

export interface VirtualisationFacts {
  readonly systemVendor: string;
  readonly productName: string;
  /** /sys/hypervisor/type, "xen". */
  readonly hypervisorType: string;
  /** `compatible` of the device tree's hypervisor node, "linux,kvm". */
  readonly deviceTreeHypervisor: string;
  readonly hasHypervisorFlag: boolean;
  /** /proc/sys/kernel/osrelease */
  readonly kernelRelease: string;
  /** /run/systemd/container */
  readonly systemdContainer: string;
  readonly hasDockerMarker: boolean;
  readonly hasPodmanMarker: boolean;
  readonly selfCgroup: string;
  /** File system of "/", and which folder of it is mounted; '' when mountinfo cannot be read. */
  readonly rootFileSystem: string;
  readonly rootFolder: string;
  /** False if neither firmware names nor processor flags could be read. */
  readonly canSeeHardware: boolean;
}

/** "kvm", "docker", "docker, kvm", "none". */
export const virtualisation = (facts: VirtualisationFacts): Reported<string> => {
  const container = containerOf(facts);
  const machine = virtualMachineOf(facts);
  if (container === undefined && machine === undefined) {
    return facts.canSeeHardware ? 'none' : unknown('neither firmware nor processor flags can be read');
  }
  return [container, machine].filter(name => name !== undefined).join(', ');
};

const virtualMachineOf = (facts: VirtualisationFacts): string | undefined => {
  if (/microsoft/i.test(facts.kernelRelease)) return 'wsl';
  const firmware = `${facts.systemVendor} ${facts.productName}`;
  // EC2 bare-metal instances carry the same vendor; only the flag distinguishes them.
  if (/Amazon EC2/.test(firmware))
    return facts.hasHypervisorFlag || facts.productName === '' ? 'kvm' : bareMetal(facts);
  const found = MACHINES.find(([pattern]) => pattern.test(firmware));
  if (found !== undefined) return found[1];
  if (facts.hypervisorType === 'xen') return 'xen';
  if (/kvm/.test(facts.deviceTreeHypervisor)) return 'kvm';
  return facts.hasHypervisorFlag ? 'virtual machine' : undefined;
};

/** Arm has no hypervisor flag: there the instance type decides. */
const bareMetal = (facts: VirtualisationFacts): string | undefined =>
  /\.metal/.test(facts.productName) ? undefined : 'kvm';

const containerOf = (facts: VirtualisationFacts): string | undefined => {
  const named = /^[a-z0-9.-]{1,30}$/.exec(facts.systemdContainer)?.[0];
  if (named !== undefined) return named;
  const group = CONTAINER_GROUPS.find(([pattern]) => pattern.test(facts.selfCgroup));
  if (group !== undefined) return group[1];
  // A marker file also survives in a disk image that was made from a container: there "/" is an ordinary file system.
  if (isOrdinaryRoot(facts)) return undefined;
  return facts.hasPodmanMarker ? 'podman' : facts.hasDockerMarker ? 'docker' : undefined;
};

const isOrdinaryRoot = ({ rootFileSystem, rootFolder }: VirtualisationFacts): boolean =>
  rootFolder === '/' && /^(?:ext[234]|xfs|f2fs|bcachefs)$/.test(rootFileSystem);

const MACHINES: readonly (readonly [RegExp, string])[] = [
  [/VMware/, 'vmware'],
  [/innotek|VirtualBox/, 'virtualbox'],
  [/Microsoft Corporation Virtual Machine/, 'hyper-v'],
  [/Parallels/, 'parallels'],
  [/Apple Virtualization/i, 'apple'],
  [/BHYVE/i, 'bhyve'],
  [/Xen|HVM domU/, 'xen'],
  [/QEMU|KVM|Google Compute Engine|OpenStack|DigitalOcean|Firecracker|oVirt|Bochs|Standard PC/, 'kvm'],
];

const CONTAINER_GROUPS: readonly (readonly [RegExp, string])[] = [
  [/kubepods/, 'kubernetes'],
  [/\/docker[/-]/, 'docker'],
  [/libpod/, 'podman'],
  [/\/lxc[./]|\/lxc\.payload/, 'lxc'],
];
