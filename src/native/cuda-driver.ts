// NVIDIA's driver library, called directly: it is on every machine that has the driver, while the toolkit is not. Names and
// sizes as in the headers of CUDA 13.0: a function without its suffix may be an older one with smaller numbers.
// Only for a short-lived child process, on its main thread: a context belongs to a thread, an error from 700 up to a process.

import { errorMessage } from '../core/problem.ts';
import { firstLine } from '../core/text/single-line.ts';
import type { Koffi } from './load-koffi.ts';

/** An address or handle, which may be past 2^53. */
export type CudaHandle = bigint;

export interface CudaDevice {
  readonly ordinal: number;
  readonly name: string;
  /** "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", as nvidia-smi writes it. */
  readonly uuid: string;
  /** "0000:c1:00.0" */
  readonly pciAddress: string;
}

export interface CudaDriver {
  /** 13000 for CUDA 13.0. */
  readonly version: number;
  readonly devices: readonly CudaDevice[];
  attribute(device: CudaDevice, attribute: CudaAttribute): number;
  /** Makes the device's primary context current on this thread; waiting then costs no processor time. */
  useDevice(device: CudaDevice): void;
  memory(): { readonly freeBytes: number; readonly totalBytes: number };
  allocate(bytes: number): CudaHandle;
  free(address: CudaHandle): void;
  copyToDevice(address: CudaHandle, source: Uint8Array): void;
  copyFromDevice(sink: Uint8Array, address: CudaHandle): void;
  /** On stream 0; returns before it is done. */
  copyOnDevice(sink: CudaHandle, source: CudaHandle, bytes: number): void;
  /** @throws CudaError with the output of the driver's compiler. */
  loadKernel(ptx: string, name: string): CudaHandle;
  /** On stream 0. Each argument is passed as 8 bytes. */
  launch(kernel: CudaHandle, shape: CudaLaunch, values: readonly bigint[]): void;
  synchronize(): void;
  /** Time on the device between before and after what `work` puts on stream 0. */
  elapsedMs(work: () => void): number;
}

interface CudaLaunch {
  readonly blocks: number;
  readonly threadsPerBlock: number;
}

type CudaAttribute = keyof typeof ATTRIBUTES;

