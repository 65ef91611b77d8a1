// Traces as their makers document them, of any length and from a seed: no one's recorded traffic is downloaded or kept here.

import { seededRandom } from '../../src/core/random.ts';

interface MadeUpTrace {
  readonly seed: number;
  readonly requests: number;
  /** Between two arrivals, on average. */
  readonly gapMs?: number;
  /** Of a prompt, about. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/**
 * Mooncake's rules: blocks of 512 tokens, an id for a block with all before it, a partial last block. Conversations go on with
 * their own blocks, and many begin with one of a few system prompts.
 */
export const mooncakeLines = ({
  seed,
  requests,
  gapMs = 300,
  inputTokens = 4_096,
  outputTokens = 16,
}: MadeUpTrace): readonly string[] => {
  const random = seededRandom(seed);
  let nextId = 8;
  let atMs = 0;
  const conversations: number[][] = [];
  return Array.from({ length: requests }, () => {
    atMs += -Math.log1p(-random.next()) * gapMs;
    const goesOn = conversations.length > 0 && random.next() < 0.6;
    const before = goesOn
      ? (conversations[random.below(conversations.length)] ?? [])
      : [0, 1, 2, 3].slice(0, random.below(5)).map(block => block + 8 * random.below(1));
    const input = Math.max(before.length * 512 + 1, Math.round(inputTokens * (0.25 + 1.5 * random.next())));
    const ids = [...before];
    while (ids.length < Math.ceil(input / 512)) {
      nextId += 1;
      ids.push(nextId);
    }
    if (ids.length < 64) {
      conversations.push(ids.slice(0, Math.floor(input / 512)));
      if (conversations.length > 256) conversations.shift();
    }
    return JSON.stringify({
      timestamp: Math.floor(atMs),
      input_length: input,
      output_length: 1 + random.below(2 * outputTokens),
      hash_ids: ids,
    });
  });
};

/** As `plimsoll capture` writes them: conversations whose prompts grow, each line when its request ended. */
export const captureLines = ({ seed, requests, gapMs = 300 }: MadeUpTrace): readonly string[] => {
  const random = seededRandom(seed);
  let [atMs, nextId] = [0, 0];
  const rows = Array.from({ length: requests }, (_, index) => {
    atMs += -Math.log1p(-random.next()) * gapMs;
    const session = random.below(4);
    const sizes = Array.from({ length: 1 + random.below(6) }, () => random.below(80));
    const took = random.below(1_000);
    return {
      endMs: atMs + took,
      line: {
        capture: 1,
        timestamp: atMs,
        input_length: sizes.reduce((sum, size) => sum + size, 0),
        output_length: random.below(100),
        block_ids: sizes.map((_, block) => (block === 0 ? session : 4 + nextId++)),
        block_tokens: sizes,
        session,
        outcome: index % 8 === 7 ? 'failed' : 'completed',
        status: 200,
        took,
        api: 'chat',
        streamed: true,
        tools: false,
      },
    };
  });
  return rows.toSorted((a, b) => a.endMs - b.endMs).map(({ line }) => JSON.stringify(line));
};

/** Azure's: the header, wall times of seven decimals, two lengths. */
export const azureLines = ({
  seed,
  requests,
  gapMs = 300,
  inputTokens = 1_000,
  outputTokens = 100,
}: MadeUpTrace): readonly string[] => {
  const random = seededRandom(seed);
  let atMs = Date.UTC(2023, 10, 16, 18, 15, 46);
  const rows = Array.from({ length: requests }, () => {
    atMs += -Math.log1p(-random.next()) * gapMs;
    const [day = '', time = ''] = new Date(atMs).toISOString().slice(0, -1).split('T');
    const digits = String(random.below(10_000)).padStart(4, '0');
    return `${day} ${time}${digits},${1 + random.below(2 * inputTokens)},${1 + random.below(2 * outputTokens)}`;
  });
  return ['TIMESTAMP,ContextTokens,GeneratedTokens', ...rows];
};

/** BurstGPT's first form, or the later one with sessions and elapsed times; one of twenty failed, with no response tokens. */
export const burstGptLines = (
  { seed, requests, gapMs = 300, inputTokens = 500, outputTokens = 100 }: MadeUpTrace,
  form: 'first' | 'with sessions',
): readonly string[] => {
  const random = seededRandom(seed);
  let seconds = 0;
  const head = 'Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type';
  const rows = Array.from({ length: requests }, () => {
    seconds += (-Math.log1p(-random.next()) * gapMs) / 1_000;
    const [input, output] = [
      1 + random.below(2 * inputTokens),
      random.below(20) === 0 ? 0 : 1 + random.below(2 * outputTokens),
    ];
    const model = random.below(3) === 0 ? 'GPT-4' : 'ChatGPT';
    const kind = random.below(2) === 0 ? 'Conversation log' : 'API log';
    if (form === 'first')
      return `${Math.floor(seconds)},${model},${input},${output},${input + output},${kind}`;
    const session = kind === 'API log' ? '' : String(random.below(Math.ceil(requests / 5)));
    return `${seconds.toFixed(3)},${session},${(random.next() * 5).toFixed(2)},${model},${input},${output},${input + output},${kind}`;
  });
  return [
    form === 'first'
      ? head
      : 'Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type',
    ...rows,
  ];
};

/**
 * Conversations of agents by docs/TRACE_FORMAT.md of agentic-coding-analysis: full blocks of 64 tokens with ids of the
 * conversation, tools and system prompt before everything, suffixes that grow, a reset now and then, and subagents.
 */
export const agenticConversations = ({
  seed,
  requests,
  gapMs = 2_000,
  inputTokens = 3_000,
  outputTokens = 24,
}: MadeUpTrace): readonly string[] => {
  const random = seededRandom(seed);
  const conversations: string[] = [];
  let left = requests;
  while (left > 0) {
    const made = agentRequests({
      random,
      count: Math.min(left, 8 + random.below(24)),
      gapMs,
      inputTokens,
      outputTokens,
      depth: 0,
    });
    left -= made.count;
    conversations.push(
      JSON.stringify({
        id: `${seed.toString(16)}-${conversations.length.toString(16).padStart(8, '0')}`,
        models: ['made-up'],
        block_size: 64,
        tool_tokens: 700,
        system_tokens: 330,
        requests: made.rows,
      }),
    );
  }
  return conversations;
};

interface AgentLoadRequest {
  readonly random: ReturnType<typeof seededRandom>;
  readonly count: number;
  readonly gapMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly depth: number;
}

const agentRequests = ({
  random,
  count,
  gapMs,
  inputTokens,
  outputTokens,
  depth,
}: AgentLoadRequest): { readonly rows: readonly object[]; readonly count: number } => {
  const rows: object[] = [];
  const ids: number[] = [];
  let nextId = 0;
  let made = 0;
  let seconds = 0;
  let tokens = 1_100;
  while (made < count) {
    tokens = random.below(60) === 0 ? 1_100 : Math.min(2 * inputTokens, tokens + random.below(400));
    ids.length = Math.min(ids.length, Math.floor(tokens / 64));
    while (ids.length < Math.floor(tokens / 64)) {
      nextId += 1;
      ids.push(nextId);
    }
    const took = 0.2 + random.next();
    const think = (-Math.log1p(-random.next()) * gapMs) / 1_000;
    if (made > 0) seconds += think;
    rows.push({
      t: Number(seconds.toFixed(3)),
      type: 's',
      model: 'made-up',
      in: tokens,
      out: 1 + random.below(2 * outputTokens),
      hash_ids: [...ids],
      input_types: ['text'],
      output_types: ['text'],
      stop: 'tool_use',
      api_time: Number(took.toFixed(3)),
      ...(made === 0 ? {} : { think_time: Number(think.toFixed(3)) }),
    });
    seconds += took;
    made += 1;
    if (depth === 0 && random.below(12) === 0 && count - made >= 3) {
      const sub = agentRequests({ random, count: 3, gapMs, inputTokens, outputTokens, depth: 1 });
      made += sub.count;
      rows.push({
        t: Number(seconds.toFixed(3)),
        type: 'subagent',
        agent_id: random.below(2 ** 31).toString(16),
        subagent_type: 'Explore',
        duration_ms: 6_000,
        total_tokens: 10_000,
        tool_use_count: 2,
        status: 'completed',
        models: ['made-up'],
        tool_tokens: 500,
        system_tokens: 200,
        requests: sub.rows,
      });
      if (random.below(2) === 0) seconds += 7;
    }
  }
  return { rows, count: made };
};
