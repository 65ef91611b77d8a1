// Device memory filled with random numbers: a pattern from the host, doubled on the device until the buffer is full.

import type { CudaDriver, CudaHandle } from '../../../native/cuda-driver.ts';

export interface DeviceBuffer extends Disposable {
  readonly address: CudaHandle;
  readonly bytes: number;
}

/** Freed when disposed of. @throws CudaError, 2 when too little is free. */
export const deviceBuffer = (driver: CudaDriver, bytes: number): DeviceBuffer => {
  const address = driver.allocate(bytes);
  return { address, bytes, [Symbol.dispose]: () => driver.free(address) };
};

/** The pattern again and again; the last one may be cut. */
export const fillDevice = (
  driver: CudaDriver,
  buffer: DeviceBuffer,
  pattern: Uint8Array | Uint16Array,
): void => {
  const source = new Uint8Array(pattern.buffer, pattern.byteOffset, pattern.byteLength);
  const first = Math.min(source.byteLength, buffer.bytes);
  driver.copyToDevice(buffer.address, source.subarray(0, first));
  for (let filled = first; filled < buffer.bytes; filled *= 2) {
    const more = Math.min(filled, buffer.bytes - filled);
    driver.copyOnDevice(buffer.address + BigInt(filled), buffer.address, more);
  }
  driver.synchronize();
};
