// The part of this process's environment that test child processes get: enough to find programs, and what keeps their
// start cheap. Everything else is left out, so no test depends on the user.

export const childEnv: Readonly<Record<string, string | undefined>> = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
};
