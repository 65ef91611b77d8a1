// Has shaders checked by the compiler behind WebGPU, on its adapter that computes nothing and offers everything. In a process of
// its own, because the package ends the process it is collected in. Gets code by name as JSON, and prints by name the first
// complaint, or "valid".

import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
const gpu = create(['backend=null']);
const adapter = await gpu.requestAdapter();
const device = await adapter?.requestDevice({ requiredFeatures: ['shader-f16'] });
if (device === undefined) throw new Error('the empty adapter gives no device');

const shaders: Readonly<Record<string, string>> = JSON.parse(process.argv[2] ?? '{}');
const results: Record<string, string> = {};
for (const [name, code] of Object.entries(shaders)) {
  device.pushErrorScope('validation');
  await device
    .createComputePipelineAsync({
      layout: 'auto',
      compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
    })
    .catch(() => undefined);
  const error = await device.popErrorScope();
  results[name] = error === null ? 'valid' : error.message;
}
process.stdout.write(JSON.stringify(results));
process.exit(gpu === null ? 1 : 0);
