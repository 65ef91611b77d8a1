// What a person can do about an error of the CUDA driver. Codes as in cuda.h of CUDA 13.0; the advice is from NVIDIA's
// documentation of each code and has not been met on hardware here.

export class CudaError extends Error {
  override readonly name = 'CudaError';
  /** CUresult */
  readonly code: number;

  constructor(code: number, call: string, driverName: string) {
    super(`${call}: ${MEANINGS.get(code) ?? 'the driver failed'} (${driverName})`);
    this.code = code;
  }
}

/** After these nothing more can be asked of the device in this process. */
export const isLost = (code: number): boolean => code >= 700 && code < 800;

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [1, 'the driver refused an argument'],
  [2, 'too little device memory is free; something else holds it'],
  [3, 'the driver is not initialised'],
  [34, "a stub library was loaded: take the toolkit's stubs folder off the library path"],
  [46, 'the device is busy or not available to this process'],
  [100, 'the driver sees no device; in a container, give it one'],
  [101, 'the driver has no device of this number'],
  [201, 'no context is current'],
  [209, 'this device is older than our kernel'],
  [214, 'the device found an uncorrectable memory error (ECC): see nvidia-smi -q -d ECC'],
  [218, 'the driver could not compile our kernel'],
  [221, 'the driver has no compiler here: a container needs NVIDIA_DRIVER_CAPABILITIES=compute,utility'],
  [222, 'the driver is older than our kernel: update it'],
  [700, 'the device met an illegal address and the process is lost'],
  [702, 'the device took too long and was reset by its watchdog'],
  [715, 'the device met an illegal instruction and the process is lost'],
  [716, 'the device met a misaligned address and the process is lost'],
  [719, 'the kernel failed on the device and the process is lost'],
  [801, 'this device does not support it'],
  [802, 'the system is not ready: on machines with NVSwitch, start the fabric manager'],
  [803, 'driver and library have different versions: reboot after the driver update'],
  [804, 'driver and library do not fit together: update or reboot'],
  [999, 'the driver failed without a reason: after suspend, reload nvidia_uvm; else see dmesg'],
]);
