// Errors in the middle of a stream that began with 200, in the forms of several servers and gateways.

import { completed, failedAs } from '../failure.ts';
import {
  BEGINNING,
  type CaseReply,
  type CaseRequest,
  casesOf,
  DONE,
  dataEvent,
  ENDING,
  type FaultCase,
  STREAM,
  withBody,
} from './fault-case.ts';

const { stream } = casesOf('stream');

const errorFrame = failedAs('error-frame');

const text =
  (body: string) =>
  (request: CaseRequest): CaseReply =>
    withBody(request, body);

/** Something between the content and the end. */
const between = (middle: string) => text(BEGINNING + middle + ENDING);

export const ERROR_CASES: readonly FaultCase[] = [
  stream(
    'error-text',
    'an error that is a text',
    errorFrame,
    between(dataEvent('{"error":"out of memory"}')),
  ),
  stream(
    'error-object',
    'an error with a message',
    errorFrame,
    between(dataEvent('{"error":{"message":"out of memory","code":500}}')),
  ),
  stream(
    'error-code-only',
    'an error that is only a code',
    errorFrame,
    between(dataEvent('{"error":{"code":"overloaded"}}')),
  ),
  stream(
    'error-empty-object',
    'an error without anything in it',
    errorFrame,
    between(dataEvent('{"error":{}}')),
  ),
  stream(
    'error-vllm',
    'object: "error" with the message next to it, as vLLM had it',
    errorFrame,
    between(dataEvent('{"object":"error","message":"out of memory","code":400}')),
  ),
  stream(
    'error-anthropic',
    'type: "error" around the error',
    errorFrame,
    between(dataEvent('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}')),
  ),
  stream(
    'error-openrouter',
    'an error next to a choice that finished',
    errorFrame,
    between(
      dataEvent(
        '{"error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}',
      ),
    ),
  ),
  stream(
    'error-field',
    'a field error: as llama.cpp writes it, then [DONE]',
    errorFrame,
    text(`${BEGINNING}error: {"code":500,"message":"context is full"}\n\n${dataEvent(DONE)}`),
  ),
  stream(
    'error-event-text',
    'event: error with a text that is no JSON',
    errorFrame,
    between('event: error\ndata: out of memory\n\n'),
  ),
  stream(
    'error-null',
    'error: null in each event',
    completed,
    text(STREAM.replaceAll('data: {', 'data: {"error":null,')),
  ),
  stream(
    'error-false',
    'error: false in each event',
    completed,
    text(STREAM.replaceAll('data: {', 'data: {"error":false,')),
  ),
  stream(
    'error-first',
    'an error before all content, and a proper end',
    errorFrame,
    text(dataEvent('{"error":{"message":"no"}}') + ENDING),
  ),
];
