// What a process that a test starts gets of this one's environment: enough to find its programs, and what keeps its start
// cheap. Everything else stays out, so that no test depends on who runs it.

export const childEnv: Readonly<Record<string, string | undefined>> = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
};