/** @throws Error when the library is not there or lacks a function, CudaError when it refuses. */
export const openCudaDriver = (koffi: Koffi, platform: string): CudaDriver => {
  const library = load(koffi, platform);
  const call = (name: string, parameters: string): ((...values: readonly unknown[]) => void) => {
    const raw = library.func(`int ${name}(${parameters})`);
    return (...values) => {
      const code = Number(raw(...values));
      if (code !== 0) throw new CudaError(code, name, nameOf(code));
    };
  };
  const errorName = library.func('int cuGetErrorName(int32_t code, _Out_ const char **name)');
  const nameOf = (code: number): string => {
    const out: unknown[] = [null];
    errorName(code, out);
    return typeof out[0] === 'string' ? out[0] : `code ${code}`;
  };

  const getAttribute = call(
    'cuDeviceGetAttribute',
    '_Out_ int32_t *value, int32_t attribute, int32_t device',
  );
  const setFlags = call('cuDevicePrimaryCtxSetFlags_v2', 'int32_t device, uint32_t flags');
  const retain = call('cuDevicePrimaryCtxRetain', '_Out_ uintptr_t *context, int32_t device');
  const setCurrent = call('cuCtxSetCurrent', 'uintptr_t context');
  const synchronize = call('cuCtxSynchronize', '');
  const memoryInfo = call('cuMemGetInfo_v2', '_Out_ size_t *free, _Out_ size_t *total');
  const allocate = call('cuMemAlloc_v2', '_Out_ uint64_t *address, size_t bytes');
  const free = call('cuMemFree_v2', 'uint64_t address');
  const toDevice = call('cuMemcpyHtoD_v2', 'uint64_t sink, const void *source, size_t bytes');
  const fromDevice = call('cuMemcpyDtoH_v2', '_Out_ uint8_t *sink, uint64_t source, size_t bytes');
  const onDevice = call(
    'cuMemcpyDtoDAsync_v2',
    'uint64_t sink, uint64_t source, size_t bytes, uintptr_t stream',
  );
  const loadModule = call(
    'cuModuleLoadDataEx',
    '_Out_ uintptr_t *module, const char *image, uint32_t count, const int32_t *options, const uint64_t *values',
  );
  const getFunction = call(
    'cuModuleGetFunction',
    '_Out_ uintptr_t *kernel, uintptr_t module, const char *name',
  );
  const launchKernel = call(
    'cuLaunchKernel',
    'uintptr_t kernel, uint32_t gridX, uint32_t gridY, uint32_t gridZ, uint32_t blockX, uint32_t blockY, uint32_t blockZ, uint32_t sharedBytes, uintptr_t stream, const uint64_t *arguments, void *extra',
  );
  const createEvent = call('cuEventCreate', '_Out_ uintptr_t *event, uint32_t flags');
  const record = call('cuEventRecord', 'uintptr_t event, uintptr_t stream');
  const awaitEvent = call('cuEventSynchronize', 'uintptr_t event');
  const elapsed = call('cuEventElapsedTime', '_Out_ float *ms, uintptr_t from, uintptr_t to');
  const destroyEvent = call('cuEventDestroy_v2', 'uintptr_t event');

  const version = startedVersion(call);
  return {
    version,
    devices: listDevices(call),
    attribute: ({ ordinal }, attribute) => {
      const out = [0];
      getAttribute(out, ATTRIBUTES[attribute], ordinal);
      return out[0] ?? 0;
    },
    useDevice: ({ ordinal }) => {
      setFlags(ordinal, CONTEXT_BLOCKING_SYNC);
      const context: unknown[] = [0];
      retain(context, ordinal);
      setCurrent(context[0]);
    },
    memory: () => {
      const freeBytes = [0];
      const totalBytes = [0];
      memoryInfo(freeBytes, totalBytes);
      return { freeBytes: Number(freeBytes[0]), totalBytes: Number(totalBytes[0]) };
    },
    allocate: bytes => {
      const out: unknown[] = [0];
      allocate(out, bytes);
      return handleOf(out[0]);
    },
    free: address => free(address),
    copyToDevice: (address, source) => toDevice(address, source, source.byteLength),
    copyFromDevice: (sink, address) => fromDevice(sink, address, sink.byteLength),
    copyOnDevice: (sink, source, bytes) => onDevice(sink, source, bytes, 0),
    loadKernel: (ptx, name) => {
      const log = Buffer.alloc(COMPILER_LOG_BYTES);
      const options = Int32Array.of(JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES);
      const values = BigUint64Array.of(koffi.address(log), BigInt(log.byteLength));
      const module: unknown[] = [0];
      try {
        loadModule(module, ptx, options.length, options, values);
      } catch (error) {
        const reported = firstLine(log.toString('utf8', 0, Math.max(0, log.indexOf(0))));
        if (reported !== '' && error instanceof CudaError) error.message += `: ${reported}`;
        throw error;
      }
      const kernel: unknown[] = [0];
      getFunction(kernel, module[0], name);
      return handleOf(kernel[0]);
    },
    launch: (kernel, { blocks, threadsPerBlock }, values) => {
      const bytes = BigUint64Array.from(values);
      const first = koffi.address(bytes);
      const addresses = BigUint64Array.from(values, (_, index) => first + 8n * BigInt(index));
      launchKernel(kernel, blocks, 1, 1, threadsPerBlock, 1, 1, 0, 0, addresses, null);
    },
    synchronize: () => synchronize(),
    elapsedMs: work => {
      const from: unknown[] = [0];
      const to: unknown[] = [0];
      createEvent(from, EVENT_BLOCKING_SYNC);
      createEvent(to, EVENT_BLOCKING_SYNC);
      record(from[0], 0);
      work();
      record(to[0], 0);
      awaitEvent(to[0]);
      const ms = [0];
      elapsed(ms, from[0], to[0]);
      destroyEvent(from[0]);
      destroyEvent(to[0]);
      return ms[0] ?? 0;
    },
  };
};

/** Codes as in cuda.h; the advice is from NVIDIA's documentation of each and has not been seen on hardware here. */
export class CudaError extends Error {
  override readonly name = 'CudaError';
  /** CUresult */
  readonly code: number;

  constructor(code: number, call: string, driverName: string) {
    super(`${call}: ${MEANINGS.get(code) ?? 'the driver failed'} (${driverName})`);
    this.code = code;
  }
}

/** After these the device can no longer be used in this process. */
export const isLost = (code: number): boolean => code >= 700 && code < 800;

