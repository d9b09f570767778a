import assert from 'node:assert/strict';
import { it } from 'node:test';
import { acceptsJson, prefersEventStream } from './accept.ts';

it('Accept is parsed as in RFC 9110', () => {
  const taken = [
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json;q=0.001',
    '*/*',
    'application/*',
    'text/html, application/*;q=0.2',
    'text/html;q=0, */*',
    '*/*;q=0, application/*',
    'application/*;q=0, application/json',
    'application/json, application/problem+json;q=0',
    'application/json;profile=x;q=0, application/json',
    'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    ' ,, application/json ,',
    'text/x;a="b,c;q=0", */*',
    'application/json;q=',
  ];
  const refused = [
    undefined,
    '',
    ' ',
    'text/html',
    'application/xml, text/*',
    'application/json;q=0',
    'application/json; Q=0.000',
    'application/json;q=0, */*',
    '*/*;q=0',
    'application/*;q=0.0, */*;q=1',
    'application/jsonp',
    'application/problem+json',
    'application/ld+json',
    'text/html;a=", application/json"',
  ];
  for (const accept of taken) assert.equal(acceptsJson(accept), true, accept);
  for (const accept of refused) assert.equal(acceptsJson(accept), false, String(accept));
});

it('A stream is preferred by weight, then by order', () => {
  const streams = [
    'text/event-stream',
    'TEXT/Event-Stream; charset=utf-8',
    'text/event-stream;q=0.1',
    'text/event-stream, application/json',
    'text/event-stream, */*',
    'application/json;q=0.5, text/event-stream',
    'application/json;q=0, text/event-stream;q=0.1',
    'text/html, text/event-stream',
  ];
  const others = [
    undefined,
    '',
    '*/*',
    'application/json',
    'text/event-stream;q=0',
    'application/json, text/event-stream',
    'application/json, text/event-stream;q=0.1',
    'text/event-stream;q=0.5, application/json',
    'text/event-stream;q=0.5, */*;q=0.1, application/json;q=0.6',
  ];
  for (const accept of streams) assert.equal(prefersEventStream(accept), true, accept);
  for (const accept of others) assert.equal(prefersEventStream(accept), false, String(accept));
});
