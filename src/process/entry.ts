// The one resolver of the files that child processes and worker threads start with. tsc rewrites imports from .ts to
// .js but not the text in `new URL('./x.ts', import.meta.url)`, so a built program would look for its own source.

/**
 * The entry next to the calling module: `entryUrl(import.meta.url, './record-worker.ts')` ends in .ts when
 * the module runs from source (tests, benchmarks) and in .js when it runs from dist.
 */
export const entryUrl = (moduleUrl: string, relativePath: `${'./' | '../'}${string}.ts`): URL => {
  const path = isSource(moduleUrl) ? relativePath : relativePath.replace(/\.ts$/, '.js');
  return new URL(path, moduleUrl);
};

/** Vite's test server and watchers may append a query. */
const isSource = (moduleUrl: string): boolean => new URL(moduleUrl).pathname.endsWith('.ts');
