// The part of the WebAssembly interface that the kernels use. Its types come with the DOM's, which code for Node must
// not see, so they are declared here (https://webassembly.github.io/spec/js-api/).

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

type WasmFunctionNow = (...values: readonly number[]) => number | bigint | undefined;

/** One that never grows: growing would move it. At most 65,536 pages of 64 KiB. */
export const wasmMemory = (bytes: number): WasmMemory => {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  return new WebAssembly.Memory({ initial: pages, maximum: pages });
};

/** Whether this engine supports every instruction of the module. */
export const isWasmValid = (module: Uint8Array<ArrayBuffer>): boolean => WebAssembly.validate(module);

/** A function of a module of `assembleModule`. @throws if the module has none of that name. */
export const wasmFunctions = (
  module: Uint8Array<ArrayBuffer>,
  memory: WasmMemory,
): ((name: string) => WasmFunctionNow) => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module), { plimsoll: { memory } });
  return name => {
    const found = exports[name];
    if (found === undefined) throw new Error(`the WebAssembly module exports no function ${name}`);
    return found;
  };
};

declare const WebAssembly: {
  readonly Memory: new (limits: { readonly initial: number; readonly maximum: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly plimsoll: { readonly memory: WasmMemory } },
  ) => { readonly exports: Readonly<Record<string, WasmFunctionNow | undefined>> };
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
};

const PAGE_BYTES = 65_536;
