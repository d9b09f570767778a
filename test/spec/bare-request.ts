import { request } from 'node:http';

/** Sends a GET with only these headers and returns the status. `fetch` would add an Accept header. */
export const bareRequest = ({ url }: { readonly url: string }, path: string, headers: Record<string, string>) =>
  new Promise<number>((resolve, reject) => {
    const sent = request(url + path, { headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode as number));
    });
    sent.on('error', reject).end();
  });
