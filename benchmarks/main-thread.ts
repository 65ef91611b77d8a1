// What a page's main thread did, from the browser's own trace: the processor time of each task, so that other work on the
// machine does not count, and its time on the wall.

export interface MainThread {
  /** Of all tasks, ms. */
  readonly busyMs: number;
  readonly wallMs: number;
  /** The longest tasks, ms of processor time, descending. */
  readonly longestMs: readonly number[];
  /** Ms of processor time by what was done, the most first: "FunctionCall", "Layout", "UpdateLayoutTree". */
  readonly parts: readonly (readonly [string, number])[];
}

export const TRACE_CATEGORIES: readonly string[] = [
  'disabled-by-default-devtools.timeline',
  'devtools.timeline',
];

/** @throws Error when the trace has no main thread of a page. */
export const mainThreadOf = (trace: string): MainThread => {
  const events = eventsOf(trace);
  const mains = events
    .filter(({ name, thread }) => name === 'thread_name' && thread === 'CrRendererMain')
    .map(({ pid, tid }) => `${pid} ${tid}`);
  const threads = [...new Set(mains)].map(key =>
    events.filter(({ pid, tid, phase }) => `${pid} ${tid}` === key && phase === 'X'),
  );
  const seen = threads.map(summary).toSorted((a, b) => b.busyMs - a.busyMs)[0];
  if (seen === undefined) throw new Error('the trace contains no CrRendererMain');
  return seen;
};

interface TraceEvent {
  readonly name: string;
  readonly phase: string;
  readonly pid: number;
  readonly tid: number;
  readonly thread: string;
  /** Microseconds: on the wall, and of the processor. */
  readonly dur: number;
  readonly tdur: number;
}

const summary = (events: readonly TraceEvent[]): MainThread => {
  const tasks = events.filter(({ name }) => name === 'RunTask');
  const parts = new Map<string, number>();
  for (const { name, tdur } of events)
    if (PARTS.has(name)) parts.set(name, (parts.get(name) ?? 0) + tdur / 1_000);
  return {
    busyMs: sum(tasks.map(({ tdur }) => tdur)) / 1_000,
    wallMs: sum(tasks.map(({ dur }) => dur)) / 1_000,
    longestMs: tasks
      .map(({ tdur }) => tdur / 1_000)
      .toSorted((a, b) => b - a)
      .slice(0, 100),
    parts: [...parts].toSorted(([, a], [, b]) => b - a),
  };
};

const eventsOf = (trace: string): readonly TraceEvent[] => {
  const parsed: unknown = JSON.parse(trace);
  const list = field(parsed, 'traceEvents');
  if (!Array.isArray(list)) throw new Error('the trace is not a list of events');
  return list.map((event: unknown) => ({
    name: text(field(event, 'name')),
    phase: text(field(event, 'ph')),
    pid: number(field(event, 'pid')),
    tid: number(field(event, 'tid')),
    thread: text(field(field(event, 'args'), 'name')),
    dur: number(field(event, 'dur')),
    tdur: number(field(event, 'tdur')),
  }));
};

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const PARTS: ReadonlySet<string> = new Set([
  'FunctionCall',
  'HandlePostMessage',
  'UpdateLayoutTree',
  'Layout',
  'PrePaint',
  'Paint',
  'Layerize',
  'Commit',
  'MinorGC',
  'MajorGC',
  'ParseHTML',
  'FireAnimationFrame',
  'TimerFire',
  'EventDispatch',
  'RunMicrotasks',
]);
