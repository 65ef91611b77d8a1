// The adapter of the device to measure, and its capabilities. The package is an optional peer: it is 137 MB.

import { errorMessage } from '../../../core/problem.ts';
import { firstLine } from '../../../core/text/single-line.ts';

interface OpenedAdapter {
  readonly device: GPUDevice;
  /** "AMD Radeon RX 7900 XTX (RADV NAVI31)" */
  readonly name: string;
  readonly hasHalfPrecision: boolean;
  readonly bufferBytesMax: number;
}

interface AdapterRequest {
  readonly deviceName: string;
  readonly vendor: string;
  readonly allowsSoftware: boolean;
}

type AdapterSearch =
  | { readonly kind: 'opened'; readonly adapter: OpenedAdapter }
  | { readonly kind: 'none'; readonly reason: string };

/**
 * `keep` must store its argument for the rest of the process: if it is garbage-collected, the process
 * crashes.
 */
export const openAdapter = async (
  request: AdapterRequest,
  keep: (gpu: unknown) => void,
): Promise<AdapterSearch> => {
  const webgpu = await loadWebgpu();
  if (webgpu === undefined) return none(ADVICE);
  Object.assign(globalThis, webgpu.globals);
  const seen: string[] = [];
  const refusals: string[] = [];
  for (const attempt of attempts(request)) {
    try {
      const gpu = webgpu.create([...attempt.options]);
      keep(gpu);
      const adapter = await gpu.requestAdapter(attempt.request);
      if (adapter === null) continue;
      const { info } = adapter;
      const name = [info.description, info.device, info.vendor].find(text => text !== '') ?? 'an adapter';
      const isSoftware = info.isFallbackAdapter;
      if (isSoftware ? request.allowsSoftware : isVendor(info.vendor, request.vendor)) {
        return { kind: 'opened', adapter: await opened(adapter, name) };
      }
      seen.push(isSoftware ? `${name} (software)` : name);
    } catch (error) {
      refusals.push(firstLine(errorMessage(error)));
    }
  }
  if (seen.length > 0) {
    return none(`WebGPU finds no adapter of ${request.vendor}; it finds: ${[...new Set(seen)].join(', ')}`);
  }
  const why = refusals[0] === undefined ? '' : ` (${refusals[0]})`;
  return none(`WebGPU finds no adapter: its driver (Vulkan, Metal or D3D12) is not installed${why}`);
};

interface Attempt {
  readonly options: readonly string[];
  readonly request: GPURequestAdapterOptions;
}

/** By name last: an adapter's name is seldom spelled as in the inventory. */
const attempts = ({ deviceName }: AdapterRequest): readonly Attempt[] => [
  { options: [], request: { powerPreference: 'high-performance' } },
  { options: [], request: { powerPreference: 'low-power' } },
  { options: [`adapter=${deviceName}`], request: {} },
];

const opened = async (adapter: GPUAdapter, name: string): Promise<OpenedAdapter> => {
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const hasHalfPrecision = adapter.features.has('shader-f16');
  const device = await adapter.requestDevice({
    requiredFeatures: hasHalfPrecision ? ['shader-f16'] : [],
    // Unless requested, a device has the small limits that every browser supports.
    requiredLimits: { maxBufferSize, maxStorageBufferBindingSize },
  });
  return {
    device,
    name,
    hasHalfPrecision,
    bufferBytesMax: Math.min(maxBufferSize, maxStorageBufferBindingSize),
  };
};

const loadWebgpu = async () => {
  try {
    return await import('webgpu');
  } catch {
    return undefined; // not installed, or not built for this platform: the advice describes what to do
  }
};

const isVendor = (reported: string, wanted: string): boolean => reported.toLowerCase().includes(wanted);

const none = (reason: string): AdapterSearch => ({ kind: 'none', reason });

const ADVICE =
  'the package webgpu is not installed next to Plimsoll, or not for this platform: npm install webgpu@0.6';
