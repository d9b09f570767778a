import { Agent, request } from 'node:http';
import { after } from 'node:test';
import type { JsonResponse, RequestOptions } from './request.ts';

/** One keep-alive connection. The worker that accepted it answers every request on it. */
export type Connection = (path: string, options?: RequestOptions) => Promise<JsonResponse>;

/** Opens separate connections to a service. They are closed after the current suite. */
export function connections(): (url: string, count: number) => Connection[] {
  const agents: Agent[] = [];
  after(() => {
    for (const agent of agents) agent.destroy();
  });
  return (url, count) =>
    Array.from({ length: count }, () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      agents.push(agent);
      return (path, options) => send(agent, url + path, options);
    });
}

function send(
  agent: Agent,
  url: string,
  { method, json, form, token, headers }: RequestOptions = {},
): Promise<JsonResponse> {
  const body =
    json === undefined ? form && new URLSearchParams(form as Record<string, string>).toString() : JSON.stringify(json);
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        accept: 'application/json',
        ...(body === undefined
          ? {}
          : { 'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded' }),
        ...(token == null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    sent.on('error', reject);
    sent.on('response', async (response) => {
      try {
        let text = '';
        for await (const chunk of response) text += chunk;
        const status = response.statusCode ?? 0;
        const parsed = text.startsWith('{') ? JSON.parse(text) : {};
        resolve({ status, headers: new Headers(response.headers as Record<string, string>), text, body: parsed });
      } catch (error) {
        reject(error);
      }
    });
    sent.end(body);
  });
}
