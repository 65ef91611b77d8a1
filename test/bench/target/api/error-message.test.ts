import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageOfBody } from '../../../../src/bench/target/api/error-message.ts';

const json = (value: unknown) => messageOfBody(JSON.stringify(value));

describe('the message of an error', () => {
  test('is that of OpenAI', () => {
    const error = {
      message: 'Incorrect API key provided: sk-x.',
      type: 'invalid_request_error',
      param: null,
      code: 'invalid_api_key',
    };
    expect(json({ error })).toBe('Incorrect API key provided: sk-x.');
  });

  test('is that of vLLM of both forms', () => {
    const message = 'The model `m` does not exist.';
    expect(json({ object: 'error', message, type: 'NotFoundError', param: null, code: 404 })).toBe(message);
    expect(json({ error: { message, type: 'NotFoundError', param: 'model', code: 404 } })).toBe(message);
  });

  test('is that of llama.cpp, with the size of the context', () => {
    const message = 'request (81 tokens) exceeds the available context size (64 tokens), try increasing it';
    const error = { code: 400, message, type: 'exceed_context_size_error', n_prompt_tokens: 81, n_ctx: 64 };
    expect(json({ error })).toBe(message);
  });

  test('is that of Ollama and of TGI', () => {
    expect(json({ error: 'model "x" not found, try pulling it first' })).toBe(
      'model "x" not found, try pulling it first',
    );
    expect(
      json({ error: 'Input validation error: `inputs` must be shorter', error_type: 'validation' }),
    ).toBe('Input validation error: `inputs` must be shorter');
  });

  test('is that of Anthropic', () => {
    expect(
      json({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'r' }),
    ).toBe('Overloaded');
  });

  test('is the list of FastAPI, each with its place', () => {
    const detail = [
      {
        type: 'extra_forbidden',
        loc: ['body', 'stream_options'],
        msg: 'Extra inputs are not permitted',
        input: {},
      },
      { type: 'missing', loc: ['body', 'messages', 0, 'role'], msg: 'Field required' },
    ];
    expect(json({ detail })).toBe(
      'stream_options: Extra inputs are not permitted; messages.0.role: Field required',
    );
    expect(json({ detail: 'Not Found' })).toBe('Not Found');
    expect(json({ detail: { error: { message: 'no such route' } } })).toBe('no such route');
  });

  test('counts the entries of a long list beyond five', () => {
    const detail = Array.from({ length: 9 }, (_, at) => ({ loc: ['body', `f${at}`], msg: 'Field required' }));
    expect(json({ detail })).toMatch(/^f0: Field required; .*f4: Field required; and 4 more$/);
  });

  test('is a message that is a list', () => {
    expect(
      json({
        statusCode: 400,
        message: ['model must be a string', 'n is not allowed'],
        error: 'Bad Request',
      }),
    ).toBe('Bad Request: model must be a string; n is not allowed');
    expect(json({ error: { message: ['a', 'b'] } })).toBe('a; b');
  });

  test('is that of the server behind a gateway', () => {
    const inner = JSON.stringify({ error: { message: "'max_tokens' is too large: 100.", code: 400 } });
    expect(
      json({ error: { message: `litellm.BadRequestError: OpenAIException - ${inner}`, code: '400' } }),
    ).toBe("'max_tokens' is too large: 100.");
    expect(
      json({
        detail: `Error code: 404 - {'object': 'error', 'message': "The model 'x' does not exist.", 'code': 404}`,
      }),
    ).toBe("The model 'x' does not exist.");
    expect(
      json({
        error: { message: JSON.stringify({ error: { message: JSON.stringify({ detail: 'deep' }) } }) },
      }),
    ).toBe('deep');
  });

  test('is that of other frameworks', () => {
    expect(json({ timestamp: 1, status: 404, error: 'Not Found', path: '/v1' })).toBe('Not Found');
    expect(json({ error: 'invalid_token', error_description: 'The token has expired' })).toBe(
      'The token has expired',
    );
    expect(
      json({ type: 'about:blank', title: 'Bad Gateway', detail: 'no healthy upstream', status: 502 }),
    ).toBe('no healthy upstream');
    expect(json([{ error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }])).toBe(
      'API key not valid.',
    );
    expect(json({ errors: [{ message: 'Authentication error' }] })).toBe('Authentication error');
    expect(json({ Message: 'User is not authorized' })).toBe('User is not authorized');
    expect(json({ error: { type: 'server_error' } })).toBe('server_error');
    expect(json('no capacity')).toBe('no capacity');
  });

  test('is the title of a page of HTML, with the server that wrote it', () => {
    const page =
      '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>\r\n';
    expect(messageOfBody(page)).toBe('502 Bad Gateway (nginx/1.24.0)');
    expect(
      messageOfBody(
        '<!DOCTYPE html><head><title>api.x.io | 520: Web server is &quot;off&quot;</title></head>',
      ),
    ).toBe('api.x.io | 520: Web server is "off"');
    expect(
      messageOfBody('<html><body><h1>Service <b>Unavailable</b></h1><script>x()</script></body></html>'),
    ).toBe('Service Unavailable');
    expect(
      messageOfBody(
        '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
      ),
    ).toBe('Access Denied');
  });

  test('is plain text as it is', () => {
    expect(messageOfBody('upstream connect error or disconnect/reset before headers\n')).toBe(
      'upstream connect error or disconnect/reset before headers',
    );
    expect(messageOfBody('')).toBe('');
  });

  test('is that of an error in a stream', () => {
    expect(messageOfBody('event: error\ndata: {"error":{"message":"worker died"}}\n\n')).toBe('worker died');
  });

  test('is found in a body that was cut off, as a validator writes that repeats the whole request', () => {
    const whole = JSON.stringify({
      detail: [
        {
          type: 'extra_forbidden',
          loc: ['body', 'ignore_eos'],
          msg: 'Extra inputs are not "permitted"',
          input: 'x'.repeat(20_000),
        },
      ],
    });
    expect(messageOfBody(whole.slice(0, 16_384))).toBe('ignore_eos: Extra inputs are not "permitted"');
  });

  test('is bounded in depth', () => {
    let value: unknown = 'deep';
    for (let depth = 0; depth < 1_000; depth += 1) value = { error: value };
    expect(json(value).length).toBeGreaterThan(0);
  });

  test('is found in little time in any body', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 300 }), fc.json({ maxDepth: 6 })), body => {
        expect(messageOfBody(body).length).toBeLessThanOrEqual(Math.max(400, 6 * body.length));
      }),
    );
    for (const part of [
      '<script>',
      '{"a":',
      '<title>',
      "{'message': '",
      '"message": "\\\\',
      '[{',
      '&#',
      '<center>nginx',
    ])
      messageOfBody(part.repeat(16_384 / part.length));
  });

  test('is the body where nothing in it is a message', () => {
    expect(json({ foo: 1 })).toBe('{"foo":1}');
  });
});