type Declare = (name: string, parameters: string) => (...values: readonly unknown[]) => void;

const startedVersion = (call: Declare): number => {
  call('cuInit', 'uint32_t flags')(0);
  const out = [0];
  call('cuDriverGetVersion', '_Out_ int32_t *version')(out);
  return out[0] ?? 0;
};

const listDevices = (call: Declare): readonly CudaDevice[] => {
  const getDevice = call('cuDeviceGet', '_Out_ int32_t *device, int32_t index');
  const getName = call('cuDeviceGetName', '_Out_ uint8_t *name, int32_t length, int32_t device');
  const getUuid = call('cuDeviceGetUuid_v2', '_Out_ uint8_t *uuid, int32_t device');
  const getPciAddress = call('cuDeviceGetPCIBusId', '_Out_ uint8_t *text, int32_t length, int32_t device');
  const count = [0];
  call('cuDeviceGetCount', '_Out_ int32_t *count')(count);
  return Array.from({ length: Math.min(count[0] ?? 0, DEVICES_MAX) }, (_, index) => {
    const device = [0];
    getDevice(device, index);
    const ordinal = device[0] ?? 0;
    const name = Buffer.alloc(256);
    getName(name, name.length, ordinal);
    const uuid = Buffer.alloc(16);
    getUuid(uuid, ordinal);
    const pci = Buffer.alloc(64);
    getPciAddress(pci, pci.length, ordinal);
    return { ordinal, name: text(name), uuid: uuidText(uuid), pciAddress: text(pci).toLowerCase() };
  });
};

const load = (koffi: Koffi, platform: string) => {
  const name = platform === 'win32' ? 'nvcuda.dll' : 'libcuda.so.1';
  try {
    return koffi.load(name);
  } catch (error) {
    throw new Error(`the NVIDIA driver library ${name} cannot be loaded: ${firstLine(errorMessage(error))}`);
  }
};

const handleOf = (value: unknown): CudaHandle =>
  typeof value === 'bigint' ? value : BigInt(typeof value === 'number' ? value : 0);

const text = (bytes: Buffer): string => bytes.toString('utf8', 0, Math.max(0, bytes.indexOf(0)));

const uuidText = (bytes: Buffer): string =>
  `GPU-${bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`;

const ATTRIBUTES = {
  multiprocessors: 16,
  integrated: 18,
  computeMode: 20,
  secondLevelCacheBytes: 38,
  computeCapabilityMajor: 75,
  computeCapabilityMinor: 76,
} as const;
const CONTEXT_BLOCKING_SYNC = 4;
const EVENT_BLOCKING_SYNC = 1;
const JIT_ERROR_LOG = 5;
const JIT_ERROR_LOG_BYTES = 6;
const COMPILER_LOG_BYTES: number = 8 * 1024;
const DEVICES_MAX = 256;
const MEANINGS: ReadonlyMap<number, string> = new Map([
  [1, 'the driver refused an argument'],
  [2, 'too little device memory is free; another program uses it'],
  [3, 'the driver is not initialised'],
  [34, "a stub library was loaded: take the toolkit's stubs folder off the library path"],
  [46, 'the device is busy or not available to this process'],
  [100, 'the driver sees no device; in a container, give it one'],
  [101, 'the driver has no device with this number'],
  [201, 'no context is current'],
  [209, 'this device is older than our kernel'],
  [214, 'the device found an uncorrectable memory error (ECC): see nvidia-smi -q -d ECC'],
  [218, 'the driver could not compile our kernel'],
  [221, 'the driver has no compiler here: a container needs NVIDIA_DRIVER_CAPABILITIES=compute,utility'],
  [222, 'the driver is older than our kernel: update it'],
  [700, 'the device hit an illegal address and the process cannot continue'],
  [702, 'the device took too long and was reset by its watchdog'],
  [715, 'the device hit an illegal instruction and the process cannot continue'],
  [716, 'the device hit a misaligned address and the process cannot continue'],
  [719, 'the kernel failed on the device and the process cannot continue'],
  [801, 'this device does not support it'],
  [802, 'the system is not ready: on machines with NVSwitch, start the fabric manager'],
  [803, 'driver and library have different versions: reboot after the driver update'],
  [804, 'driver and library do not match: update or reboot'],
  [999, 'the driver failed without a reason: after suspend, reload nvidia_uvm; else see dmesg'],
]);
