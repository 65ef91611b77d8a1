// Has a shader checked by the compiler behind WebGPU, on its adapter that computes nothing and offers everything. In a
// process of its own, because the package ends the process it is collected in. Prints the first complaint, or "valid".

import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
const gpu = create(['backend=null']);
const adapter = await gpu.requestAdapter();
const device = await adapter?.requestDevice({ requiredFeatures: ['shader-f16'] });
if (device === undefined) throw new Error('the empty adapter gives no device');
device.pushErrorScope('validation');
await device
  .createComputePipelineAsync({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code: process.argv[2] ?? '' }), entryPoint: 'main' },
  })
  .catch(() => undefined);
const error = await device.popErrorScope();
process.stdout.write(error === null ? 'valid' : error.message);
process.exit(gpu === null ? 1 : 0);
