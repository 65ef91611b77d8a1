// What stops a benchmark before it has figures to show: the person's input, the target, or the run directory. The message
// is two lines, what is wrong and what to do, and holds no secret.

export class BenchError extends Error {
  override readonly name = 'BenchError';
  readonly code: 'input' | 'unreachable' | 'run-directory' | 'failed';

  constructor(code: BenchError['code'], problem: string, advice: string, options?: ErrorOptions) {
    super(`${problem}\n${advice}`, options);
    this.code = code;
  }
}
