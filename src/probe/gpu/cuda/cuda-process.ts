// The child process that measures an NVIDIA device. All calls are synchronous and on this thread, to which the device's
// context belongs; the parent's deadline ends a hanging driver.

import process from 'node:process';
import * as v from 'valibot';
import { memoryFigures } from '../../../core/node/gpu-profile.ts';
import { errorMessage } from '../../../core/problem.ts';
import { firstLine } from '../../../core/text/single-line.ts';
import { isUnknown, unknown } from '../../../core/unknown.ts';
import { type CublasLt, openCublasLt } from '../../../native/cublas.ts';
import { cublasAdvice, findCublasLt } from '../../../native/cublas-search.ts';
import { type CudaDevice, type CudaDriver, openCudaDriver } from '../../../native/cuda-driver.ts';
import { ownUserId } from '../../../native/library-search.ts';
import { type Koffi, loadKoffi } from '../../../native/load-koffi.ts';
import { answerParent } from '../../probe-answer.ts';
import type { DeviceAnswer } from '../device-answer.ts';
import { measureCudaMemory } from './cuda-memory.ts';
import { type CudaProduct, measureCudaGemv, measureCudaProduct } from './cuda-product.ts';
import { type CudaRequest, cudaRequestSchema } from './cuda-request.ts';
import { FP8, FP16, INT8 } from './product-kinds.ts';

const measure = async (requested: unknown): Promise<DeviceAnswer> => {
  const request = v.parse(cudaRequestSchema, requested);
  const foreign = await loadKoffi(process.env);
  if (foreign.kind === 'missing') return { kind: 'failed', reason: foreign.reason };
  const driver = openCudaDriver(foreign.koffi, process.platform);
  const device = chosen(driver, request.deviceId);
  if (driver.attribute(device, 'computeMode') === PROHIBITED) {
    return {
      kind: 'failed',
      reason: 'its compute mode is "prohibited": nvidia-smi -c 0 allows programs to use it',
    };
  }
  driver.useDevice(device);
  const memory = measureCudaMemory(driver, device, request.batches);
  const { product, int8, fp8, gemv } = productsOf(foreign.koffi, driver, request);
  const figures = [product.perSecond, memory.readBytesPerSecond, memory.copyBytesPerSecond];
  const reasons = [...new Set(figures.filter(isUnknown).map(({ reason }) => reason))];
  if (reasons.length > 0 && figures.every(isUnknown)) return { kind: 'failed', reason: reasons.join('; ') };
  const slice = device.name.includes('MIG') ? '; a slice of the device (MIG), not all of it' : '';
  return {
    kind: 'measured',
    figures: {
      deviceName: device.name,
      fp16FlopsPerSecond: product.perSecond,
      fp32FlopsPerSecond: unknown('measured in half precision'),
      ...memoryFigures({ ...memory, gemvBytesPerSecond: gemv.perSecond }),
      int8OperationsPerSecond: int8.perSecond,
      fp8FlopsPerSecond: fp8.perSecond,
      isLowerBound: false,
      method: `${methods([product, int8, fp8])}; ${memory.method}${gemv.method === '' ? '' : `; ${gemv.method}`}${slice}`,
    },
  };
};

/** The parent hides all other devices from the driver, if it could name this one. */
const chosen = (driver: CudaDriver, deviceId: string): CudaDevice => {
  const { devices } = driver;
  const wanted = deviceId.toLowerCase();
  const found = devices.find(({ uuid, pciAddress }) => {
    const address = wanted.replace(/^0000(?=[\da-f]{4}:)/, ''); // nvidia-smi writes eight digits of domain
    return uuid.toLowerCase() === wanted || pciAddress === address;
  });
  const [only] = devices;
  // Under MIG the driver gives the UUID of a slice, and a GPU on the processor's chip has no address of its own.
  const device = found ?? (devices.length === 1 && !wanted.includes(':') ? only : undefined);
  if (device !== undefined) return device;
  const seen =
    devices.length === 0 ? 'none' : devices.map(({ uuid, name }) => `${uuid} (${name})`).join(', ');
  throw new Error(`the driver has no device ${deviceId}; it has: ${seen}`);
};

interface Products {
  readonly product: CudaProduct;
  readonly int8: CudaProduct;
  readonly fp8: CudaProduct;
  readonly gemv: CudaProduct;
}

const productsOf = (koffi: Koffi, driver: CudaDriver, request: CudaRequest): Products => {
  const cublas = openedCublas(koffi, driver);
  if (typeof cublas === 'string') {
    const none: CudaProduct = { perSecond: unknown(cublas), method: '' };
    return { product: none, int8: none, fp8: none, gemv: none };
  }
  return {
    product: measureCudaProduct(driver, cublas, FP16, request),
    int8: measureCudaProduct(driver, cublas, INT8, request),
    fp8: measureCudaProduct(driver, cublas, FP8, request),
    gemv: measureCudaGemv(driver, cublas, request),
  };
};

const methods = (products: readonly CudaProduct[]): string =>
  products.flatMap(({ method }) => (method === '' ? [] : [method])).join('; ') || 'product not measured';

/** Or why there is none. */
const openedCublas = (koffi: Koffi, driver: CudaDriver): CublasLt | string => {
  const { candidates, refused } = findCublasLt({
    env: process.env,
    userId: ownUserId(),
    driverVersion: driver.version,
    root: '/',
  });
  const failures: string[] = [];
  for (const { library } of candidates) {
    try {
      return openCublasLt(koffi, library);
    } catch (error) {
      // A name that the loader does not know adds nothing: the search found no file either.
      if (library.includes('/') || !firstLine(errorMessage(error)).startsWith('Failed to load')) {
        failures.push(`${library}: ${firstLine(errorMessage(error))}`);
      }
    }
  }
  const known = [...failures, ...refused];
  const advice = cublasAdvice(driver.version);
  return known.length === 0
    ? `no cuBLAS is on this machine: ${advice}`
    : `${known.join('; ')}. To fix it: ${advice}`;
};

/** CU_COMPUTEMODE_PROHIBITED */
const PROHIBITED = 2;

await answerParent(
  {
    env: process.env,
    argv: process.argv,
    exit: code => process.exit(code),
    complain: text => void process.stderr.write(`${text}\n`),
  },
  measure,
);
